//! An attacker that runs code on an ECU.

use waywarden_can::Frame;
use waywarden_can::node::Port;
use waywarden_can_sim::random::Random;
use waywarden_work::{Duration, Instant};

use super::ApplicationConfig;
use waywarden_vehicle_file::Protection;
use waywarden_vehicle_trace::sent_by;

/// An intruder: it runs code on an ECU.
#[derive(Clone, Debug)]
pub struct Intrusion {
    /// The attacker, by its place in the vehicle file.
    pub attacker: usize,
    /// Time from one action to the next.
    pub period: Duration,
    /// Start of its actions, on the ECU's clock.
    pub from: Instant,
    /// End of its actions, on the ECU's clock.
    pub until: Instant,
    /// True if it can read the keys of the ECU.
    pub has_keys: bool,
    /// True if the driver of the bus is in no module: then it can send, and hand the ECU's modules
    /// frames that were never on the bus.
    pub has_driver: bool,
}

/// Frames of an intruder in one round.
#[derive(Clone, Debug, Default)]
pub(in crate::nodes) struct IntrusionRound {
    /// Messages of the ECU's own streams, made up, for the role that protects them.
    pub(in crate::nodes) messages: Vec<(Port, Frame)>,
    /// Messages of streams that it receives, made up, for the role that has their keys.
    pub(in crate::nodes) others: Vec<(Port, Frame)>,
    /// Frames as they look on the bus.
    pub(in crate::nodes) sent: Vec<(Port, Frame)>,
    /// Frames of streams that it receives, made up, for its own modules.
    pub(in crate::nodes) received: Vec<(Port, Frame)>,
}

/// An intruder under way.
pub(super) struct Intruder {
    pub(super) intrusion: Intrusion,
    pub(super) next: Instant,
    pub(super) random: Random,
}

impl Intruder {
    pub(super) fn actions(&mut self, config: &ApplicationConfig) -> IntrusionRound {
        let (intrusion, random) = (&self.intrusion, &mut self.random);
        let mut actions = IntrusionRound::default();
        for own in &config.own {
            match intrusion.has_keys && own.protection != Protection::None {
                true => actions.messages.extend(own.message(random)),
                false if intrusion.has_driver => actions.sent.extend(own.frames(random, 1)),
                false => {}
            }
        }
        if intrusion.has_keys && intrusion.has_driver {
            let others = config.keyed.iter();
            actions
                .others
                .extend(others.filter_map(|one| one.message(random)));
        }
        if intrusion.has_driver {
            for forwarded in &config.forwards {
                actions.sent.extend(forwarded.frames(random, 1));
            }
            for taken in config.takes.iter().chain(&config.checks) {
                actions.received.extend(taken.frames(random, 1));
            }
        }
        let attacker = intrusion.attacker;
        actions.all_sent_by(attacker);
        actions
    }
}

impl IntrusionRound {
    /// Names the attacker in all frames.
    fn all_sent_by(&mut self, attacker: usize) {
        let (messages, others) = (self.messages.iter_mut(), self.others.iter_mut());
        let frames = messages.chain(others);
        let frames = frames.chain(&mut self.sent).chain(&mut self.received);
        for (_, frame) in frames {
            *frame = sent_by(attacker, *frame);
        }
    }
}
