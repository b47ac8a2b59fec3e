//! Messages on their way out: one after the other, frame by frame, at the pace that is set.

use waywarden_can::Frame;
use waywarden_can::node::{Output, Ports, Token};
use waywarden_can::segment::raw::Cut;
use waywarden_work::Instant;

use super::identifier::Header;
use super::inbox::part;
use super::profile::Profile;
use super::session::SEALED_MAX;
use super::settings::Settings;
use crate::group::Transport;
use crate::transmission::Transmission;

/// What a message consists of: its own bytes, or bytes that the role keeps for as long.
#[derive(Clone, Copy)]
pub(super) enum Content {
    Short([u8; SEALED_MAX], usize),
    Kept(Kept),
}

/// What a role keeps and sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Its own certificate or key.
    Credential,
    /// The security module's start-up message.
    Startup,
    /// A long message to or of one ECU: of the handshake with this number.
    Handshake(u8),
    /// The security module's own offer in that handshake (`as-published`).
    Offer(u8),
}

/// A message and where it goes.
#[derive(Clone, Copy)]
pub(super) struct Letter {
    pub(super) header: Header,
    pub(super) content: Content,
}

/// A bounded queue of `N` messages. Of the first one, frames may be under way.
pub(super) struct Outbox<const N: usize> {
    waiting: [Option<Letter>; N],
    way: Transmission,
    /// Not before then the next frame is handed over.
    next_at: Instant,
}

impl<const N: usize> Outbox<N> {
    pub(super) fn new() -> Self {
        Outbox {
            waiting: [None; N],
            way: Transmission::default(),
            next_at: Instant::ZERO,
        }
    }

    /// Adds a message; with all places taken it is lost, and whoever waits for it asks again.
    pub(super) fn push(&mut self, header: Header, content: Content) {
        if let Some(place) = self.waiting.iter_mut().find(|place| place.is_none()) {
            *place = Some(Letter { header, content });
        }
    }

    /// Adds a short message.
    pub(super) fn push_short(&mut self, header: Header, bytes: &[u8]) {
        let mut place = [0; SEALED_MAX];
        if let Some(part) = place.get_mut(..bytes.len()) {
            part.copy_from_slice(bytes);
            self.push(header, Content::Short(place, bytes.len()));
        }
    }

    /// How many messages still fit.
    pub(super) fn room(&self) -> usize {
        self.waiting.iter().filter(|place| place.is_none()).count()
    }

    /// Whether a message with these kept bytes waits or is under way.
    pub(super) fn holds(&self, kept: Kept) -> bool {
        let mut waiting = self.waiting.iter().flatten();
        waiting.any(|letter| matches!(letter.content, Content::Kept(at) if at == kept))
    }

    /// Returns the next frame to be handed over; `kept` finds the bytes of what is kept.
    pub(super) fn poll<'a>(
        &mut self,
        now: Instant,
        settings: &Settings,
        ports: Ports,
        room: Ports,
        kept: impl Fn(Kept) -> &'a [u8],
    ) -> Option<Output> {
        if now < self.next_at {
            return None;
        }
        let letter = self.waiting[0].as_ref()?;
        let payload = match &letter.content {
            Content::Short(bytes, length) => &bytes[..*length],
            Content::Kept(at) => kept(*at),
        };
        let numbered = settings.profile != Profile::AsPublished;
        // Controllers that send the most urgent of their frames first shall not send part 1 before
        // the part 15 that comes before it.
        let wraps = self.way.frame() > 1 && part(self.way.frame()) == 1;
        if numbered && wraps && !self.way.is_clear() {
            return None;
        }
        let cut = cut(settings);
        let next = self.way.next(cut.frame_count(payload.len()), ports, room)?;
        let field = cut.segment(payload, next.frame)?;
        let id = letter
            .header
            .identifier(if numbered { part(next.frame) } else { 0 });
        let frame = match settings.transport {
            Transport::Classic => Frame::classic(id, &field),
            Transport::Fd => Frame::fd(id, &field),
        };
        if let Some(pause) = settings.pacing {
            self.next_at = now + pause;
        }
        Some(Output::Transmit {
            port: next.port,
            token: next.token,
            frame: frame.ok()?,
        })
    }

    /// When the next frame is due, if one is held back by the pace.
    pub(super) fn wish(&self, now: Instant) -> Option<Instant> {
        self.waiting[0]
            .is_some()
            .then_some(self.next_at)
            .filter(|&at| at > now)
    }

    /// A frame has been sent (or taken back); returns the message if that was the last of it, and
    /// whether it was sent whole.
    pub(super) fn answered(
        &mut self,
        token: Token,
        sent: bool,
        settings: &Settings,
        length: impl Fn(Kept) -> usize,
    ) -> Option<(Letter, bool)> {
        let letter = self.waiting[0]?;
        let length = match letter.content {
            Content::Short(_, length) => length,
            Content::Kept(kept) => length(kept),
        };
        let frames = cut(settings).frame_count(length);
        let whole = self.way.answered(token, sent, frames)?;
        self.waiting[0] = None;
        self.waiting.rotate_left(1);
        Some((letter, whole))
    }
}

/// How messages are cut: as published the last frame is as long as the others.
pub(super) fn cut(settings: &Settings) -> Cut {
    match (settings.profile, settings.transport) {
        (Profile::AsPublished, Transport::Classic) => Cut::CLASSIC_FULL,
        (_, Transport::Classic) => Cut::CLASSIC,
        (_, Transport::Fd) => Cut::FD,
    }
}
