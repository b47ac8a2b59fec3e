//! The plan of verifications in time: the most useful waiting messages that fit.

use alloc::collections::VecDeque;
use core::cmp::Ordering;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::features::ClaimedSender;

/// A message with a place in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// Time by which it is to be verified.
    pub(super) deadline: Time64,
    pub(super) number: u64,
    /// Worth of verifying it.
    pub(super) worth: u32,
    /// Duration of the verification, in us.
    pub(super) duration_us: u64,
    pub(super) sender: ClaimedSender,
}

impl Planned {
    fn turn(&self) -> (Time64, u64) {
        (self.deadline, self.number)
    }

    /// Compares what a message is worth for the time that it takes.
    fn compare_worth(&self, other: &Self) -> Ordering {
        let times = |one: &Self, of: &Self| u128::from(one.worth) * u128::from(of.duration_us);
        times(self, other).cmp(&times(other, self))
    }
}

/// Messages by their deadlines, so that each one is verified before its own if all are verified in
/// this order. Of jobs of one length these sets are a matroid: dropping the one of the least worth
/// where one is too many leaves a set of the most worth. Of two lengths the one that is worth the
/// least for its time goes, which need not be the best choice.
///
/// Each operation takes time linear in the number of messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    planned: VecDeque<Planned>,
}

impl Plan {
    /// Takes a message in. Gives those to `out` that have no place for it, which may be that
    /// message. `free` is when one of so many workers is free.
    pub(super) fn offer(
        &mut self,
        offered: Planned,
        (free, workers): (Time64, usize),
        out: &mut VecDeque<Planned>,
    ) {
        let turn = offered.turn();
        let at = self.planned.partition_point(|one| one.turn() < turn);
        self.planned.insert(at, offered);
        while let Some(late) = self.first_late(free, workers) {
            let before = self.planned.iter().take(late + 1).enumerate();
            // Of equal ones the one with the earliest deadline goes: it has the least time left.
            let least = before.min_by(|(_, one), (_, other)| one.compare_worth(other));
            let least = least.map(|(least, _)| least);
            out.extend(least.and_then(|least| self.planned.remove(least)));
        }
    }

    /// Finds the first message that would be late. Workers side by side take a round of messages,
    /// which lasts as long as the longest.
    fn first_late(&self, free: Time64, workers: usize) -> Option<usize> {
        let (mut begin, mut longest) = (free.0, 0);
        for (place, one) in self.planned.iter().enumerate() {
            if place.is_multiple_of(workers.max(1)) {
                begin = begin.saturating_add(longest);
                longest = 0;
            }
            if begin.saturating_add(one.duration_us) > one.deadline.0 {
                return Some(place);
            }
            longest = longest.max(one.duration_us);
        }
        None
    }

    /// Takes out the message with the first deadline if it would be late though it came next.
    pub(super) fn take_late(&mut self, free: Time64) -> Option<Planned> {
        let first = self.planned.front()?;
        let done = free.0.saturating_add(first.duration_us);
        match done > first.deadline.0 {
            true => self.planned.pop_front(),
            false => None,
        }
    }

    /// Takes a message out, if it is there.
    pub(super) fn remove(&mut self, deadline: Time64, number: u64) {
        let turn = (deadline, number);
        let at = self.planned.partition_point(|one| one.turn() < turn);
        if self.planned.get(at).is_some_and(|one| one.turn() == turn) {
            self.planned.remove(at);
        }
    }

    /// Returns how many messages of a sender have a place.
    pub(super) fn count(&self, sender: ClaimedSender) -> u32 {
        let own = self.planned.iter().filter(|one| one.sender == sender);
        own.count() as u32
    }
}
