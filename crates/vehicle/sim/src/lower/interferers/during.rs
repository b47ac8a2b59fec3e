//! An interferer with a name of its own, that works only for a while and only by chance.

use waywarden_can::MessageHandle;
use waywarden_can_sim::bitwise::{BitMoment, Strikes};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::interferer::{Interferer, InterfererError, Onset, Surroundings};
use waywarden_can_sim::random::Random;
use waywarden_vehicle_trace::{MessageIdentity, Tampering};

/// Lets an interferer strike from one time to another, each frame with a probability.
pub(super) struct During {
    name: String,
    /// Its place behind the attackers of the vehicle file.
    attacker: usize,
    inner: Box<dyn Interferer>,
    window: (Time, Time),
    probability: f64,
    random: Random,
    /// True if it may strike in the frame at hand.
    armed: bool,
}

impl During {
    pub(super) fn new(
        (name, attacker): (String, usize),
        inner: Box<dyn Interferer>,
        window: (Time, Time),
        probability: f64,
    ) -> Self {
        During {
            name,
            attacker,
            inner,
            window,
            probability,
            random: Random::new(0),
            armed: false,
        }
    }
}

impl Interferer for During {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        self.random = surroundings.random.stream("chance", 0);
        self.inner.begin(surroundings)
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        let (from, until) = self.window;
        // A window that opens while the frame is on the wire is open for it.
        let open = onset.at + onset.duration >= from && onset.at < until;
        self.armed = open
            && (self.probability >= 1.0 || self.random.chance(self.probability))
            && self.inner.wants(onset);
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
        self.window
    }

    fn altered(&self, original: MessageHandle) -> MessageHandle {
        let identity = MessageIdentity::of(original);
        identity.with(Tampering::Modified, self.attacker).handle()
    }

    fn wakes(&self, after: Time) -> Option<Time> {
        let (from, until) = self.window;
        self.inner.wakes(after.max(from)).filter(|&at| at < until)
    }
}
