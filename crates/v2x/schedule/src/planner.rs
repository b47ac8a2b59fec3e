//! The policy `safety`: the worth of each message, and the time by which it is to be verified.

use alloc::collections::VecDeque;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::application::Uses;
use super::area::Ego;
use super::bounds::Bounds;
use super::credit::{Credit, Estimate, Opinion};
use super::features::{ClaimedSender, Features};
use super::plan::{Plan, Planned};
use super::policy::Zone;
use waywarden_v2x_security::region::is_place;

/// Limit on workers that are told apart.
const WORKERS_MAX: u32 = 1_024;

/// The urgency of a message whose sender is here in less than a second. It decides between messages
/// that are worth the same.
const URGENCY_MAX: u32 = 7;

/// Prospect of a waiting message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Prospect {
    /// Uses that are left if it misses its deadline in the plan.
    uses: Option<Uses>,
    /// Probability that it verifies.
    estimate: Option<Estimate>,
    /// Urgency by its sender's arrival, from 0 to [`URGENCY_MAX`].
    urgency: u32,
    /// Duration of the verification, in us.
    duration_us: u64,
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

    /// Returns the zone that it counts for: unknown without a position, inside if applications need
    /// it, else outside.
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
    workers: usize,
    verification_us: u64,
    known_sender_us: u64,
    /// Times at which workers end what was taken out last, one for each that is at work.
    busy: VecDeque<Time64>,
    /// Those that have lost their places; empty between calls.
    out: VecDeque<Planned>,
}

impl Planner {
    pub(super) fn new(bounds: &Bounds) -> Self {
        Self {
            plan: Plan::default(),
            credit: Credit::default(),
            workers: bounds.workers.clamp(1, WORKERS_MAX) as usize,
            verification_us: bounds.verification_us.max(1),
            known_sender_us: bounds.known_sender_us.max(1),
            busy: VecDeque::new(),
            out: VecDeque::new(),
        }
    }

    /// Returns how much memory it can come to use beside the plan, in bytes.
    pub(super) const fn memory_max() -> usize {
        Credit::memory_max()
    }

    /// Returns true if most messages of unknown senders have failed.
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
        let distance = distance(features, ego);
        let generated = features.generated.map_or(now, |made| made.min(now));
        let Opinion {
            estimate,
            is_excess,
            is_verified,
            arrival_s,
        } = self.credit.arrived(features, distance, now);
        Prospect {
            uses: (!is_excess).then(|| Uses::new(generated, distance)),
            estimate: Some(estimate),
            // The conversion saturates.
            urgency: arrival_s.map_or(0, |seconds| URGENCY_MAX.saturating_sub(seconds as u32)),
            duration_us: match is_verified {
                true => self.known_sender_us,
                false => self.verification_us,
            },
            deadline: None,
            is_placed: distance.is_some(),
        }
    }

    /// Gives a message the place of the next of its uses that can be met, if it has one. Gives the
    /// messages to `displaced` that have lost their places.
    pub(super) fn place(
        &mut self,
        number: u64,
        sender: ClaimedSender,
        prospect: &mut Prospect,
        now: Time64,
        displaced: &mut VecDeque<u64>,
    ) {
        let free = (self.free(now), self.workers);
        prospect.deadline = None;
        let Some(uses) = prospect.uses.as_mut() else {
            return;
        };
        let estimate = prospect.estimate.map_or(0, Estimate::get);
        // The more messages of a sender have a place, the less another one is worth.
        let own = match sender {
            ClaimedSender::Unknown => 0,
            sender => self.plan.count(sender),
        };
        for one in uses.by_ref() {
            let offered = Planned {
                deadline: one.until,
                number,
                worth: one.applications * estimate * 256 / (1 + own) * (URGENCY_MAX + 1)
                    + prospect.urgency,
                duration_us: prospect.duration_us,
                sender,
            };
            self.plan.offer(offered, free, &mut self.out);
            let others = self.out.iter().map(|out| out.number);
            displaced.extend(others.filter(|other| *other != number));
            let has_place = self.out.iter().all(|out| out.number != number);
            self.out.clear();
            if has_place {
                prospect.deadline = Some(one.until);
                return;
            }
        }
    }

    /// Takes a message out of the plan that would be late.
    pub(super) fn take_late(&mut self, now: Time64) -> Option<u64> {
        let late = self.plan.take_late(now)?;
        Some(late.number)
    }

    /// Takes a message out of the plan that does not wait any more.
    pub(super) fn remove(&mut self, number: u64, prospect: &Prospect) {
        if let Some(deadline) = prospect.deadline {
            self.plan.remove(deadline, number);
        }
    }

    /// A worker begins with a message.
    pub(super) fn begin(&mut self, prospect: &Prospect, now: Time64) {
        if self.busy.len() >= self.workers {
            self.busy.pop_front();
        }
        let end = Time64(now.0.saturating_add(prospect.duration_us));
        let at = self.busy.partition_point(|other| *other <= end);
        self.busy.insert(at, end);
    }

    /// Takes the result of a message's verification.
    pub(super) fn learn(
        &mut self,
        features: &Features,
        ego: Option<&Ego>,
        now: Time64,
        is_valid: bool,
    ) {
        let distance = distance(features, ego);
        self.credit.learn(features, distance, now, is_valid);
    }

    /// Returns when a worker is free.
    fn free(&self, now: Time64) -> Time64 {
        match self.busy.front() {
            Some(first) if self.busy.len() >= self.workers => now.max(*first),
            _ => now,
        }
    }
}

/// Returns how far away a message claims to be made.
fn distance(features: &Features, ego: Option<&Ego>) -> Option<f64> {
    let place = features.position.as_ref().filter(|place| is_place(place));
    ego.zip(place).map(|(ego, place)| ego.distance_m(place))
}
