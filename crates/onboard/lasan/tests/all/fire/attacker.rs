//! An attacker on the bus who has heard everything, and says whatever may do harm.

use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Token};
use waywarden_can::{Frame, Id};
use waywarden_can_sim::random::Random;
use waywarden_lasan::Address;
use waywarden_lasan::{EVERY_ECU, LasanHeader, LasanKind};
use waywarden_work::{Duration, Instant};

/// Number of frames that are remembered.
const HEARD_MAX: usize = 2_048;

pub(super) struct Attacker {
    random: Random,
    heard: Vec<Frame>,
    /// Number of parties as which it may pose.
    parties: u8,
    next: Instant,
    until: Instant,
    /// The rest of a run of frames that are replayed in a row: from where, how many, as whom.
    run: (usize, usize, Option<(Address, Address)>),
    token: u32,
}

impl Attacker {
    pub(super) fn boxed(
        boot: &Boot<'_>,
        seed: u64,
        parties: u8,
        millis: u64,
    ) -> Box<dyn Node + Send> {
        Box::new(Attacker {
            random: Random::new(seed),
            heard: Vec::new(),
            parties,
            next: boot.now,
            until: Instant::from_nanos(millis * 1_000_000),
            run: (0, 0, None),
            token: 0,
        })
    }

    fn address(&mut self) -> Address {
        match self.random.below(8) {
            0 => EVERY_ECU,
            1 => Address(self.random.next_u64() as u8),
            _ => Address(1 + self.random.below(u64::from(self.parties)) as u8),
        }
    }

    fn frame(&mut self) -> Option<Frame> {
        let (at, left, posing) = self.run;
        if left > 0 {
            self.run = (at + 1, left - 1, posing);
            return posed(self.heard.get(at)?, posing);
        }
        if self.heard.is_empty() {
            return None;
        }
        let at = self.random.below(self.heard.len() as u64) as usize;
        let heard = self.heard[at];
        let posing = (self.address(), self.address());
        match self.random.below(6) {
            0 => {
                let posing = self.random.chance(0.3).then_some(posing);
                self.run = (at, 1 + self.random.below(80) as usize, posing);
                None
            }
            1 => Some(heard),
            2 => posed(&heard, Some(posing)),
            3 => {
                let mut data = heard.data().to_vec();
                let byte = self.random.below(data.len().max(1) as u64) as usize;
                *data.get_mut(byte)? ^= 1 << self.random.below(8);
                with(heard.id(), &data, heard.is_fd())
            }
            _ => self.made_up(heard.is_fd(), posing),
        }
    }

    /// The first frame of a message, which says whatever it likes.
    fn made_up(&mut self, fd: bool, (source, target): (Address, Address)) -> Option<Frame> {
        let header = LasanHeader {
            gives_way: self.random.chance(0.5),
            kind: LasanKind::ALL[self.random.below(LasanKind::ALL.len() as u64) as usize],
            source,
            target,
        };
        let bytes: Vec<u8> = (0..64).map(|_| self.random.next_u64() as u8).collect();
        let length = match header.kind {
            LasanKind::Hello => 1,
            LasanKind::Beacon => 8,
            _ if fd => 64,
            _ => 8,
        };
        // Small numbers mean something.
        let data = match self.random.below(2) {
            0 => bytes[..length].to_vec(),
            _ => bytes[..length].iter().map(|byte| byte % 3).collect(),
        };
        let part = if self.random.chance(0.8) { 0 } else { bytes[0] };
        with(header.identifier(part), &data, fd)
    }
}

/// The frame as if it were from another sender to another receiver.
fn posed(frame: &Frame, posing: Option<(Address, Address)>) -> Option<Frame> {
    let (Some((source, target)), Some((header, part))) = (posing, LasanHeader::of(frame)) else {
        return Some(*frame);
    };
    let header = LasanHeader {
        source,
        target,
        ..header
    };
    with(header.identifier(part), frame.data(), frame.is_fd())
}

fn with(id: Id, data: &[u8], fd: bool) -> Option<Frame> {
    match fd {
        true => Frame::fd(id, data).ok(),
        false => Frame::classic(id, data).ok(),
    }
}

impl Node for Attacker {
    fn handle(&mut self, _: Instant, input: Input<'_>) {
        if let Input::Frame { frame, .. } = input
            && LasanHeader::of(frame).is_some()
        {
            match self.heard.len() {
                HEARD_MAX => {
                    let at = self.random.below(HEARD_MAX as u64) as usize;
                    self.heard[at] = *frame;
                }
                _ => self.heard.push(*frame),
            }
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        if now >= self.until {
            return Output::Idle(None);
        }
        if now < self.next || !room.contains(Port(0)) {
            return Output::Idle(Some(self.next.max(now + Duration::from_micros(10))));
        }
        let pause = match self.run {
            (_, 0, _) => 500 + self.random.below(8_000),
            _ => 150,
        };
        self.next = now + Duration::from_micros(pause);
        let Some(frame) = self.frame() else {
            return Output::Idle(Some(self.next));
        };
        self.token += 1;
        Output::Transmit {
            port: Port(0),
            token: Token(self.token),
            frame,
        }
    }
}
