//! The progress of each logical ECU, as the orchestrator sees it from the frames on the bus.

use waywarden_work::{Duration, Instant};

use super::identifier::{GroupHeader, Step};
use super::plan::{Excluded, GroupPlan};
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_roles::Transport;

/// The state of one merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// To be ordered when its turn comes.
    Waiting,
    /// Its order is being signed or sent.
    Ordering,
    /// Ordered at this time.
    Running(Instant),
    /// The logical ECU has its secret, as far as the orchestrator can see.
    Formed,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Merge {
    pub(super) state: State,
    pub(super) header: GroupHeader,
    /// Number of its failures since it was last formed.
    pub(super) attempts: u8,
    pub(super) level: u8,
    /// One start has ordered it together with all others.
    pub(super) fixed: bool,
    /// Frames seen of both shares and both confirmations.
    seen: [u8; 4],
}

/// The merges of a plan in its order.
pub(super) struct Merges<'a>(Storage<'a, Option<Merge>>);

impl<'a> Merges<'a> {
    /// Sets up the merges; none if there are more than places.
    pub(super) fn new(plan: &GroupPlan, mut places: Storage<'a, Option<Merge>>) -> Option<Self> {
        places.clear();
        let mut merges = Merges(places);
        for (at, result) in plan.merges().enumerate() {
            let (first, second) = plan.children(result)?;
            let above = |child| merges.find(child).map_or(0, |merge| merge.level + 1);
            let merge = Merge {
                state: State::Waiting,
                header: GroupHeader {
                    gives_way: false,
                    first,
                    second,
                    result,
                },
                attempts: 0,
                level: above(first).max(above(second)),
                fixed: false,
                seen: [0; 4],
            };
            *merges.0.get_mut(at)? = Some(merge);
        }
        Some(merges)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Merge> {
        self.0.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Merge> {
        self.0.iter_mut().flatten()
    }

    pub(super) fn find(&self, result: Address) -> Option<&Merge> {
        self.iter().find(|merge| merge.header.result == result)
    }

    pub(super) fn find_mut(&mut self, result: Address) -> Option<&mut Merge> {
        self.iter_mut().find(|merge| merge.header.result == result)
    }

    pub(super) fn all_formed(&self) -> bool {
        self.iter().all(|merge| merge.state == State::Formed)
    }

    /// Returns true if an address can be merged: a physical ECU always, a logical one once formed.
    pub(super) fn is_formed(&self, address: Address) -> bool {
        self.find(address)
            .is_none_or(|merge| merge.state == State::Formed)
    }

    /// Returns true if every merge below this one's level is formed.
    pub(super) fn is_level_reached(&self, of: &Merge) -> bool {
        let mut below = self.iter().filter(|merge| merge.level < of.level);
        below.all(|merge| merge.state == State::Formed)
    }

    /// Has a logical ECU and all above it formed again, from the beginning, with the ECUs that take
    /// part now.
    pub(super) fn restart_from(&mut self, plan: &GroupPlan, logical: Address) {
        let mut at = logical;
        while let Some(merge) = self.find_mut(at) {
            merge.state = State::Waiting;
            merge.attempts = 0;
            at = plan.parent(at);
        }
    }

    /// Has those of a logical ECU and all above it that are formed, formed again; what is under way
    /// goes on. Returns whether that changes anything.
    pub(super) fn renew_from(&mut self, plan: &GroupPlan, logical: Address) -> bool {
        let (mut at, mut changed) = (logical, false);
        while let Some(merge) = self.find_mut(at) {
            changed |= merge.renew();
            at = plan.parent(at);
        }
        changed
    }

    /// Has everything that is formed, formed again; returns whether that changes anything.
    pub(super) fn renew_all(&mut self) -> bool {
        let changed = self.iter_mut().map(Merge::renew);
        changed.fold(false, |any, one| any | one)
    }

    /// Has the merges above a logical ECU that a start has ordered wait for an order of their own.
    pub(super) fn recall_above(&mut self, plan: &GroupPlan, logical: Address) {
        let mut at = plan.parent(logical);
        while let Some(merge) = self.find_mut(at) {
            if merge.fixed && matches!(merge.state, State::Running(_)) {
                merge.state = State::Waiting;
            }
            at = plan.parent(at);
        }
    }

    /// Counts a frame of an exchange; returns its result if both confirmations are complete now.
    pub(super) fn see(
        &mut self,
        step: Step,
        header: &GroupHeader,
        transport: Transport,
    ) -> Option<Address> {
        let place = match step {
            Step::ShareA => 0,
            Step::ShareB => 1,
            Step::ConfirmationA => 2,
            Step::ConfirmationB => 3,
            _ => return None,
        };
        let merge = self.find_mut(header.result)?;
        if merge.header != *header || !matches!(merge.state, State::Running(_)) {
            return None;
        }
        merge.seen[place] = merge.seen[place].saturating_add(1);
        (merge.has_seen(2, transport) && merge.has_seen(3, transport)).then_some(header.result)
    }
}

impl Merge {
    fn renew(&mut self) -> bool {
        let formed = self.state == State::Formed;
        if formed {
            (self.state, self.attempts) = (State::Waiting, 0);
        }
        formed
    }

    fn has_seen(&self, place: usize, transport: Transport) -> bool {
        let step = [
            Step::ShareA,
            Step::ShareB,
            Step::ConfirmationA,
            Step::ConfirmationB,
        ][place];
        usize::from(self.seen[place]) >= step.frame_count(transport)
    }

    /// Returns how much of what it has to say a side (0 or 1) has said: 0 to 2 payloads.
    pub(super) fn progress(&self, side: usize, transport: Transport) -> usize {
        let said = |place| usize::from(self.has_seen(place, transport));
        said(side) + said(2 + side)
    }

    /// Gives the merge the participants it has with these ECUs excluded.
    pub(super) fn prepare(&mut self, plan: &GroupPlan, excluded: &Excluded, gives_way: bool) {
        let Some((first, second)) = plan.children(self.header.result) else {
            return;
        };
        let stand_in = |planned: Address| match excluded.contains(planned) {
            true => plan.orchestrator(),
            false => planned,
        };
        self.header.first = stand_in(first);
        self.header.second = stand_in(second);
        self.header.gives_way = gives_way;
        (self.seen, self.fixed) = ([0; 4], false);
        self.state = State::Ordering;
    }

    /// Returns when it has failed if it is not through, where each exchange may take so long. One
    /// that a start has ordered waits for those below it.
    pub(super) fn due(&self, exchange: Duration) -> Option<Instant> {
        let levels = match self.fixed {
            true => u64::from(self.level) + 1,
            false => 1,
        };
        match self.state {
            State::Running(since) => Some(since + exchange.times(levels)),
            _ => None,
        }
    }
}
