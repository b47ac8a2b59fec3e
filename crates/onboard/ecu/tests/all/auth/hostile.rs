//! Any inputs into an authenticator that has ends of every protocol: it neither panics nor goes on
//! without end, and takes nothing that was not sent.

use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Retained, Slot, Ticket};
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::paired::WireForm;
use waywarden_ecu::{Authenticator, Guard};
use waywarden_testkit::Random;
use waywarden_work::{Duration, Instant};

use crate::auth::lab::{Auth, SLOT, end, id, ring};
use crate::auth::published::{self, Protocol};
use crate::auth::secoc;

/// The stream of each protocol. LeiA as published has keys of its own for one stream.
const STREAMS: [(u16, Protocol); 4] = [
    (0x0F0, Protocol::VaticanPublished),
    (0x0F2, Protocol::LeiaPublished),
    (0x0F4, Protocol::Hardened(WireForm::Vatican)),
    (0x0F6, Protocol::Hardened(WireForm::Leia)),
];

/// An ECU that sends everything, or receives it.
fn node(sends: bool, retained: &[(Slot, Retained)], seed: u64) -> Auth {
    let boot = Boot {
        now: Instant::ZERO,
        seed: [seed as u8; 32],
        retained,
    };
    let mut keys = ring();
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    for (stream, protocol) in STREAMS {
        if sends {
            senders.push(end(published::sending(protocol, stream, &mut keys)));
        } else {
            let end_of = published::receiving(protocol, stream, &boot.seed, &mut keys);
            receivers.push(end(end_of));
        }
    }
    let secured = [secoc::SPEED, secoc::LIGHTS];
    let part = if sends {
        senders.extend(secoc::sending(&secured));
        secoc::master(Ports::NONE.with(Port(0)))
    } else {
        receivers.extend(secoc::receiving(&secured));
        secoc::follower()
    };
    Authenticator::new(SLOT, &boot, part, keys, senders, receivers).unwrap()
}

/// Two ECUs and the frames between them.
struct World {
    nodes: [Auth; 2],
    slots: [Vec<(Slot, Retained)>; 2],
    work: [Option<Ticket>; 2],
    air: Vec<Frame>,
    /// Number of these that both have received, in order.
    heard: usize,
    now: Instant,
}

impl World {
    /// Polls a node to rest.
    fn rest(&mut self, at: usize, room: bool) {
        let room = if room { Ports::ALL } else { Ports::NONE };
        for _ in 0..1_000 {
            match self.nodes[at].poll(self.now, room) {
                Output::Transmit { frame, .. } => self.air.push(frame),
                Output::Work { ticket, .. } => self.work[at] = Some(ticket),
                Output::Retain { slot, value } => {
                    self.slots[at].retain(|(other, _)| *other != slot);
                    self.slots[at].push((slot, value));
                    self.nodes[at].handle(self.now, Input::Retained(slot));
                }
                Output::Idle(next_deadline) => {
                    assert!(next_deadline.is_none_or(|next_deadline| next_deadline > self.now));
                    return;
                }
                _ => {}
            }
        }
        panic!("it does not come to rest");
    }

    fn input(&mut self, at: usize, input: Input<'_>, random: &mut Random) {
        self.nodes[at].handle(self.now, input);
        self.rest(at, random.below(8) > 0);
    }

    /// One frame from the air, as it was or changed; or one that no sender made.
    fn frame(&mut self, random: &mut Random) -> Frame {
        let old = match self.air.len() as u64 {
            0 => None,
            // Mostly a recent one.
            count => Some(self.air[(count - 1 - random.below(count.min(12))) as usize]),
        };
        match (random.below(8), old) {
            (0, _) | (_, None) => {
                let bytes = random.u64().to_le_bytes();
                let base = 0x0A8 + random.below(0x50) as u16;
                let id = match random.below(2) {
                    0 => Id::Standard(id(base)),
                    _ => {
                        Id::extended(u32::from(base) << 18 | random.below(1 << 18) as u32).unwrap()
                    }
                };
                Frame::classic(id, &bytes[..random.below(9) as usize]).unwrap()
            }
            (1, Some(old)) => {
                let mut data = old.data().to_vec();
                if !data.is_empty() {
                    let bit = random.below(8 * data.len() as u64) as usize;
                    data[bit / 8] ^= 1 << (bit % 8);
                }
                Frame::classic(old.id(), &data).unwrap()
            }
            (_, Some(old)) => old,
        }
    }

    fn step(&mut self, random: &mut Random, count: u64) {
        let at = random.below(2) as usize;
        match random.below(300) {
            0 => {
                let other = node(at == 0, &self.slots[at], count);
                self.nodes[at] = other;
                self.work[at] = None;
                self.rest(at, true);
            }
            1..10 => self.input(at, Input::Timeout, random),
            10..15 => self.input(at, Input::Retained(Slot(random.below(8) as u8)), random),
            15..20 => self.input(at, Input::Done(Ticket(random.below(50) as u32)), random),
            20..50 => {
                let frame = self.frame(random);
                let (port, frame) = (Port(0), &frame);
                self.input(at, Input::Frame { port, frame }, random);
            }
            50..80 => {
                let (stream, _) = STREAMS[random.below(4) as usize];
                let secured = [secoc::SPEED, secoc::LIGHTS];
                let stream = secured.get(random.below(6) as usize).unwrap_or(&stream);
                let frame = Frame::classic(id(*stream), &(count as u32).to_le_bytes()).unwrap();
                let _ = self.nodes[0].send(Port(0), &frame);
                self.rest(0, true);
            }
            80..200 => {
                if let Some(ticket) = self.work[at].take() {
                    self.input(at, Input::Done(ticket), random);
                }
            }
            _ => {
                if let Some(frame) = self.air.get(self.heard).copied() {
                    self.heard += 1;
                    let (port, frame) = (Port(0), &frame);
                    for at in 0..2 {
                        self.input(at, Input::Frame { port, frame }, random);
                    }
                }
            }
        }
        self.now += Duration::from_micros(random.below(500));
        if self.heard > 200 {
            self.air.drain(..100);
            self.heard -= 100;
        }
    }
}

#[test]
fn any_inputs_are_borne() {
    for seed in 0..20 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut world = World {
            nodes: [node(true, &[], 0), node(false, &[], 0)],
            slots: [Vec::new(), Vec::new()],
            work: [None; 2],
            air: Vec::new(),
            heard: 0,
            now: Instant::ZERO,
        };
        let mut last = [0; 2];
        let mut taken = 0;
        for count in 1..8_000 {
            world.step(&mut random, count);
            for node in &mut world.nodes {
                assert_eq!(node.fault(), None, "seed {seed}");
            }
            while let Some((_, event)) = world.nodes[1].event() {
                let FrameOutcome::Authentic { stream, payload } = event else {
                    continue;
                };
                taken += 1;
                let number = u32::from_le_bytes(payload.as_bytes().try_into().unwrap());
                assert!(u64::from(number) <= count, "seed {seed}: never sent");
                // SecOC's are in order over all resets.
                let secured = [secoc::SPEED, secoc::LIGHTS];
                if let Some(place) = secured.iter().position(|own| id(*own) == stream) {
                    assert!(number > last[place], "seed {seed}: {number} again");
                    last[place] = number;
                }
            }
        }
        assert!(taken > 20, "seed {seed}: {taken} messages are no test");
    }
}
