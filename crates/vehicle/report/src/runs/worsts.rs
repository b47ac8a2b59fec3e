//! The slowest deliveries of many runs, counted in bounded memory.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Different values that are kept; with more of them the unit doubles.
const VALUES_MAX: usize = 256;

/// Durations with how many runs had each, exact up to 256 different ones.
///
/// More of them are rounded down to a unit of 2, 4, 8, ... ns: the least one that leaves 256. The
/// counts depend on the runs alone, not on their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Worsts {
    /// The unit, a power of two.
    pub unit_ns: u64,
    /// Duration in this unit, and the number of runs, in ascending order.
    pub counts: Vec<(u64, u64)>,
}

impl Default for Worsts {
    fn default() -> Self {
        Worsts {
            unit_ns: 1,
            counts: Vec::new(),
        }
    }
}

impl Worsts {
    /// Adds a duration that `runs` runs had.
    pub(super) fn add(&mut self, nanos: u64, runs: u64) {
        let value = nanos / self.unit_ns;
        match self
            .counts
            .binary_search_by_key(&value, |&(value, _)| value)
        {
            Ok(at) => self.counts[at].1 = self.counts[at].1.saturating_add(runs),
            Err(at) => self.counts.insert(at, (value, runs)),
        }
        while self.counts.len() > VALUES_MAX {
            self.coarsen();
        }
    }

    /// Adds the durations of other runs.
    pub(super) fn merge(&mut self, other: &Self) {
        while self.unit_ns < other.unit_ns {
            self.coarsen();
        }
        for &(value, runs) in &other.counts {
            self.add(value.saturating_mul(other.unit_ns), runs);
        }
    }

    fn coarsen(&mut self) {
        self.unit_ns *= 2;
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for &(value, runs) in &self.counts {
            let count = counts.entry(value / 2).or_default();
            *count = count.saturating_add(runs);
        }
        self.counts = counts.into_iter().collect();
    }

    /// Returns the median in nanoseconds, of two in the middle the lower.
    pub(super) fn median(&self) -> Option<u64> {
        let runs = self.counts.iter().map(|&(_, runs)| u128::from(runs));
        let middle = runs.sum::<u128>().div_ceil(2);
        let mut before = 0_u128;
        let mut counts = self.counts.iter();
        let found = counts.find(|&&(_, runs)| {
            before += u128::from(runs);
            before >= middle
        });
        found.map(|&(value, _)| value.saturating_mul(self.unit_ns))
    }

    /// Returns true if the counts are such as this type writes them.
    pub(super) fn is_sound(&self) -> bool {
        let mut pairs = self.counts.windows(2);
        let greatest = self.counts.last().map_or(0, |&(value, _)| value);
        self.unit_ns.is_power_of_two()
            && greatest.checked_mul(self.unit_ns).is_some()
            && self.counts.len() <= VALUES_MAX
            && self.counts.iter().all(|&(_, runs)| runs > 0)
            && pairs.all(|pair| pair[0].0 < pair[1].0)
    }
}
