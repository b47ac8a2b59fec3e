//! The hardened protocols under fire, by seed: loss, doubles, changed bits, resets of either side,
//! frames held back, replayed and made up. No message is taken that was not sent, none twice, none
//! behind a later one; and once it is quiet the stream is authentic again within a stated bound.

use std::collections::VecDeque;

use crate::bench::random::{FaultPlan, each_seed};
use crate::bench::{ASKS, Protocol, Receiver, STREAM, Sender, authentic, leia_id};
use waywarden_can::{Format, Frame, Id};
use waywarden_can_auth::paired::{ASK_LAST, FAILURES};
use waywarden_testkit::Random;
use waywarden_work::{Duration, Instant};

const SECRET: [u8; 16] = [0xC3; 16];
const PERIOD: u64 = 10;
/// A receiver may have just asked without an answer; it may need a few messages to notice; the
/// question and its answer take a step each, behind the answers to what an attacker asked.
fn bound() -> Duration {
    ASK_LAST + Duration::from_millis(PERIOD * (u64::from(FAILURES) + 1) + 40)
}

struct Run {
    protocol: Protocol,
    random: Random,
    faults: FaultPlan,
    sender: Sender,
    receiver: Receiver,
    boots: u32,
    now: Instant,
    sent: u64,
    last: Option<u64>,
    recorded: Vec<Frame>,
    held: VecDeque<Frame>,
    is_quiet: bool,
    taken: u64,
    disturbed: u64,
}

impl Run {
    fn new(protocol: Protocol, seed: u64) -> Self {
        let mut random = Random::new(seed);
        Run {
            protocol,
            faults: FaultPlan::of(&mut random),
            random,
            sender: Sender::new(protocol, SECRET, 0),
            receiver: Receiver::new(protocol, SECRET, 0),
            boots: 0,
            now: Instant::ZERO,
            sent: 0,
            last: None,
            recorded: Vec::new(),
            held: VecDeque::new(),
            is_quiet: false,
            taken: 0,
            disturbed: 0,
        }
    }

    /// Carries one frame over the bus, with its disturbances.
    fn carry(&mut self, frame: &Frame, to_receiver: bool) {
        if self.recorded.len() < 400 {
            self.recorded.push(*frame);
        }
        let (random, faults) = (&mut self.random, &self.faults);
        if self.is_quiet {
            return self.deliver(frame, to_receiver);
        }
        if random.once_in(faults.loss) {
            self.disturbed += 1;
            return;
        }
        if random.once_in(faults.hold) {
            self.disturbed += 1;
            self.held.push_back(*frame);
            return;
        }
        let mut frame = *frame;
        if random.once_in(faults.flip) && !frame.data().is_empty() {
            self.disturbed += 1;
            let mut data = frame.data().to_vec();
            let bit = random.below(8 * data.len() as u64) as usize;
            data[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(frame.format(), Format::Classic);
            frame = Frame::classic(frame.id(), &data).unwrap();
        }
        let twice = random.once_in(faults.double);
        self.deliver(&frame, to_receiver);
        if twice {
            self.disturbed += 1;
            self.deliver(&frame, to_receiver);
        }
    }

    fn deliver(&mut self, frame: &Frame, to_receiver: bool) {
        if !to_receiver {
            for answer in self.sender.receive(self.now, frame) {
                self.carry(&answer, true);
            }
            return;
        }
        let (event, said) = self.receiver.take(self.now, frame);
        if let Some(payload) = authentic(event) {
            let number = u64::from_le_bytes(payload.as_bytes().try_into().expect("8 bytes"));
            assert!(number < self.sent, "{number} was never sent");
            let is_new = self.last.is_none_or(|last| number > last);
            assert!(is_new, "{number} came again after {:?}", self.last);
            self.last = Some(number);
            self.taken += 1;
        }
        for question in said {
            self.carry(&question, false);
        }
    }

    fn forged(&mut self) -> Frame {
        let counter = self.random.u64() as u16;
        let leia = self.protocol == Protocol::Leia;
        let id: Id = match self.random.below(5) {
            0 if leia => leia_id(STREAM, 0, counter),
            1 if leia => leia_id(STREAM + 1, 1, counter),
            0 => Id::standard(STREAM).unwrap(),
            1 => Id::standard(STREAM + 1).unwrap(),
            2 => leia_id(STREAM, 2, counter),
            3 => leia_id(STREAM + 1, 3, counter),
            _ => leia_id(ASKS + 1, 2, counter),
        };
        let mut data = self.random.u64().to_le_bytes();
        if self.random.once_in(2) {
            data[..2].copy_from_slice(&STREAM.to_le_bytes());
        }
        let length = if self.random.once_in(4) {
            self.random.below(9)
        } else {
            8
        };
        Frame::classic(id, &data[..length as usize]).unwrap()
    }

    fn disturbance(&mut self) {
        if self.random.once_in(self.faults.replay) && !self.recorded.is_empty() {
            let index = self.random.below(self.recorded.len() as u64) as usize;
            let frame = self.recorded[index];
            self.disturbed += 1;
            let to_receiver = self.random.once_in(2);
            self.deliver(&frame, to_receiver);
        }
        if self.random.once_in(self.faults.forge) {
            let frame = self.forged();
            self.disturbed += 1;
            self.deliver(&frame, true);
            self.deliver(&frame, false);
        }
        if self.random.once_in(4)
            && let Some(frame) = self.held.pop_front()
        {
            self.deliver(&frame, true);
        }
        if self.random.once_in(self.faults.reset) {
            self.disturbed += 1;
            self.boots += 1;
            if self.random.once_in(2) {
                self.sender = Sender::new(self.protocol, SECRET, self.boots);
            } else {
                self.receiver = Receiver::new(self.protocol, SECRET, self.boots as u8);
            }
        }
    }

    /// One millisecond; a message every [`PERIOD`] of them.
    fn step(&mut self) {
        self.now += Duration::from_millis(1);
        let (_, said) = self.receiver.wake(self.now);
        for question in said {
            self.carry(&question, false);
        }
        for answer in self.sender.outgoing(self.now) {
            self.carry(&answer, true);
        }
        if !self.is_quiet {
            self.disturbance();
        }
        if (self.now.as_nanos() / 1_000_000).is_multiple_of(PERIOD) {
            let frames = self.sender.send(&self.sent.to_le_bytes());
            self.sent += 1;
            for frame in &frames {
                self.carry(frame, true);
            }
        }
    }
}

/// Runs one seed; returns how much was taken and how much disturbed.
fn run(protocol: Protocol, seed: u64) -> (u64, u64) {
    let mut run = Run::new(protocol, seed);
    for _ in 0..1_000 {
        run.step();
    }
    run.is_quiet = true;
    let quiet = run.now;
    while run.now.since(quiet) < bound() {
        run.step();
    }
    let (taken, sent) = (run.taken, run.sent);
    for _ in 0..20 * PERIOD {
        run.step();
    }
    assert_eq!(
        run.taken - taken,
        run.sent - sent,
        "not all are authentic after {:?}",
        bound()
    );
    (run.taken, run.disturbed)
}

fn survives(protocol: Protocol) {
    let (taken, disturbed) = each_seed(300, |seed| run(protocol, seed));
    println!("{protocol:?}: {taken} messages taken, {disturbed} disturbances");
    assert!(taken > 0 && disturbed > 0);
}

#[test]
fn vatican_survives() {
    survives(Protocol::Vatican);
}

#[test]
fn leia_survives() {
    survives(Protocol::Leia);
}
