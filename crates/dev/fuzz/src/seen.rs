//! Counts of a run.

use std::collections::BTreeMap;

/// Counts of a run: a fuzzer can ignore them, a test checks by them that something happened.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Inputs handed to all roles.
    pub inputs: usize,
    /// The most outputs that one input caused.
    pub outputs_max: usize,
    events: BTreeMap<&'static str, usize>,
}

impl Seen {
    /// Returns how often something happened; the names are those of the protocol's module.
    #[must_use]
    pub fn count(&self, event: &str) -> usize {
        self.events.get(event).copied().unwrap_or(0)
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        self.inputs += other.inputs;
        self.outputs_max = self.outputs_max.max(other.outputs_max);
        for (event, count) in &other.events {
            *self.events.entry(event).or_default() += count;
        }
    }

    pub(crate) fn note(&mut self, event: &'static str) {
        *self.events.entry(event).or_default() += 1;
    }
}
