//! Counters that are marked as used in advance: a counter survives a reset without being written at
//! every message.

use super::RESERVE;

/// The part of a counter that may be used until more is retained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reserve {
    /// Retained: counters up to this one are not used again after a reset.
    retained: u64,
    wanted: Option<u64>,
    max: u64,
}

impl Reserve {
    /// After a boot, where `retained` is what was last retained: covers nothing new.
    pub(super) const fn new(retained: u64, max: u64) -> Self {
        Reserve {
            retained,
            wanted: None,
            max,
        }
    }

    /// Returns true if a counter may be used.
    pub(super) const fn covers(&self, counter: u64) -> bool {
        counter <= self.retained
    }

    /// Notes that a counter was used: asks for more while half of the reserve is left.
    pub(super) fn advance(&mut self, counter: u64) {
        if counter.saturating_add(RESERVE / 2) >= self.retained {
            self.want(counter);
        }
    }

    /// Asks for a reserve from a counter on.
    pub(super) fn want(&mut self, counter: u64) {
        let upto = counter.saturating_add(RESERVE).min(self.max);
        if upto > self.retained && self.wanted < Some(upto) {
            self.wanted = Some(upto);
        }
    }

    /// Returns the value to be retained now.
    pub(super) const fn wanted(&self) -> Option<u64> {
        self.wanted
    }

    /// Takes note that `upto` is retained.
    pub(super) fn confirm(&mut self, upto: u64) {
        self.retained = self.retained.max(upto);
        if self.wanted <= Some(self.retained) {
            self.wanted = None;
        }
    }
}
