//! Messages that wait for verification, within bounds.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::area::Ego;
use super::bounds::{Bounds, DropCause, Dropped, QueueCounters};
use super::features::{ClaimedSender, Features};
use super::plan::Planned;
use super::planner::{Planner, Prospect};
use super::policy::{Policy, Rank, Zone};
use super::share::{Counts, GROUPS, Group, Share, Shares, Turn};

/// Limit on messages that get another place in the plan for one that comes.
const DISPLACED_MAX: usize = 8;

/// A message that waits.
#[derive(Clone, Debug)]
struct Waiting<T> {
    item: T,
    turn: Turn,
    deadline: Time64,
    sender: ClaimedSender,
    group: Group,
    /// Its prospect, with its place in the plan; of the policy `safety`.
    prospect: Prospect,
}

/// Messages that wait for verification, in the order of a [`Policy`].
///
/// When there is no room, the sender with the most messages gives up its last one; among equal
/// senders the message with the last turn goes. So a sender that floods loses its own messages.
/// `push` and `pop` take logarithmic time for each message that they take in or out; each message
/// expires once.
#[derive(Clone, Debug)]
pub struct Queue<T> {
    policy: Policy,
    bounds: Bounds,
    ego: Option<Ego>,
    /// By number, so the first one waits longest.
    waiting: BTreeMap<u64, Waiting<T>>,
    turns: BTreeSet<Turn>,
    deadlines: BTreeSet<(Time64, u64)>,
    shares: Shares,
    /// Of the policy `safety`: which criterion it is, and its plan.
    safety: Option<(usize, Planner)>,
    next: u64,
    counters: QueueCounters,
}

impl<T> Queue<T> {
    /// Makes an empty queue. Until [`set_ego`](Self::set_ego) the receiver's position is unknown.
    #[must_use]
    pub fn new(policy: Policy, bounds: Bounds) -> Self {
        let messages = bounds.messages.max(1);
        Self {
            policy,
            bounds: Bounds {
                messages,
                reserved: bounds.reserved.min(messages / GROUPS),
                per_sender: bounds.per_sender.max(1),
                ..bounds
            },
            ego: None,
            waiting: BTreeMap::new(),
            turns: BTreeSet::new(),
            deadlines: BTreeSet::new(),
            shares: Shares::default(),
            safety: policy.safety().map(|at| (at, Planner::new(&bounds))),
            next: 0,
            counters: QueueCounters::default(),
        }
    }

    /// Sets where the receiver is. It counts for messages that are pushed from now on; those that
    /// wait keep their priority.
    pub fn set_ego(&mut self, ego: Option<Ego>) {
        self.ego = ego;
    }

    /// Returns how many messages wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns whether no message waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns what happened so far.
    #[must_use]
    pub fn counters(&self) -> QueueCounters {
        self.counters
    }

    /// Returns how much memory the queue can come to use, in bytes, without what the items
    /// point to: a tree has nodes of eleven entries of which half may be empty.
    #[must_use]
    pub fn memory_max(&self) -> usize {
        let each = size_of::<(u64, Waiting<T>)>()
            + size_of::<Turn>()
            + size_of::<(Time64, u64)>()
            + size_of::<(ClaimedSender, Group, Turn)>()
            + size_of::<(ClaimedSender, Counts)>()
            + size_of::<Share>()
            + size_of::<Planned>();
        // One more than the bound while a message comes in.
        self.bounds
            .messages
            .saturating_add(1)
            .saturating_mul(each * 2)
            .saturating_add(self.safety.as_ref().map_or(0, |_| Planner::memory_max()))
    }

    /// Takes a message. Returns the one that is dropped for it, which may be the message itself.
    /// What has expired is dropped before.
    pub fn push(&mut self, item: T, features: &Features, now: Time64) -> Option<Dropped<T>> {
        while self.pop_expired(now).is_some() {}
        self.plan_late(now);
        self.counters.pushed += 1;
        let latest = Time64(now.0.saturating_add(self.bounds.wait_us));
        let deadline = features.deadline.map_or(latest, |own| own.min(latest));
        let (position, ego) = (features.position.as_ref(), self.ego.as_ref());
        let (mut zone, mut rank) = self.policy.rank(features.class, position, deadline, ego);
        if self.policy.is_exclusive() && zone == Zone::Outside {
            return Some(self.count(item, DropCause::Outside));
        }
        if deadline < now {
            return Some(self.count(item, DropCause::Expired));
        }
        let ego = self.ego.as_ref();
        let prospect = match &mut self.safety {
            Some((_, planner)) => planner.prospect(features, ego, now),
            None => Prospect::default(),
        };
        if self.safety.is_some() && !self.policy.has_area() {
            zone = prospect.zone();
        }
        let is_known = features.sender != ClaimedSender::Unknown;
        if is_known && self.shares.count(features.sender) >= self.bounds.ranked_per_sender {
            rank = Rank::LAST;
        }
        let number = self.next;
        self.next += 1;
        self.insert(
            number,
            Waiting {
                item,
                turn: (rank, number),
                deadline,
                sender: features.sender,
                group: Group::new(features.class, zone),
                prospect,
            },
        );
        self.plan(number, now);
        let (number, cause) = self.excess(features.sender)?;
        let excess = self.remove(number)?;
        Some(self.count(excess.item, cause))
    }

    /// Takes out the message to be verified next. What has expired is dropped before.
    pub fn pop(&mut self, now: Time64) -> Option<T> {
        while self.pop_expired(now).is_some() {}
        self.plan_late(now);
        let every = u64::from(self.bounds.oldest_every);
        let is_due = every > 0 && (self.counters.popped + 1).is_multiple_of(every);
        let safety = self.safety.as_ref();
        let is_oldest = is_due && safety.is_none_or(|(_, planner)| planner.is_doubtful());
        let number = match is_oldest {
            true => *self.waiting.first_key_value()?.0,
            false => self.turns.first()?.1,
        };
        let next = self.remove(number)?;
        if let Some((_, planner)) = &mut self.safety {
            planner.begin(&next.prospect, now);
        }
        self.counters.popped += 1;
        Some(next.item)
    }

    /// Returns true if the policy learns from the results of verifications.
    #[must_use]
    pub fn learns(&self) -> bool {
        self.safety.is_some()
    }

    /// Takes the result of verifying a message that was taken out: true if its signature is valid.
    /// The policy `safety` learns from it how much to expect of messages like it; the others do not
    /// need it. Logarithmic in the number of senders.
    pub fn learn(&mut self, features: &Features, now: Time64, is_valid: bool) {
        if let Some((_, planner)) = &mut self.safety {
            planner.learn(features, self.ego.as_ref(), now, is_valid);
        }
    }

    /// Takes out a message that has expired, if there is one, and counts it as dropped. Call it
    /// before `push` and `pop` to learn which messages those are.
    pub fn pop_expired(&mut self, now: Time64) -> Option<T> {
        let (deadline, number) = *self.deadlines.first()?;
        if deadline >= now {
            return None;
        }
        let expired = self.remove(number)?;
        Some(self.count(expired.item, DropCause::Expired).item)
    }

    fn count(&mut self, item: T, cause: DropCause) -> Dropped<T> {
        self.counters.dropped[cause as usize] += 1;
        Dropped { item, cause }
    }

    /// Finds the message that is too many after one of a sender came in, and which bound it breaks.
    /// Without it both bounds hold, for they held before.
    fn excess(&self, sender: ClaimedSender) -> Option<(u64, DropCause)> {
        let is_known = sender != ClaimedSender::Unknown;
        let ((_, number), cause) = if is_known && self.shares.count(sender) > self.bounds.per_sender
        {
            (self.shares.last(sender)?, DropCause::SenderFull)
        } else if self.waiting.len() > self.bounds.messages {
            // All reserved room is less than what waits, so there is a group with more than that.
            let (_, last, _) = self.shares.largest(self.bounds.reserved)?;
            (last, DropCause::QueueFull)
        } else {
            return None;
        };
        Some((number, cause))
    }

    /// Messages that would be verified too late for what they were planned for get another place.
    fn plan_late(&mut self, now: Time64) {
        while let Some((_, planner)) = &mut self.safety
            && let Some(late) = planner.take_late(now)
        {
            self.plan(late, now);
        }
    }

    /// Gives a message a place in the plan, with the policy `safety`. What it displaces gets
    /// another one, as far as that goes.
    fn plan(&mut self, number: u64, now: Time64) {
        let mut displaced = VecDeque::from([number]);
        for _ in 0..DISPLACED_MAX {
            let Some(number) = displaced.pop_front() else {
                return;
            };
            let waiting = self.waiting.get_mut(&number);
            let Some((waiting, (_, planner))) = waiting.zip(self.safety.as_mut()) else {
                return;
            };
            let sender = waiting.sender;
            planner.place(number, sender, &mut waiting.prospect, now, &mut displaced);
            self.turn_again(number);
        }
        for number in displaced {
            if let Some(waiting) = self.waiting.get_mut(&number) {
                waiting.prospect.give_up();
                self.turn_again(number);
            }
        }
    }

    /// Enters the turn that follows from a message's place in the plan.
    fn turn_again(&mut self, number: u64) {
        let waiting = self.waiting.get_mut(&number);
        let Some((waiting, (at, _))) = waiting.zip(self.safety.as_ref()) else {
            return;
        };
        // Of those without a place the last one is first: it has the most time left.
        let place = waiting.prospect.deadline();
        let place = place.map_or(u64::MAX - number, |deadline| deadline.0);
        let (old, (rank, _)) = (waiting.turn, waiting.turn);
        let turn = (rank.with(*at, place), number);
        waiting.turn = turn;
        let (sender, group) = (waiting.sender, waiting.group);
        self.turns.remove(&old);
        self.turns.insert(turn);
        self.shares.remove(sender, group, old);
        self.shares.insert(sender, group, turn);
    }

    fn insert(&mut self, number: u64, waiting: Waiting<T>) {
        self.turns.insert(waiting.turn);
        self.deadlines.insert((waiting.deadline, number));
        self.shares
            .insert(waiting.sender, waiting.group, waiting.turn);
        self.waiting.insert(number, waiting);
    }

    fn remove(&mut self, number: u64) -> Option<Waiting<T>> {
        let waiting = self.waiting.remove(&number)?;
        self.turns.remove(&waiting.turn);
        self.deadlines.remove(&(waiting.deadline, number));
        self.shares
            .remove(waiting.sender, waiting.group, waiting.turn);
        if let Some((_, planner)) = &mut self.safety {
            planner.remove(number, &waiting.prospect);
        }
        Some(waiting)
    }
}
