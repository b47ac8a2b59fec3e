//! A stream under attack: a sender, a receiver, and the attacker who records and injects frames.

use waywarden_can::{Frame, Id};
use waywarden_work::{Duration, Instant};

use super::SECRET;
use super::Verdict::{self, Availability, Deceived, Refused, SilencedForGood};
use crate::bench::{Protocol, Receiver, STREAM, Sender, authentic, id, leia_id};

/// A stream under attack: every message is a number, so that each false one shows.
pub(super) struct AttackedStream {
    pub(super) protocol: Protocol,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) now: Instant,
    pub(super) sent: u64,
    pub(super) taken: Vec<u64>,
    pub(super) recorded: Vec<Frame>,
    pub(super) deceived: bool,
}

impl AttackedStream {
    pub(super) fn new(protocol: Protocol) -> Self {
        let mut attacked = AttackedStream {
            protocol,
            sender: Sender::new(protocol, SECRET, 0),
            receiver: Receiver::new(protocol, SECRET, 1),
            now: Instant::ZERO,
            sent: 0,
            taken: Vec::new(),
            recorded: Vec::new(),
            deceived: false,
        };
        attacked.pass(Duration::ZERO);
        attacked
    }

    /// Time passes; what is due is asked and answered.
    pub(super) fn pass(&mut self, time: Duration) {
        self.now += time;
        let (_, said) = self.receiver.wake(self.now);
        self.carry_to_sender(said);
        let answers = self.sender.outgoing(self.now);
        self.carry_to_receiver(&answers);
    }

    pub(super) fn carry_to_sender(&mut self, frames: Vec<Frame>) {
        for frame in frames {
            self.recorded.push(frame);
            let answers = self.sender.receive(self.now, &frame);
            self.carry_to_receiver(&answers);
        }
    }

    pub(super) fn carry_to_receiver(&mut self, frames: &[Frame]) {
        for frame in frames {
            self.recorded.push(*frame);
            self.inject(frame);
        }
    }

    /// A frame reaches the receiver; the sender hears it too.
    pub(super) fn inject(&mut self, frame: &Frame) {
        let (event, said) = self.receiver.take(self.now, frame);
        if let Some(payload) = authentic(event) {
            let number = payload.as_bytes().try_into().map(u64::from_le_bytes);
            let number = number.unwrap_or(u64::MAX);
            let is_new = self.taken.last().is_none_or(|last| number > *last);
            self.deceived |= number >= self.sent || !is_new;
            self.taken.push(number);
        }
        self.carry_to_sender(said);
    }

    /// The next message, not yet on its way.
    pub(super) fn message(&mut self) -> [Frame; 2] {
        let frames = self.sender.send(&self.sent.to_le_bytes());
        self.sent += 1;
        frames
    }

    pub(super) fn send(&mut self, count: usize) {
        for _ in 0..count {
            self.pass(Duration::from_millis(10));
            let frames = self.message();
            self.carry_to_receiver(&frames);
        }
    }

    /// Everything is quiet again: what became of the stream?
    pub(super) fn verdict(mut self) -> Verdict {
        self.pass(Duration::from_millis(500));
        let before = self.taken.len();
        self.send(20);
        if self.deceived {
            Deceived
        } else if self.taken.len() == before {
            SilencedForGood
        } else if self.taken.len() as u64 == self.sent {
            Refused
        } else {
            Availability
        }
    }

    pub(super) fn data_id(&self, counter: u16) -> Id {
        match self.protocol {
            Protocol::VaticanPublished | Protocol::Vatican => id(STREAM).into(),
            Protocol::LeiaPublished | Protocol::Leia => leia_id(STREAM, 0, counter),
        }
    }

    pub(super) fn tag_id(&self, counter: u16) -> Id {
        match self.protocol {
            Protocol::VaticanPublished | Protocol::Vatican => id(STREAM + 1).into(),
            Protocol::LeiaPublished | Protocol::Leia => leia_id(STREAM + 1, 1, counter),
        }
    }

    pub(super) fn forged_data(&self, counter: u16) -> Frame {
        Frame::classic(self.data_id(counter), &[0xEE; 8]).unwrap()
    }

    pub(super) fn forged_tag(&self, counter: u16) -> Frame {
        Frame::classic(self.tag_id(counter), &[counter as u8; 8]).unwrap()
    }
}
