//! Shares of senders in the queue.

use alloc::collections::{BTreeMap, BTreeSet};

use super::class::MessageClass;
use super::features::ClaimedSender;
use super::policy::{Rank, Zone};

/// Position in the order of messages: by rank, then by number, which counts arrivals.
pub(super) type Turn = (Rank, u64);

/// Number of a sender's messages in the whole queue, and the turn of its last one in a group. The
/// largest share gives up a message first, among equal ones that with the last turn.
pub(super) type Share = (usize, Turn, ClaimedSender);

/// Number of groups.
pub(super) const GROUPS: usize = MessageClass::COUNT * Zone::COUNT;

/// One class and zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group(u8);

impl Group {
    pub(super) fn new(class: MessageClass, zone: Zone) -> Self {
        Self((class as usize * Zone::COUNT + zone as usize) as u8)
    }

    fn index(self) -> usize {
        self.0.into()
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..GROUPS as u8).map(Self)
    }
}

/// The messages of all groups, by sender. Each operation takes logarithmic time for each group in
/// which the sender has messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    turns: BTreeSet<(ClaimedSender, Group, Turn)>,
    counts: BTreeMap<ClaimedSender, Counts>,
    groups: [Members; GROUPS],
}

/// Number of a sender's messages, by group.
pub(super) type Counts = [usize; GROUPS];

/// The messages of one group.
#[derive(Clone, Debug, Default)]
struct Members {
    count: usize,
    shares: BTreeSet<Share>,
}

impl Shares {
    /// Returns how many messages a sender has.
    pub(super) fn count(&self, sender: ClaimedSender) -> usize {
        self.counts
            .get(&sender)
            .map_or(0, |counts| counts.iter().sum())
    }

    /// Returns the last turn that a sender has.
    pub(super) fn last(&self, sender: ClaimedSender) -> Option<Turn> {
        let groups = self.groups_of(sender);
        groups.filter_map(|group| self.last_in(sender, group)).max()
    }

    /// Returns the largest share in a group of more than so many messages.
    pub(super) fn largest(&self, reserved: usize) -> Option<Share> {
        let groups = self.groups.iter().filter(|group| group.count > reserved);
        let largest = groups.filter_map(|group| group.shares.last());
        largest.max().copied()
    }

    pub(super) fn insert(&mut self, sender: ClaimedSender, group: Group, turn: Turn) {
        self.rank(sender, false);
        self.turns.insert((sender, group, turn));
        self.counts.entry(sender).or_default()[group.index()] += 1;
        self.groups[group.index()].count += 1;
        self.rank(sender, true);
    }

    /// Removes a message that is there.
    pub(super) fn remove(&mut self, sender: ClaimedSender, group: Group, turn: Turn) {
        self.rank(sender, false);
        self.turns.remove(&(sender, group, turn));
        self.groups[group.index()].count -= 1;
        if let Some(counts) = self.counts.get_mut(&sender) {
            counts[group.index()] -= 1;
            if counts.iter().all(|count| *count == 0) {
                self.counts.remove(&sender);
            }
        }
        self.rank(sender, true);
    }

    /// Enters the shares of a sender into its groups, or takes them out: a message that comes or
    /// goes in one group changes them in all.
    fn rank(&mut self, sender: ClaimedSender, is_in: bool) {
        let count = self.count(sender);
        for group in self.groups_of(sender) {
            let Some(last) = self.last_in(sender, group) else {
                continue;
            };
            let shares = &mut self.groups[group.index()].shares;
            match is_in {
                true => shares.insert((count, last, sender)),
                false => shares.remove(&(count, last, sender)),
            };
        }
    }

    /// Returns the groups in which a sender has messages.
    fn groups_of(&self, sender: ClaimedSender) -> impl Iterator<Item = Group> + use<> {
        let counts = self.counts.get(&sender).copied().unwrap_or_default();
        Group::all().filter(move |group| counts[group.index()] > 0)
    }

    fn last_in(&self, sender: ClaimedSender, group: Group) -> Option<Turn> {
        let end = (Rank::LAST, u64::MAX);
        let all = (sender, group, Turn::default())..=(sender, group, end);
        let (_, _, last) = self.turns.range(all).next_back()?;
        Some(*last)
    }
}
