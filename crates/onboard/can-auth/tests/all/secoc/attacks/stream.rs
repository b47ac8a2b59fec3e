//! A stream under attack: a sender, a receiver, and the attacker who records and injects frames.

use waywarden_can::Frame;
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::secoc::{ATTEMPTS_MAX, SecocReceiver, SecocSender};
use waywarden_testkit::Random;
use waywarden_work::{Duration, Instant};

use super::SECRET;
use super::Verdict::{self, Availability, Deceived, Refused, SilencedForGood};
use crate::secoc::car::{Codes, Ecu, Kind, MasterEcu, STREAM};

/// A stream under attack: every message is a number, so that each false one shows.
pub(super) struct AttackedStream {
    pub(super) kind: Kind,
    pub(super) codes: Codes,
    pub(super) master: Option<MasterEcu>,
    pub(super) sender: Ecu<SecocSender>,
    pub(super) receiver: Ecu<SecocReceiver>,
    pub(super) now: Instant,
    pub(super) sent: u32,
    pub(super) taken: Vec<u32>,
    pub(super) recorded: Vec<Frame>,
    pub(super) deceived: bool,
    /// Announcements are destroyed on the bus.
    pub(super) is_cut: bool,
    pub(super) codes_max: usize,
}

impl AttackedStream {
    pub(super) fn new(kind: Kind) -> Self {
        let codes = Codes::default();
        let mut attacked = AttackedStream {
            kind,
            master: MasterEcu::new(kind, SECRET, &codes),
            sender: Ecu::new(kind, STREAM, SECRET, &codes, 1),
            receiver: Ecu::new(kind, STREAM, SECRET, &codes, 1),
            now: Instant::ZERO,
            sent: 0,
            taken: Vec::new(),
            recorded: Vec::new(),
            deceived: false,
            is_cut: false,
            codes,
            codes_max: 0,
        };
        attacked.pass(2);
        attacked
    }

    /// Milliseconds pass; what is due is announced and retained.
    pub(super) fn pass(&mut self, milliseconds: u64) {
        for _ in 0..milliseconds {
            self.now += Duration::from_millis(1);
            self.retain();
            let frame = self
                .master
                .as_mut()
                .and_then(|master| master.outgoing(self.now));
            if let Some(frame) = frame.filter(|_| !self.is_cut) {
                self.recorded.push(frame);
                self.inject(&frame);
            }
        }
    }

    pub(super) fn retain(&mut self) {
        if let Some(master) = &mut self.master {
            master.write();
            master.written();
        }
        self.sender.write();
        self.sender.written();
        self.receiver.write();
        self.receiver.written();
    }

    /// A frame reaches all of them.
    pub(super) fn inject(&mut self, frame: &Frame) {
        self.sender.receive(frame);
        self.receiver.receive(frame);
        let (event, codes) = self.receiver.take(frame);
        self.codes_max = self.codes_max.max(codes);
        if let Some(FrameOutcome::Authentic { payload, .. }) = event {
            let number = self.kind.number(&payload);
            let is_new = self.taken.last().is_none_or(|last| number > *last);
            self.deceived |= number >= self.sent || !is_new;
            self.taken.push(number);
        }
        self.retain();
    }

    /// The next message, not yet on its way; none while the sender has no freshness for it.
    pub(super) fn message(&mut self) -> Option<Frame> {
        let frame = self.sender.send(&self.kind.payload(self.sent)).ok();
        self.sent += 1;
        frame
    }

    pub(super) fn send(&mut self, count: usize) {
        for _ in 0..count {
            self.pass(10);
            if let Some(frame) = self.message() {
                self.recorded.push(frame);
                self.inject(&frame);
            }
        }
    }

    /// Everything is quiet again: what became of the stream?
    pub(super) fn verdict(mut self) -> Verdict {
        self.is_cut = false;
        self.pass(200);
        let before = self.taken.len();
        self.send(60);
        assert!(
            self.codes_max <= ATTEMPTS_MAX,
            "{} codes for a frame",
            self.codes_max
        );
        if self.deceived {
            Deceived
        } else if self.taken.len() == before {
            SilencedForGood
        } else if self.taken.len() == self.sent as usize {
            Refused
        } else {
            Availability
        }
    }

    /// Returns a frame that any node on the bus can make: the right form, with random numbers.
    pub(super) fn forged(&self, seed: u64) -> Frame {
        let bytes = Random::new(seed).array::<64>();
        match self.kind {
            Kind::Fd => self
                .kind
                .frame(STREAM, &[&bytes[..14], &[0, 0][..]].concat()),
            Kind::Unfresh | Kind::Implicit => self.kind.frame(STREAM, &bytes[..7]),
            Kind::Counter | Kind::Jaspar | Kind::Production => self.kind.frame(STREAM, &bytes[..8]),
        }
    }

    /// A message of another stream or key, under this stream's identifier.
    pub(super) fn transplanted(&mut self, id: u16, secret: [u8; 16]) {
        let mut other = Ecu::<SecocSender>::new(self.kind, id, secret, &self.codes, 1);
        let mut master = MasterEcu::new(self.kind, secret, &self.codes);
        for _ in 0..20 {
            let announced = master.as_mut().and_then(|master| {
                master.write();
                master.written();
                master.outgoing(self.now)
            });
            if secret != SECRET {
                announced.iter().for_each(|frame| self.inject(frame));
            }
            for frame in announced.iter().chain(&self.recorded) {
                other.receive(frame);
            }
            other.write();
            other.written();
            if let Ok(frame) = other.send(&self.kind.payload(u32::MAX)) {
                self.inject(&self.kind.frame(STREAM, frame.data()));
            }
        }
    }
}
