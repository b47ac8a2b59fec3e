//! Which of the messages that wait can be verified in time: the most useful ones that fit.

use alloc::collections::VecDeque;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::features::Sender;

/// How fast messages are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) verification_us: u64,
    pub(super) workers: u64,
}

/// A message with a place in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// By when it is to be verified.
    pub(super) deadline: Time64,
    pub(super) number: u64,
    /// What verifying it is worth.
    pub(super) worth: u32,
    pub(super) sender: Sender,
}

impl Planned {
    fn turn(&self) -> (Time64, u64) {
        (self.deadline, self.number)
    }
}

/// Messages by their deadlines, so that each one is verified before its own if all are verified in
/// this order. Of jobs of one length these sets are a matroid: dropping the one of the least worth
/// where one is too many leaves a set of the most worth.
///
/// Each operation takes time linear in the number of messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    planned: VecDeque<Planned>,
}

impl Plan {
    /// Takes a message in. Returns the one that has no place for it, which may be that message.
    /// `free` is when a worker is free.
    pub(super) fn offer(
        &mut self,
        offered: Planned,
        free: Time64,
        capacity: &Capacity,
    ) -> Option<Planned> {
        let at = self
            .planned
            .partition_point(|one| one.turn() < offered.turn());
        self.planned.insert(at, offered);
        let late = self.first_late(at, free, capacity)?;
        let before = self.planned.iter().take(late + 1).enumerate();
        // Of equal ones the one with the earliest deadline goes: it has the least time left.
        let (least, _) = before.min_by_key(|(_, one)| one.worth)?;
        self.planned.remove(least)
    }

    /// Finds the first message from a place on that would be late.
    fn first_late(&self, from: usize, free: Time64, capacity: &Capacity) -> Option<usize> {
        let workers = capacity.workers.max(1) as usize;
        let done = |place: usize| {
            let rounds = (place / workers) as u64 + 1;
            let taken = rounds.saturating_mul(capacity.verification_us);
            free.0.saturating_add(taken)
        };
        let rest = self.planned.iter().enumerate().skip(from);
        let mut late = rest.filter(|(place, one)| done(*place) > one.deadline.0);
        late.next().map(|(place, _)| place)
    }

    /// Takes out the message with the first deadline if it would be late though it came next.
    pub(super) fn take_late(&mut self, free: Time64, capacity: &Capacity) -> Option<Planned> {
        let first = self.planned.front()?;
        let done = free.0.saturating_add(capacity.verification_us);
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
    pub(super) fn count(&self, sender: Sender) -> u32 {
        let own = self.planned.iter().filter(|one| one.sender == sender);
        own.count() as u32
    }
}
