//! One verifier, the queue before it, and the clock of both.

use waywarden_v2x_schedule::{DropCause, Features, Queue};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// Outcome of a message, with its time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decision<T> {
    pub(super) item: T,
    pub(super) outcome: Outcome,
    /// Time at which its verification began, or at which it was dropped.
    pub(super) at_ns: u64,
}

/// Outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Verified,
    Dropped(DropCause),
}

/// The queue and the verifier on a clock that begins at 0. Time never goes back.
pub(super) struct Timeline<T> {
    queue: Queue<T>,
    /// The time at which the clock stands at 0.
    begin: Option<Time64>,
    /// Duration of one verification.
    service_ns: u64,
    now_ns: u64,
    /// Time at which the verifier is free.
    free_ns: u64,
}

impl<T> Timeline<T> {
    pub(super) fn new(queue: Queue<T>, service_ns: u64) -> Self {
        Self {
            queue,
            begin: None,
            service_ns,
            now_ns: 0,
            free_ns: 0,
        }
    }

    /// Returns the time at which the clock stands at 0; the first call decides it.
    pub(super) fn begin(&mut self, first: impl FnOnce() -> Time64) -> Time64 {
        *self.begin.get_or_insert_with(first)
    }

    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Returns the arrival time of a message that claims to arrive at `at_ns`: not before the last
    /// event.
    pub(super) fn arrival_ns(&self, at_ns: u64) -> u64 {
        at_ns.max(self.now_ns)
    }

    /// Takes a message; call [`next`](Self::next) until that moment before. Returns what is dropped
    /// for it.
    pub(super) fn arrive(&mut self, item: T, features: &Features, at_ns: u64) -> Vec<Decision<T>> {
        self.now_ns = at_ns.max(self.now_ns);
        let mut dropped = Vec::new();
        while let Some(expired) = self.expired(self.now_ns) {
            dropped.push(expired);
        }
        let full = self.queue.push(item, features, self.moment(self.now_ns));
        dropped.extend(full.map(|one| Decision {
            item: one.item,
            outcome: Outcome::Dropped(one.cause),
            at_ns: self.now_ns,
        }));
        dropped
    }

    /// Returns the next message that is verified or expires before a moment. A verification that
    /// would begin at that very moment waits for what arrives then.
    pub(super) fn next(&mut self, until_ns: Option<u64>) -> Option<Decision<T>> {
        if self.queue.is_empty() {
            return None;
        }
        let at_ns = self.free_ns.max(self.now_ns);
        if until_ns.is_some_and(|until| at_ns >= until) {
            return None;
        }
        if let Some(expired) = self.expired(at_ns) {
            return Some(expired);
        }
        let item = self.queue.pop(self.moment(at_ns))?;
        self.now_ns = at_ns;
        self.free_ns = at_ns.saturating_add(self.service_ns);
        Some(Decision {
            item,
            outcome: Outcome::Verified,
            at_ns,
        })
    }

    /// Takes whether the signature of a message is valid whose verification began then.
    pub(super) fn learn(&mut self, features: &Features, at_ns: u64, is_valid: bool) {
        let done = self.moment(at_ns.saturating_add(self.service_ns));
        self.queue.learn(features, done, is_valid);
    }

    fn moment(&self, at_ns: u64) -> Time64 {
        let begin = self.begin.map_or(0, |begin| begin.0);
        Time64(begin.saturating_add(at_ns / 1_000))
    }

    fn expired(&mut self, at_ns: u64) -> Option<Decision<T>> {
        let item = self.queue.pop_expired(self.moment(at_ns))?;
        Some(Decision {
            item,
            outcome: Outcome::Dropped(DropCause::Expired),
            at_ns,
        })
    }
}

#[cfg(test)]
#[path = "timeline/tests.rs"]
mod tests;
