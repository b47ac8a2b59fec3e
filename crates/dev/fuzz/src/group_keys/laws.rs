//! Properties that must always hold, and the state that their checks need.

use crate::ring::Ring;

/// The last 64 keys that the orchestrator has proven, by epoch.
pub(super) struct Proven(Ring<(u64, [u8; 32]), 64>);

impl Proven {
    pub(super) const fn new() -> Self {
        Proven(Ring::new())
    }

    pub(super) fn note(&mut self, epoch: u64, key: &[u8; 32]) {
        self.0.note((epoch, *key));
    }

    /// Only the orchestrator holds a key here, so no other role can have proven one.
    pub(super) fn check(&self, epoch: u64, key: &[u8; 32]) {
        match self.0.iter().find(|(at, _)| *at == epoch) {
            Some((_, proven)) => assert!(proven == key, "two keys for epoch {epoch}"),
            None => assert!(self.0.has_forgotten(), "epoch {epoch} was never proven"),
        }
    }
}
