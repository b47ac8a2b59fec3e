//! The security module as a node: frames that come in, what leaves, and when it wants to be asked
//! again.

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Retained, Slot, Token};
use waywarden_work::Instant;

use super::super::credential;
use super::super::event::ModuleEvent;
use super::super::identifier::LasanKind;
use super::super::inbox::Piece;
use super::super::outbox::Kept;
use super::super::settings::PartyDirectory;
use super::super::station::header_of;
use super::super::suites::LasanSuite;
use super::handshake::Handshake;
use super::{SecurityModule, Start};
use waywarden_key_roles::Address;

/// The places where the bytes of long messages are.
struct Keeps<'a, S: LasanSuite, D> {
    directory: &'a D,
    me: Address,
    startup: Option<&'a [u8]>,
    handshakes: &'a [Handshake<'a, S>],
}

impl<'a, S: LasanSuite, D: PartyDirectory> Keeps<'a, S, D> {
    fn bytes(&self, kept: Kept) -> &'a [u8] {
        let handshake = |at: u8| self.handshakes.get(usize::from(at));
        match kept {
            Kept::Credential => credential::own(self.directory, self.me),
            Kept::Startup => self.startup.unwrap_or(&[]),
            Kept::Handshake(at) => handshake(at).map_or(&[], Handshake::first_outgoing),
            Kept::Offer(at) => handshake(at).map_or(&[], Handshake::second_outgoing),
        }
    }
}

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'_, S, D> {
    fn take_frame(&mut self, frame: &Frame) {
        let settings = self.directory.settings();
        let Some((header, part)) = header_of(settings, frame) else {
            return;
        };
        let Some(length) = self.lengths().of(header.kind) else {
            return;
        };
        let index = self.roster.position(header.source);
        let (Some(index), true) = (index, header.target == self.station.me) else {
            return;
        };
        let published = settings.profile.is_as_published();
        let transport = settings.transport;
        let piece = Piece {
            kind: header.kind,
            part,
            data: frame.data(),
            length,
        };
        match header.kind {
            LasanKind::Hello => self.take_hello(index, frame.data()),
            LasanKind::Certificate | LasanKind::Register | LasanKind::FinalAnswer => {
                if published && header.kind == LasanKind::Certificate {
                    self.open_as_published(index);
                }
                if let Some(at) = self.handshake_of(index) {
                    self.handshakes[at].take(self.now, (transport, !published), &piece);
                }
            }
            LasanKind::EcuConfirmation | LasanKind::Request | LasanKind::Acknowledge => {
                if let Some(registrant) = self.roster.of_mut(index) {
                    registrant.short.take(transport, !published, &piece);
                }
            }
            _ => {}
        }
    }

    fn take_sent(&mut self, frame: (Port, Token, bool)) {
        let settings = self.directory.settings();
        let kept = Keeps {
            directory: &self.directory,
            me: self.station.me,
            startup: self.startup.get(..self.startup_length),
            handshakes: &self.handshakes,
        };
        let length = |at| kept.bytes(at).len();
        self.station.answered(self.now, frame, settings, length);
    }

    /// Returns what has to survive a reset: the epoch before it is used, and who is enrolled.
    fn take_retained(&mut self) -> Option<(Slot, Retained)> {
        if self.start == Start::Wanted {
            self.epoch = self.epoch.saturating_add(1);
            self.start = Start::Retaining;
            let mut value = [0; 32];
            value[..8].copy_from_slice(&self.epoch.to_be_bytes());
            return Some((self.slot, value));
        }
        self.roster.take_change(self.slot)
    }

    fn next_wish(&mut self) -> Option<Instant> {
        // What is due waits for the processor or for the way out, and either will say so.
        let outbox = &self.station.outbox;
        let crowded = outbox.holds(Kept::Startup) || outbox.room() < 2;
        let blocked = crowded || !self.station.worker.is_at_rest();
        let timing = self.directory.settings().timing;
        let handshakes = self.handshakes.iter().filter(|one| one.ecu.is_some());
        let begun = handshakes.map(|one| one.since.max(self.held_up));
        let handshakes = begun.map(|begun| begun + timing.authentication);
        let deadlines = [
            handshakes.min(),
            self.next_turn(),
            self.next_delivery(),
            self.next_change(),
            self.next_session_end(),
            self.beacon_at.filter(|_| self.start == Start::Running),
            self.next_startup(),
            self.station.outbox.next_deadline(self.now),
        ];
        let deadlines = deadlines.into_iter().flatten();
        deadlines.filter(|&at| !blocked || at > self.now).min()
    }
}

impl<S: LasanSuite, D: PartyDirectory> Node for SecurityModule<'_, S, D> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        match input {
            Input::Frame { frame, .. } => self.take_frame(frame),
            Input::Sent { port, token } => self.take_sent((port, token, true)),
            Input::Withdrawn { port, token } => self.take_sent((port, token, false)),
            Input::Done(ticket) => self.station.worker.done(ticket),
            Input::Retained(slot) if slot == self.slot && self.start == Start::Retaining => {
                self.start = Start::Retained;
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.now = now;
        if let Some((port, lags)) = self.station.time_out(now, self.directory.settings()) {
            if lags {
                self.held_up = now;
            }
            self.events.push(match lags {
                true => ModuleEvent::PortLags(port),
                false => ModuleEvent::PortFollows(port),
            });
        }
        self.time_out();
        while self.station.worker.is_at_rest() && self.step() {}
        self.invite();
        self.broadcast();
        if let Some((slot, value)) = self.take_retained() {
            return Output::Retain { slot, value };
        }
        let settings = self.directory.settings();
        let kept = Keeps {
            directory: &self.directory,
            me: self.station.me,
            startup: self.startup.get(..self.startup_length),
            handshakes: &self.handshakes,
        };
        let output = self.station.poll(now, settings, room, |at| kept.bytes(at));
        match output {
            Some(output) => output,
            None => Output::Idle(self.next_wish()),
        }
    }
}
