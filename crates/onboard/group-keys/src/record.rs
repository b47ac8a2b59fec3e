//! The orchestrator's records of ECUs and of orders.

use super::transcript::ChannelKey;

/// A signature made before its order was due, with its freshness.
pub(super) type SignedAhead = Option<(u64, [u8; 64])>;

/// The orchestrator's knowledge of one ECU.
pub(super) struct EcuRecord {
    /// The key of the private channel with it.
    pub(super) channel: Option<ChannelKey>,
    /// Number of exchanges that it caused again since it last acknowledged a key.
    pub(super) insists: u8,
    /// Number of its reports since a key was last proven.
    pub(super) reports: u8,
}

impl EcuRecord {
    pub(super) const fn new() -> Self {
        EcuRecord {
            channel: None,
            insists: 0,
            reports: 0,
        }
    }

    /// Has something formed again; returns how often that was done before.
    pub(super) fn insist(&mut self) -> u8 {
        let before = self.insists;
        self.insists = before.saturating_add(1);
        before
    }
}
