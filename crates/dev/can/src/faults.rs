//! Disturbances of a network in runs by seed, which stop at a set time.

use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Token};
use waywarden_can::{Frame, Id};
use waywarden_can_sim::bitwise::{BitMoment, Strikes};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::interferer::{Interferer, InterfererError, Onset, Surroundings};
use waywarden_can_sim::random::Random;
use waywarden_work::{Duration, Instant};

/// An interferer that stops, and strikes only some frames.
pub struct Sometimes {
    inner: Box<dyn Interferer>,
    probability: f64,
    until: Time,
    random: Random,
    armed: bool,
}

impl Sometimes {
    /// Lets `inner` strike with this probability, and never after `until`.
    pub fn boxed(
        inner: impl Interferer + 'static,
        probability: f64,
        until: Time,
    ) -> Box<dyn Interferer> {
        Box::new(Self {
            inner: Box::new(inner),
            probability,
            until,
            random: Random::new(0),
            armed: false,
        })
    }
}

impl Interferer for Sometimes {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        self.random = surroundings.random.stream("sometimes", 0);
        self.inner.begin(surroundings)
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        let chance = self.random.chance(self.probability);
        self.armed = onset.at < self.until && chance && self.inner.wants(onset);
        self.armed
    }

    fn passed(&mut self, onset: &Onset<'_>) {
        self.inner.passed(onset);
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        if self.armed {
            self.inner.strike(moment, strikes);
        }
    }

    fn window(&self) -> (Time, Time) {
        (Time::ZERO, self.until)
    }
}

/// Traffic that has nothing to do with keys, some of it more urgent, some less.
pub struct Chatter {
    random: Random,
    next: Instant,
    token: u32,
    /// Between two frames: from this many microseconds on, and up to this many more.
    pause: (u64, u64),
}

impl Chatter {
    /// A frame each 0.8 to 1.8 ms.
    pub fn boxed(boot: &Boot<'_>, seed: u64) -> Box<dyn Node + Send> {
        Self::with_pause(boot, seed, (800, 1_000))
    }

    /// A frame each so many microseconds: at least the first number, at most both together.
    pub fn with_pause(boot: &Boot<'_>, seed: u64, pause: (u64, u64)) -> Box<dyn Node + Send> {
        Box::new(Self {
            random: Random::new(seed),
            next: boot.now,
            token: 0,
            pause,
        })
    }
}

impl Node for Chatter {
    fn handle(&mut self, _: Instant, _: Input<'_>) {}

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        if now < self.next || !room.contains(Port(0)) {
            return Output::Idle(Some(self.next.max(now + Duration::from_micros(10))));
        }
        let (least, spread) = self.pause;
        self.next = now + Duration::from_micros(least + self.random.below(spread));
        self.token += 1;
        let bytes = self.random.next_u64().to_be_bytes();
        let id = Id::standard(self.random.below(0x700) as u16).unwrap();
        Output::Transmit {
            port: Port(0),
            token: Token(self.token),
            frame: Frame::classic(id, &bytes).unwrap(),
        }
    }
}
