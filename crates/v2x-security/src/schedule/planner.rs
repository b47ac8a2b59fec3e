//! The policy `safety`: what a message is worth, and when it is to be verified.

use alloc::collections::VecDeque;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::application::Uses;
use super::area::Ego;
use super::bounds::Bounds;
use super::credit::{Credit, Estimate};
use super::features::{Features, Sender};
use super::plan::{Capacity, Plan, Planned};
use super::policy::Zone;
use crate::region::is_place;

/// How many workers are told apart.
const WORKERS_MAX: u32 = 1_024;

/// What a message that waits is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Prospect {
    /// What it is still good for if it misses its deadline in the plan.
    uses: Option<Uses>,
    /// How probable it is that it verifies.
    estimate: Option<Estimate>,
    /// Its deadline in the plan; `None`: it has no place.
    deadline: Option<Time64>,
    is_placed: bool,
}

impl Prospect {
    /// Returns its deadline in the plan.
    pub(super) fn deadline(&self) -> Option<Time64> {
        self.deadline
    }

    /// It gets no place any more.
    pub(super) fn give_up(&mut self) {
        (self.uses, self.deadline) = (None, None);
    }

    /// Where it counts as coming from: from where applications need it, or not.
    pub(super) fn zone(&self) -> Zone {
        match (self.is_placed, self.uses.is_some_and(Uses::is_any)) {
            (false, _) => Zone::Unknown,
            (true, true) => Zone::Inside,
            (true, false) => Zone::Outside,
        }
    }
}

/// Chooses which messages are verified, and in which order.
#[derive(Clone, Debug)]
pub(super) struct Planner {
    plan: Plan,
    credit: Credit,
    capacity: Capacity,
    /// When the workers end what was taken out last, one time for each that is at work.
    busy: VecDeque<Time64>,
}

impl Planner {
    pub(super) fn new(bounds: &Bounds) -> Self {
        Self {
            plan: Plan::default(),
            credit: Credit::default(),
            capacity: Capacity {
                verification_us: bounds.verification_us,
                workers: bounds.workers.clamp(1, WORKERS_MAX).into(),
            },
            busy: VecDeque::new(),
        }
    }

    /// Returns how much memory it can come to use beside the plan, in bytes.
    pub(super) const fn memory_max() -> usize {
        Credit::memory_max()
    }

    /// Whether most messages of unknown senders have failed.
    pub(super) fn is_doubtful(&self) -> bool {
        self.credit.is_doubtful()
    }

    /// Returns what a message is good for that comes now.
    pub(super) fn prospect(
        &mut self,
        features: &Features,
        ego: Option<&Ego>,
        now: Time64,
    ) -> Prospect {
        let place = features.position.as_ref().filter(|place| is_place(place));
        let distance = ego.zip(place).map(|(ego, place)| ego.distance_m(place));
        let generated = features.generated.map_or(now, |made| made.min(now));
        let (estimate, is_excess) = self.credit.arrived(features, now);
        Prospect {
            uses: (!is_excess).then(|| Uses::new(generated, distance)),
            estimate: Some(estimate),
            deadline: None,
            is_placed: distance.is_some(),
        }
    }

    /// Gives a message the place of the next of its uses that can be met, if it has one. Returns
    /// the message that has lost its place for it.
    pub(super) fn place(
        &mut self,
        number: u64,
        sender: Sender,
        prospect: &mut Prospect,
        now: Time64,
    ) -> Option<u64> {
        let free = self.free(now);
        prospect.deadline = None;
        let uses = prospect.uses.as_mut()?;
        let estimate = prospect.estimate.map_or(0, Estimate::get);
        // The more messages of a sender have a place, the less another one is worth.
        let own = match sender {
            Sender::Unknown => 0,
            sender => self.plan.count(sender),
        };
        for one in uses.by_ref() {
            let offered = Planned {
                deadline: one.until,
                number,
                worth: one.applications * estimate * 256 / (1 + own),
                sender,
            };
            match self.plan.offer(offered, free, &self.capacity) {
                Some(out) if out.number == number => {}
                other => {
                    prospect.deadline = Some(one.until);
                    return other.map(|out| out.number);
                }
            }
        }
        None
    }

    /// Takes a message out of the plan that would be late.
    pub(super) fn take_late(&mut self, now: Time64) -> Option<u64> {
        let late = self.plan.take_late(now, &self.capacity)?;
        Some(late.number)
    }

    /// Takes a message out of the plan that does not wait any more.
    pub(super) fn remove(&mut self, number: u64, prospect: &Prospect) {
        if let Some(deadline) = prospect.deadline {
            self.plan.remove(deadline, number);
        }
    }

    /// A worker begins with a message.
    pub(super) fn begin(&mut self, now: Time64) {
        if self.busy.len() as u64 >= self.capacity.workers {
            self.busy.pop_front();
        }
        let taken = self.capacity.verification_us;
        self.busy.push_back(Time64(now.0.saturating_add(taken)));
    }

    /// Takes what became of a message.
    pub(super) fn learn(&mut self, features: &Features, now: Time64, is_valid: bool) {
        self.credit.learn(features, now, is_valid);
    }

    /// Returns when a worker is free.
    fn free(&self, now: Time64) -> Time64 {
        match self.busy.front() {
            Some(first) if self.busy.len() as u64 >= self.capacity.workers => now.max(*first),
            _ => now,
        }
    }
}
