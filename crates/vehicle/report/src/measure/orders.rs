//! Counts of an orchestrator's orders and of the members' shares, by exchange.

use std::collections::BTreeMap;

use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_group_keys::{GroupHeader, Step, Transport};

/// Maximum number of exchanges that are tracked; a tree and its stand-ins have fewer.
const FOLLOWED_MAX: usize = 4_096;

/// Frame counts of orders and shares, by exchange.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// Frames of orders, by bus and exchange.
    given: BTreeMap<(usize, GroupHeader), usize>,
    /// Frames of the message that starts the whole tree, by bus.
    started: BTreeMap<usize, usize>,
    /// Frames of shares, by member, bus and exchange.
    answered: BTreeMap<(usize, usize, Step, GroupHeader), usize>,
}

impl Orders {
    /// Counts a frame from the orchestrator.
    pub(super) fn given(&mut self, bus: BusIndex, step: Step, header: GroupHeader) {
        match step {
            Step::Orchestration if self.given.len() < FOLLOWED_MAX => {
                *self.given.entry((bus.0, header)).or_default() += 1;
            }
            Step::Start => *self.started.entry(bus.0).or_default() += 1,
            _ => {}
        }
    }

    /// Counts a frame from a member; returns true if it completes a share that no order requested.
    pub(super) fn answers(
        &mut self,
        (bus, ecu): (BusIndex, EcuIndex),
        (step, header): (Step, GroupHeader),
        transport: Transport,
    ) -> bool {
        let is_share = matches!(step, Step::ShareA | Step::ShareB);
        if !is_share || self.answered.len() >= FOLLOWED_MAX {
            return false;
        }
        let frames = self.answered.entry((ecu.0, bus.0, step, header));
        let frames = frames.or_default();
        *frames += 1;
        let (shares, rest) = (
            *frames / step.frame_count(transport),
            *frames % step.frame_count(transport),
        );
        rest == 0 && shares > self.orders(header, transport)
    }

    /// Returns the number of orders for an exchange: the maximum over the buses.
    fn orders(&self, header: GroupHeader, transport: Transport) -> usize {
        let most =
            |frames: Option<usize>, step: Step| frames.unwrap_or(0) / step.frame_count(transport);
        let given = self.given.iter().filter(|((_, one), _)| *one == header);
        let given = given.map(|(_, frames)| *frames).max();
        let started = self.started.values().copied().max();
        most(given, Step::Orchestration) + most(started, Step::Start)
    }
}
