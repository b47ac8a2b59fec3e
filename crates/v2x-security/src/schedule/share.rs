//! Who takes how much of the queue.

use alloc::collections::{BTreeMap, BTreeSet};

use super::class::MessageClass;
use super::features::Sender;
use super::policy::{Rank, Zone};

/// Where a message stands: by its rank, then by its number, which counts arrivals.
pub(super) type Turn = (Rank, u64);

/// How many messages a sender has in the whole queue, and the turn of its last one in a group. The
/// largest share gives up a message first, among equal ones that with the last turn.
pub(super) type Share = (usize, Turn, Sender);

/// How many groups there are.
pub(super) const GROUPS: usize = MessageClass::COUNT * Zone::COUNT;

/// One class and zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group(u8);

impl Group {
    pub(super) fn new(class: MessageClass, zone: Zone) -> Self {
        Self((class as usize * Zone::COUNT + zone as usize) as u8)
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..GROUPS as u8).map(Self)
    }
}

/// The messages of all groups, by sender. Each operation takes logarithmic time, times the number
/// of groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    turns: BTreeSet<(Sender, Group, Turn)>,
    counts: BTreeMap<Sender, usize>,
    groups: [Members; GROUPS],
}

/// The messages of one group.
#[derive(Clone, Debug, Default)]
struct Members {
    count: usize,
    shares: BTreeSet<Share>,
}

impl Shares {
    /// Returns how many messages a sender has.
    pub(super) fn count(&self, sender: Sender) -> usize {
        self.counts.get(&sender).copied().unwrap_or(0)
    }

    /// Returns the last turn that a sender has.
    pub(super) fn last(&self, sender: Sender) -> Option<Turn> {
        let last = Group::all().filter_map(|group| self.last_in(sender, group));
        last.max()
    }

    /// Returns the largest share in a group of more than so many messages.
    pub(super) fn largest(&self, reserved: usize) -> Option<Share> {
        let groups = self.groups.iter().filter(|group| group.count > reserved);
        let largest = groups.filter_map(|group| group.shares.last());
        largest.max().copied()
    }

    pub(super) fn insert(&mut self, sender: Sender, group: Group, turn: Turn) {
        self.rank(sender, false);
        self.turns.insert((sender, group, turn));
        *self.counts.entry(sender).or_insert(0) += 1;
        self.groups[usize::from(group.0)].count += 1;
        self.rank(sender, true);
    }

    /// Removes a message that is there.
    pub(super) fn remove(&mut self, sender: Sender, group: Group, turn: Turn) {
        self.rank(sender, false);
        self.turns.remove(&(sender, group, turn));
        match self.counts.get_mut(&sender) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(self.counts.remove(&sender)),
        }
        self.groups[usize::from(group.0)].count -= 1;
        self.rank(sender, true);
    }

    /// Enters the shares of a sender into its groups, or takes them out: a message that comes or
    /// goes in one group changes them in all.
    fn rank(&mut self, sender: Sender, is_in: bool) {
        let count = self.count(sender);
        for group in Group::all() {
            let Some(last) = self.last_in(sender, group) else {
                continue;
            };
            let shares = &mut self.groups[usize::from(group.0)].shares;
            match is_in {
                true => shares.insert((count, last, sender)),
                false => shares.remove(&(count, last, sender)),
            };
        }
    }

    fn last_in(&self, sender: Sender, group: Group) -> Option<Turn> {
        let end = (Rank::LAST, u64::MAX);
        let all = (sender, group, Turn::default())..=(sender, group, end);
        let (_, _, last) = self.turns.range(all).next_back()?;
        Some(*last)
    }
}
