//! Messages on their way out: one after the other, frame by frame, at the pace that is set.

use waywarden_can::Frame;
use waywarden_can::node::{Output, Port, Ports, Token};
use waywarden_can::segment::raw::Segmentation;
use waywarden_work::Instant;

use super::identifier::LasanHeader;
use super::inbox::part;
use super::session::SEALED_MAX;
use super::settings::NetworkSettings;
use waywarden_key_roles::Transport;
use waywarden_key_roles::transmission::{Transmission, TransmissionRoute};

/// The content of a message: its own bytes, or bytes that the role keeps until it is sent.
#[derive(Clone, Copy)]
pub(super) enum Content {
    Short([u8; SEALED_MAX], usize),
    Kept(Kept),
}

/// Bytes that a role keeps and sends.
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
    pub(super) header: LasanHeader,
    pub(super) content: Content,
}

/// A bounded queue of `N` messages. Of the first one, frames may be under way.
pub(super) struct Outbox<const N: usize> {
    waiting: [Option<Letter>; N],
    way: Transmission,
    /// Earliest time of handing over the next frame.
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

    /// Adds a message; with all places taken it is lost, and the receiver that waits for it asks
    /// again.
    pub(super) fn push(&mut self, header: LasanHeader, content: Content) {
        if let Some(place) = self.waiting.iter_mut().find(|place| place.is_none()) {
            *place = Some(Letter { header, content });
        }
    }

    /// Adds a short message.
    pub(super) fn push_short(&mut self, header: LasanHeader, bytes: &[u8]) {
        let mut place = [0; SEALED_MAX];
        if let Some(part) = place.get_mut(..bytes.len()) {
            part.copy_from_slice(bytes);
            self.push(header, Content::Short(place, bytes.len()));
        }
    }

    /// Returns the number of messages that still fit.
    pub(super) fn room(&self) -> usize {
        self.waiting.iter().filter(|place| place.is_none()).count()
    }

    /// Returns true if a message with these kept bytes waits or is under way.
    pub(super) fn holds(&self, kept: Kept) -> bool {
        let mut waiting = self.waiting.iter().flatten();
        waiting.any(|letter| matches!(letter.content, Content::Kept(at) if at == kept))
    }

    /// Returns the next frame to be handed over; `kept` finds the bytes of what is kept.
    pub(super) fn poll<'a>(
        &mut self,
        now: Instant,
        settings: &NetworkSettings,
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
        let numbered = !settings.profile.is_as_published();
        // Controllers that send the most urgent of their frames first shall not send part 1 before
        // the part 15 that comes before it.
        let wraps = |frame: usize| numbered && frame > 1 && part(frame) == 1;
        let cut = cut(settings);
        let (frames, way) = (cut.frame_count(payload.len()), route(ports, settings));
        let next = self.way.next(now, frames, (&way, room), wraps)?;
        let field = cut.segment(payload, next.frame)?;
        let number = if numbered { part(next.frame) } else { 0 };
        let id = letter.header.identifier_in(&settings.identifiers, number)?;
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

    /// Returns the time of the next frame, if pacing holds one back, or until which it waits for
    /// ports that are behind.
    pub(super) fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let next = self.waiting[0].is_some().then_some(self.next_at);
        let next = next.filter(|&at| at > now);
        next.into_iter().chain(self.way.due()).min()
    }

    /// A frame has been sent (or taken back), perhaps the last of its message. What is lost is
    /// asked for again.
    pub(super) fn answered(
        &mut self,
        now: Instant,
        frame: (Port, Token, bool),
        (ports, settings): (Ports, &NetworkSettings),
        length: impl Fn(Kept) -> usize,
    ) {
        let length = self.waiting[0].map_or(0, |letter| match letter.content {
            Content::Short(_, length) => length,
            Content::Kept(kept) => length(kept),
        });
        let frames = cut(settings).frame_count(length);
        let way = route(ports, settings);
        if self.way.answered(now, frame, frames, &way).is_some() {
            self.drop_first();
        }
    }

    /// Ends the first message if the ports that it still waits for have had their time.
    pub(super) fn time_out(&mut self, now: Instant, ports: Ports, settings: &NetworkSettings) {
        if self.way.time_out(now, &route(ports, settings)).is_some() {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        self.waiting[0] = None;
        self.waiting.rotate_left(1);
    }

    /// Returns a port that lags now and did not, or does not any more.
    pub(super) fn change(&mut self) -> Option<(Port, bool)> {
        self.way.change()
    }
}

fn route(ports: Ports, settings: &NetworkSettings) -> TransmissionRoute {
    TransmissionRoute {
        ports,
        patience: settings.timing.answer,
    }
}

/// Returns the segmentation of messages: as published the last frame is as long as the others.
pub(super) fn cut(settings: &NetworkSettings) -> Segmentation {
    match (settings.profile.is_as_published(), settings.transport) {
        (true, Transport::Classic) => Segmentation::CLASSIC_FULL,
        (_, Transport::Classic) => Segmentation::CLASSIC,
        (_, Transport::Fd) => Segmentation::FD,
    }
}
