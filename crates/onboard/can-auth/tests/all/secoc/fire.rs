//! A car under fire, by seed: loss, doubles, changed bits, resets of each of the three ECUs,
//! frames held back, replayed and made up. No message is taken that was not sent, none twice, none
//! behind a later one; and once it is quiet the stream is authentic again within a stated bound.
//! Messages are under way for a time of the seed's, in peace too, so that announcements overtake
//! them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use waywarden_can::Frame;
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::secoc::{PRODUCTION_ID, RESERVE, SecocReceiver, SecocSender};
use waywarden_testkit::Random;
use waywarden_work::{Duration, Instant};

use super::car::{CYCLE, Codes, Ecu, Kind, MasterEcu, STREAM, standard};
use crate::bench::random::{FaultPlan, each_seed};

const SECRET: [u8; 16] = [0xC3; 16];
/// Milliseconds between two messages.
const PERIOD: u64 = 10;
/// Milliseconds it takes to retain something.
const WRITE: u64 = 2;
/// Milliseconds that a message is under way at most: two others are behind it then.
const UNDER_WAY: u64 = 25;

/// A master that just started announces at once, but an ECU that just started waits for what is
/// ahead of what it retained; and each waits for what it writes. A counter is behind by its
/// reserve.
fn bound(kind: Kind, ahead: u32) -> Duration {
    match kind.is_synchronised() {
        true => CYCLE.times(u64::from(ahead) + 2) + Duration::from_millis(2 * WRITE + PERIOD),
        false => Duration::from_millis(PERIOD * (RESERVE + 2) + 2 * WRITE),
    }
}

struct Run {
    kind: Kind,
    ahead: u32,
    random: Random,
    faults: FaultPlan,
    codes: Codes,
    master: Option<MasterEcu>,
    sender: Ecu<SecocSender>,
    receiver: Ecu<SecocReceiver>,
    now: Instant,
    sent: u32,
    last: Option<u32>,
    recorded: Vec<Frame>,
    held: VecDeque<Frame>,
    /// Messages under way, with the time when they arrive.
    line: VecDeque<(Instant, Frame)>,
    under_way: Duration,
    is_quiet: bool,
    /// Messages that the sender refused to protect.
    withheld: u64,
    arrived: u64,
    taken: u64,
    disturbed: u64,
}

impl Run {
    fn new(kind: Kind, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let ahead = random.below(4) as u32;
        let under_way = Duration::from_millis(random.below(UNDER_WAY + 1));
        let codes = Codes::default();
        Run {
            kind,
            ahead,
            faults: FaultPlan::of(&mut random),
            random,
            master: MasterEcu::new(kind, SECRET, &codes),
            sender: Ecu::new(kind, STREAM, SECRET, &codes, ahead),
            receiver: Ecu::new(kind, STREAM, SECRET, &codes, ahead),
            codes,
            now: Instant::ZERO,
            sent: 0,
            last: None,
            recorded: Vec::new(),
            held: VecDeque::new(),
            line: VecDeque::new(),
            under_way,
            is_quiet: false,
            withheld: 0,
            arrived: 0,
            taken: 0,
            disturbed: 0,
        }
    }

    /// Carries one frame over the bus: each ECU receives or misses it by itself.
    fn carry(&mut self, frame: &Frame) {
        if self.recorded.len() < 400 {
            self.recorded.push(*frame);
        }
        let (random, faults) = (&mut self.random, &self.faults);
        if self.is_quiet {
            self.sender.receive(frame);
            return self.deliver(frame);
        }
        if !random.once_in(faults.loss) {
            self.sender.receive(frame);
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
        if random.once_in(faults.flip) {
            self.disturbed += 1;
            let mut data = frame.data().to_vec();
            let bit = random.below(8 * data.len() as u64) as usize;
            data[bit / 8] ^= 1 << (bit % 8);
            frame = match frame.is_fd() {
                true => Frame::fd(frame.id(), &data).unwrap(),
                false => Frame::classic(frame.id(), &data).unwrap(),
            };
        }
        let twice = random.once_in(faults.double);
        self.deliver(&frame);
        if twice {
            self.disturbed += 1;
            self.deliver(&frame);
        }
    }

    fn deliver(&mut self, frame: &Frame) {
        self.receiver.receive(frame);
        if let (Some(FrameOutcome::Authentic { payload, .. }), _) = self.receiver.take(frame) {
            let number = self.kind.number(&payload);
            assert!(number < self.sent, "{number} was never sent");
            let is_new = self.last.is_none_or(|last| number > last);
            assert!(is_new, "{number} came again after {:?}", self.last);
            self.last = Some(number);
            self.taken += 1;
        }
    }

    fn forged(&mut self) -> Frame {
        let bytes = self.random.array::<64>();
        let length = 1 + self.random.below(8) as usize;
        match self.random.below(4) {
            0 => Frame::classic(standard(PRODUCTION_ID), &bytes[..8]).unwrap(),
            1 => Frame::classic(standard(STREAM), &bytes[..length]).unwrap(),
            2 => Frame::fd(standard(STREAM), &bytes[..16]).unwrap(),
            _ => Frame::classic(standard(STREAM), &bytes[..8]).unwrap(),
        }
    }

    fn disturbance(&mut self) {
        if self.random.once_in(self.faults.replay) && !self.recorded.is_empty() {
            let index = self.random.below(self.recorded.len() as u64) as usize;
            let frame = self.recorded[index];
            self.disturbed += 1;
            self.sender.receive(&frame);
            self.deliver(&frame);
        }
        if self.random.once_in(self.faults.forge) {
            let frame = self.forged();
            self.disturbed += 1;
            self.sender.receive(&frame);
            self.deliver(&frame);
        }
        if self.random.once_in(4)
            && let Some(frame) = self.held.pop_front()
        {
            self.sender.receive(&frame);
            self.deliver(&frame);
        }
        if self.random.once_in(self.faults.reset) {
            self.disturbed += 1;
            match self.random.below(3) {
                0 => self.sender.reset(self.kind, STREAM, self.ahead),
                1 => self.receiver.reset(self.kind, STREAM, self.ahead),
                _ => self.master.iter_mut().for_each(MasterEcu::reset),
            }
        }
    }

    /// One millisecond; a message every [`PERIOD`] of them.
    fn step(&mut self) {
        self.now += Duration::from_millis(1);
        let now = self.now.as_nanos() / 1_000_000;
        if now.is_multiple_of(WRITE) {
            self.sender.written();
            self.receiver.written();
            self.master.iter_mut().for_each(MasterEcu::written);
            // What is written from here on may be cut off by a reset before it is heard of.
            self.sender.write();
            self.receiver.write();
            self.master.iter_mut().for_each(MasterEcu::write);
        }
        let announced = self
            .master
            .as_mut()
            .and_then(|master| master.outgoing(self.now));
        if let Some(frame) = announced {
            self.carry(&frame);
        }
        if !self.is_quiet {
            self.disturbance();
        }
        if now.is_multiple_of(PERIOD) {
            let frame = self.sender.send(&self.kind.payload(self.sent));
            self.sent += 1;
            match frame {
                Ok(frame) => self.line.push_back((self.now + self.under_way, frame)),
                Err(_) => self.withheld += 1,
            }
        }
        while let Some(&(at, frame)) = self.line.front()
            && at <= self.now
        {
            self.line.pop_front();
            self.arrived += 1;
            self.carry(&frame);
        }
    }
}

/// Runs one seed; returns how much was taken and how much disturbed.
fn run(kind: Kind, seed: u64, guessed: &AtomicU64) -> (u64, u64) {
    let mut run = Run::new(kind, seed);
    for _ in 0..1_000 {
        run.step();
    }
    run.is_quiet = true;
    let quiet = run.now;
    let bound = bound(kind, run.ahead) + run.under_way;
    while run.now.since(quiet) < bound {
        run.step();
    }
    let (taken, arrived, withheld) = (run.taken, run.arrived, run.withheld);
    for _ in 0..20 * PERIOD {
        run.step();
    }
    assert_eq!(run.withheld, withheld, "not all leave after {bound:?}");
    let missing = (run.arrived - arrived) - (run.taken - taken);
    assert_eq!(missing, 0, "not all are authentic after {bound:?}");
    guessed.fetch_add(run.codes.guessed(), Ordering::Relaxed);
    (run.taken, run.disturbed)
}

/// A code is guessed once in 2^24 or 2^28 tries: seldom in 300 runs, a few times in 10,000.
fn survives(kind: Kind) {
    let guessed = AtomicU64::new(0);
    let (taken, disturbed) = each_seed(300, |seed| run(kind, seed, &guessed));
    let guessed = guessed.into_inner();
    println!("{kind:?}: {taken} messages taken, {disturbed} disturbances, {guessed} codes guessed");
    assert!(taken > 0 && disturbed > 0 && guessed < 10);
}

#[test]
fn a_counter_survives() {
    survives(Kind::Counter);
}

#[test]
fn freshness_that_does_not_travel_survives() {
    survives(Kind::Implicit);
}

#[test]
fn jaspar_survives() {
    survives(Kind::Jaspar);
}

#[test]
fn the_production_format_survives() {
    survives(Kind::Production);
}

#[test]
fn fd_frames_survive() {
    survives(Kind::Fd);
}
