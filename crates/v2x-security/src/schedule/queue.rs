//! Messages that wait for verification, within bounds.

use alloc::collections::{BTreeMap, BTreeSet};

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::area::Ego;
use super::features::{Features, Sender};
use super::policy::{Policy, Zone};
use super::share::{Counts, GROUPS, Group, Share, Shares, Turn};

/// The bounds of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many messages wait at most; at least 1. By default 1,024: at 6 Mb/s a channel carries
    /// at most 163 messages of 460 bytes in 100 ms \[ECQV-CITS §V-D\], so this is 0.6 s of it.
    pub messages: usize,
    /// How many messages of each class and zone are not dropped for those of another one: by
    /// default 64; at most a ninth of `messages`, for there are nine. So claims of a better class
    /// or position leave room for what is worse.
    pub reserved: usize,
    /// How many messages may wait from one sender, if it is known; at least 1. By default 32,
    /// three times as many as CAM or BSM come in `wait_us` at 10 Hz.
    pub per_sender: usize,
    /// After how many microseconds a message is dropped, whatever its own deadline: by default
    /// 1,000,000. `u64::MAX` is never.
    pub wait_us: u64,
    /// Each so-many-th message is the one that waits longest, whatever its priority, so that a
    /// flood of urgent ones holds up no other one for good: by default 8. 0 is never.
    pub oldest_every: u32,
}

impl Bounds {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        messages: 1_024,
        reserved: 64,
        per_sender: 32,
        wait_us: 1_000_000,
        oldest_every: 8,
    };
}

impl Default for Bounds {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why a message is not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropCause {
    /// The policy is exclusive, and the message claims to come from outside.
    Outside,
    /// Its deadline or the longest wait is over.
    Expired,
    /// Its sender has too many messages waiting.
    SenderFull,
    /// Too many messages wait.
    QueueFull,
}

impl DropCause {
    /// Every cause.
    pub const ALL: [Self; 4] = [
        Self::Outside,
        Self::Expired,
        Self::SenderFull,
        Self::QueueFull,
    ];
}

/// What happened to the messages of a queue. `pushed` is the sum of what was popped, what was
/// dropped and what waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// How many messages were offered.
    pub pushed: u64,
    /// How many were taken out for verification.
    pub popped: u64,
    dropped: [u64; DropCause::ALL.len()],
}

impl Counters {
    /// Returns how many messages were dropped for a cause.
    #[must_use]
    pub fn dropped(&self, cause: DropCause) -> u64 {
        self.dropped[cause as usize]
    }

    /// Returns how many messages were dropped.
    #[must_use]
    pub fn all_dropped(&self) -> u64 {
        self.dropped.iter().sum()
    }
}

/// A message that is not verified, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped<T> {
    /// The message.
    pub item: T,
    /// Why.
    pub cause: DropCause,
}

/// A message that waits.
#[derive(Clone, Debug)]
struct Waiting<T> {
    item: T,
    turn: Turn,
    deadline: Time64,
    sender: Sender,
    group: Group,
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
    next: u64,
    counters: Counters,
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
            next: 0,
            counters: Counters::default(),
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
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Returns how much memory the queue can come to use, in bytes, without what the items
    /// point to: a tree has nodes of eleven entries of which half may be empty.
    #[must_use]
    pub fn memory_max(&self) -> usize {
        let each = size_of::<(u64, Waiting<T>)>()
            + size_of::<Turn>()
            + size_of::<(Time64, u64)>()
            + size_of::<(Sender, Group, Turn)>()
            + size_of::<(Sender, Counts)>()
            + size_of::<Share>();
        // One more than the bound while a message comes in.
        self.bounds
            .messages
            .saturating_add(1)
            .saturating_mul(each * 2)
    }

    /// Takes a message. Returns the one that is dropped for it, which may be the message itself.
    /// What has expired is dropped before.
    pub fn push(&mut self, item: T, features: &Features, now: Time64) -> Option<Dropped<T>> {
        while self.pop_expired(now).is_some() {}
        self.counters.pushed += 1;
        let latest = Time64(now.0.saturating_add(self.bounds.wait_us));
        let deadline = features.deadline.map_or(latest, |own| own.min(latest));
        let (position, ego) = (features.position.as_ref(), self.ego.as_ref());
        let (zone, rank) = self.policy.rank(features.class, position, deadline, ego);
        if self.policy.is_exclusive() && zone == Zone::Outside {
            return Some(self.count(item, DropCause::Outside));
        }
        if deadline < now {
            return Some(self.count(item, DropCause::Expired));
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
            },
        );
        let (number, cause) = self.excess(features.sender)?;
        let excess = self.remove(number)?;
        Some(self.count(excess.item, cause))
    }

    /// Takes out the message to be verified next. What has expired is dropped before.
    pub fn pop(&mut self, now: Time64) -> Option<T> {
        while self.pop_expired(now).is_some() {}
        let every = u64::from(self.bounds.oldest_every);
        let is_oldest = every > 0 && (self.counters.popped + 1).is_multiple_of(every);
        let number = match is_oldest {
            true => *self.waiting.first_key_value()?.0,
            false => self.turns.first()?.1,
        };
        let next = self.remove(number)?;
        self.counters.popped += 1;
        Some(next.item)
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
    fn excess(&self, sender: Sender) -> Option<(u64, DropCause)> {
        let is_known = sender != Sender::Unknown;
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
        Some(waiting)
    }
}
