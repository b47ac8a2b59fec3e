//! The orders of a group as its orchestrator gave them, and how its members answered.

use std::collections::BTreeMap;

use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_group_keys::{Header, Step, Transport};

/// Number of exchanges that are followed; those of a tree and of its stand-ins are fewer.
const FOLLOWED_MAX: usize = 4_096;

/// Counts frames of orders and of shares by exchange.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// Frames of orders, by bus and exchange.
    given: BTreeMap<(usize, Header), usize>,
    /// Frames of the message that starts the whole tree, by bus.
    started: BTreeMap<usize, usize>,
    /// Frames of shares, by member, bus and exchange.
    answered: BTreeMap<(usize, usize, Step, Header), usize>,
}

impl Orders {
    /// Counts a frame of the orchestrator's.
    pub(super) fn given(&mut self, bus: BusIndex, step: Step, header: Header) {
        match step {
            Step::Orchestration if self.given.len() < FOLLOWED_MAX => {
                *self.given.entry((bus.0, header)).or_default() += 1;
            }
            Step::Start => *self.started.entry(bus.0).or_default() += 1,
            _ => {}
        }
    }

    /// Counts a frame of a member's; true if it completes a share for which there was no order.
    pub(super) fn answers(
        &mut self,
        (bus, ecu): (BusIndex, EcuIndex),
        (step, header): (Step, Header),
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

    /// Returns how many orders there were for an exchange, on the bus that is ahead of the others.
    fn orders(&self, header: Header, transport: Transport) -> usize {
        let most =
            |frames: Option<usize>, step: Step| frames.unwrap_or(0) / step.frame_count(transport);
        let given = self.given.iter().filter(|((_, one), _)| *one == header);
        let given = given.map(|(_, frames)| *frames).max();
        let started = self.started.values().copied().max();
        most(given, Step::Orchestration) + most(started, Step::Start)
    }
}
