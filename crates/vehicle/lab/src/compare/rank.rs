//! The criteria that variants are ranked by.

use schemars::JsonSchema;
use serde::Serialize;

use super::row::VariantFigures;

/// First criterion of the ranking, among variants that protect streams and meet the requirements as
/// well as each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RankBy {
    /// Streams without protection, then attacks that reach a receiver, then streams whose keys stay
    /// the same.
    #[default]
    Security,
    /// Requirements missed.
    Requirements,
    /// Attacks that reach a receiver.
    Attacks,
    /// The worst latency as a share of its deadline.
    Latency,
    /// Load of the busiest bus.
    Load,
    /// Start-up time.
    StartUp,
}

const ORDER: [RankBy; 5] = [
    RankBy::Security,
    RankBy::Requirements,
    RankBy::Latency,
    RankBy::Load,
    RankBy::StartUp,
];

/// Returns all that variants are ranked by, with this in front.
pub(super) fn order(first: RankBy) -> Vec<RankBy> {
    let others = ORDER.into_iter().filter(|one| *one != first);
    std::iter::once(first).chain(others).collect()
}

impl VariantFigures {
    /// Returns what is compared: less is better, and as exact as it is shown.
    pub(super) fn key(&self, by: RankBy) -> [u64; 3] {
        let whole = |value: Option<f64>, parts: f64| match value {
            Some(value) => (value * parts).round() as u64,
            None => u64::MAX,
        };
        let one = |value| [value, 0, 0];
        let (coverage, open) = (self.coverage, self.open.len() as u64);
        match by {
            RankBy::Security => [
                coverage.streams.saturating_sub(coverage.covered) as u64,
                open,
                coverage.covered.saturating_sub(coverage.session_keys) as u64,
            ],
            RankBy::Requirements => one(self.missed.len() as u64),
            RankBy::Attacks => one(open),
            RankBy::Latency => one(match self.worst_stream {
                // Nothing was due.
                None => 0,
                Some(_) => whole(self.worst_share, 1_000.0),
            }),
            RankBy::Load => one(whole(Some(self.load), 1_000.0)),
            RankBy::StartUp => one(whole(self.start_up_ms, 1_000.0)),
        }
    }
}
