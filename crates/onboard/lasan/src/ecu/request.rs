//! Requests for the keys of an ECU's streams, and the handling of grants and denials.

use waywarden_can::Frame;
use waywarden_can::node::{Output, Port, Ports, Token};
use waywarden_work::{Duration, Instant};

use super::super::access::StreamId;
use super::super::event::{DenialReason, EcuEvent};
use super::super::grant::{Denial, Grant, Request, RetryHint};
use super::super::identifier::LasanKind;
use super::super::session::{Opened, SEALED_MAX};
use super::super::settings::PartyDirectory;
use super::super::stream::Granted;
use super::super::suites::LasanSuite;
use super::{LasanEcu, Later, Repeat, Stage, TRIES_MAX};
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;

/// The streams that an ECU wants to send.
pub(super) struct Wants<'a> {
    wanted: Storage<'a, Option<Want>>,
    /// Requests in a row that the security module did not answer.
    unanswered: u8,
    /// A protected frame that waits for its port.
    pub(super) frame: Option<(Port, Frame)>,
    tokens: u32,
}

pub(super) struct Want {
    stream: StreamId,
    /// The time of the next request; never after a final refusal.
    ask: Repeat,
}

/// The least number of tries of a request before the session counts as lost.
const REPEATED_MIN: u8 = 3;

/// The tokens of stream frames, which no one waits for, among those of 28 bits that roles have.
const STREAM_TOKENS: u32 = 1 << 27;

impl<'a> Wants<'a> {
    pub(super) fn new(mut wanted: Storage<'a, Option<Want>>) -> Self {
        wanted.clear();
        Wants {
            wanted,
            unanswered: 0,
            frame: None,
            tokens: 0,
        }
    }

    pub(super) fn add(&mut self, stream: StreamId, now: Instant) -> bool {
        if self.of_mut(stream).is_some() {
            return true;
        }
        let ask = Repeat::from(now);
        let place = self.wanted.iter_mut().find(|place| place.is_none());
        place
            .map(|place| *place = Some(Want { stream, ask }))
            .is_some()
    }

    fn of_mut(&mut self, stream: StreamId) -> Option<&mut Want> {
        let mut wanted = self.wanted.iter_mut().flatten();
        wanted.find(|want| want.stream == stream)
    }

    /// A session has begun: everything is asked for, but for what is held.
    pub(super) fn begin(&mut self, now: Instant) {
        self.unanswered = 0;
        for want in self.wanted.iter_mut().flatten() {
            want.ask = Repeat::from(now);
        }
    }

    /// The key of a stream is gone.
    pub(super) fn ask_again(&mut self, stream: StreamId, now: Instant) {
        if let Some(want) = self.of_mut(stream) {
            want.ask = Repeat::from(now);
        }
    }

    fn next(&self) -> Option<Instant> {
        self.wanted
            .iter()
            .flatten()
            .filter_map(|want| want.ask.at)
            .min()
    }
}

impl<S: LasanSuite, D: PartyDirectory> LasanEcu<'_, S, D> {
    pub(super) fn next_request(&self) -> Option<Instant> {
        let Stage::Authenticated { shared: true, .. } = &self.stage else {
            return None;
        };
        self.wants.next()
    }

    /// Protects and opens frames of streams, and asks for their keys.
    pub(super) fn step_streams(&mut self) -> Option<Later<S>> {
        let meter = &mut self.station.worker.meter;
        if self.wants.frame.is_none()
            && let Some((port, frame)) = self.streams.protect(meter)
        {
            return Some(Later::Transmit(port, frame));
        }
        if self.received.is_none()
            && let Some(received) = self.streams.open(meter)
        {
            return Some(Later::Received(received));
        }
        if self.next_request().is_some_and(|at| at <= self.now) {
            return self.ask();
        }
        None
    }

    /// Asks for the key that is due.
    fn ask(&mut self) -> Option<Later<S>> {
        let due = |want: &&mut Want| want.ask.is_due(self.now);
        let mut wanted = self.wants.wanted.iter_mut().flatten();
        // Who wants many streams asks for all of them before any answer can be there.
        let repeated = wanted.find(due)?.ask.tries >= REPEATED_MIN;
        if self.wants.unanswered >= TRIES_MAX && repeated {
            if !self.directory.settings().profile.is_as_published() {
                self.lose_session();
                return None;
            }
            self.wants.unanswered = 0;
        }
        let settings = self.directory.settings();
        let timing = settings.timing;
        let due = |want: &&mut Want| want.ask.is_due(self.now);
        let want = self.wants.wanted.iter_mut().flatten().find(due)?;
        want.ask.tried(self.now, timing.answer, timing.patience);
        self.wants.unanswered += 1;
        let stream = want.stream;
        let module = settings.security_module;
        let header = self.station.header(settings, LasanKind::Request, module);
        let request = Request {
            name: self.directory.find(self.station.me)?.name,
            stream,
            time: settings.time(self.now),
        };
        let (bytes, length) = request.write(settings.profile);
        let Stage::Authenticated { session, .. } = &mut self.stage else {
            return None;
        };
        let sealed = self.station.seal(session, &header, &bytes[..length])?;
        Some(Later::Send(header, sealed))
    }

    /// Opens a short message of the session.
    pub(super) fn open_short(&mut self, kind: LasanKind) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let mut header = self.station.header(settings, kind, self.station.me);
        header.source = settings.security_module;
        let Stage::Authenticated { session, .. } = &mut self.stage else {
            return None;
        };
        let mut bytes = Opened::new([0; SEALED_MAX]);
        let received = self.short.bytes();
        let message = bytes.get_mut(..received.len())?;
        message.copy_from_slice(received);
        let opened = session.open(&mut self.station.worker.meter, &header, message);
        let (opened, mut plain) = (opened.ok()?, Opened::new([0; SEALED_MAX]));
        plain.get_mut(..opened.len())?.copy_from_slice(opened);
        Some(Later::Opened(kind, plain, opened.len()))
    }

    /// A message of the session is genuine.
    pub(super) fn settle_opened(&mut self, kind: LasanKind, plain: &[u8]) {
        // Its session may have ended while it was opened, and what it says ended with that.
        if !matches!(self.stage, Stage::Authenticated { .. }) {
            return;
        }
        self.wants.unanswered = 0;
        let profile = self.directory.settings().profile;
        match kind {
            LasanKind::Grant => {
                if let Some(grant) = Grant::read(profile, plain) {
                    self.take_grant(grant);
                }
            }
            LasanKind::Deny => {
                if let Some(denial) = Denial::read(profile, plain) {
                    self.take_denial(denial);
                }
            }
            _ => {
                let end = plain
                    .last_chunk()
                    .map_or(0, |bytes| u32::from_be_bytes(*bytes));
                self.settle_session(end);
            }
        }
    }

    fn take_grant(&mut self, grant: Grant) {
        let settings = self.directory.settings();
        let answer = settings.timing.answer;
        let end = Duration::from_millis(u64::from(grant.end));
        let session = match &self.stage {
            Stage::Authenticated { session, .. } => session.at(end),
            _ => None,
        };
        // As published no message has it: all ECUs assume the same.
        let expires = session.unwrap_or(self.now + settings.timing.stream_key);
        let expires = self.session_end().map_or(expires, |end| expires.min(end));
        let Grant {
            stream,
            generation,
            sender,
            key,
            ..
        } = grant;
        let sender = match settings.profile.is_as_published() {
            true => self
                .sender_named(grant.sender_name)
                .unwrap_or(Address::NONE),
            false => sender,
        };
        if expires <= self.now {
            return self.take_late(expires, stream, generation);
        }
        let granted = Granted {
            stream,
            sender,
            generation,
            expires,
            overlap: settings.timing.patience,
            key,
        };
        if !self.streams.hold(self.now, granted) {
            return;
        }
        self.events.push(EcuEvent::Granted {
            stream,
            sender,
            generation,
        });
        if let Some(want) = self.wants.of_mut(stream) {
            want.ask = Repeat::from(self.now + until_renewed(expires.since(self.now), answer));
        }
        self.acknowledge(stream, generation);
    }

    /// A grant has come when its time was over already. That can be so by as much as the
    /// registration took. More, and it was held back, or this ECU's clock has run away from the
    /// security module's: to find out it begins again.
    fn take_late(&mut self, expires: Instant, stream: StreamId, generation: u32) {
        let known = self.streams.key(stream).map(|(known, _, _)| known);
        let is_new = known.is_none_or(|known| known < generation);
        if is_new && expires + self.directory.settings().timing.authentication <= self.now {
            self.lose_session();
        }
    }

    fn sender_named(&self, name: super::super::name::Name) -> Option<Address> {
        let mut parties =
            (0..super::super::settings::PARTIES_MAX).map_while(|at| self.directory.party(at));
        parties
            .find(|party| party.name == name)
            .map(|party| party.address)
    }

    fn take_denial(&mut self, denial: Denial) {
        let Denial {
            stream,
            reason,
            retry,
        } = denial;
        let timing = self.directory.settings().timing;
        // Who may not send a stream may receive it.
        let own = self.streams.sender(stream) == Some(self.station.me);
        let lost = (reason == DenialReason::Revoked || own) && self.streams.forget(stream);
        // After a reset the security module tells each ECU that may have had a key.
        if lost || self.wants.of_mut(stream).is_some() {
            self.events.push(EcuEvent::Denied { stream, reason });
        }
        if let Some(want) = self.wants.of_mut(stream) {
            want.ask = match (reason, retry) {
                (DenialReason::NotAllowed, _) | (_, RetryHint::Never) => Repeat::NEVER,
                (_, RetryHint::In(millis)) => Repeat::from(self.now + until_asked(millis)),
                (_, RetryHint::Unsaid) => Repeat::from(self.now + timing.patience),
            };
        }
        self.acknowledge(stream, 0);
    }

    /// Says that a grant or a denial has come.
    fn acknowledge(&mut self, stream: StreamId, generation: u32) {
        let settings = self.directory.settings();
        if settings.profile.is_as_published() {
            return;
        }
        let module = settings.security_module;
        let header = self
            .station
            .header(settings, LasanKind::Acknowledge, module);
        let mut plain = [0; 8];
        plain[..4].copy_from_slice(&stream.0.to_be_bytes());
        plain[4..].copy_from_slice(&generation.to_be_bytes());
        if let Stage::Authenticated { session, .. } = &mut self.stage
            && let Some(sealed) = self.station.seal(session, &header, &plain)
        {
            self.later = Some(Later::Send(header, sealed));
        }
    }

    /// Hands over a protected frame.
    pub(super) fn transmit_stream(&mut self, room: Ports) -> Option<Output> {
        let (port, frame) = self.wants.frame.take_if(|(port, _)| room.contains(*port))?;
        self.wants.tokens = (self.wants.tokens + 1) % STREAM_TOKENS;
        let token = Token(STREAM_TOKENS | self.wants.tokens);
        Some(Output::Transmit { port, token, frame })
    }
}

/// Returns how long to wait for a window that opens in so many milliseconds: a thousandth less,
/// for clocks go at different rates. An early request is denied again, with a short wait.
fn until_asked(millis: u32) -> Duration {
    Duration::from_millis(u64::from(millis - millis / 1_000))
}

/// Returns how long to wait with the request for the next key where this one is good for so long:
/// three quarters of that, or less where the last quarter is too short for the request to be
/// answered and for receivers to be given the key first; not at once where hardly any is left.
fn until_renewed(left: Duration, answer: Duration) -> Duration {
    let [left, answer] = [left, answer].map(Duration::as_nanos);
    let in_time = left.saturating_sub(answer.saturating_mul(2));
    Duration::from_nanos((left / 4 * 3).min(in_time).max(answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_asked_for_in_time() {
        let pause = |left, answer| {
            let [left, answer] = [left, answer].map(Duration::from_millis);
            until_renewed(left, answer).as_nanos() / 1_000_000
        };
        assert_eq!(pause(60_000, 50), 45_000);
        assert_eq!(pause(1_000, 250), 500, "two answers before the end");
        assert_eq!(pause(600, 250), 250, "not at once");
        assert_eq!(pause(0, 250), 250);
    }
}
