//! One figure of the headline, with the interval of its seeds.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_report_page::TableCell;
use waywarden_traffic_lab::{Mean, PairedVerdict};

/// A board in a scenario under an attack.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HeadlineCell {
    pub(super) scenario: String,
    pub(super) level: String,
    pub(super) attack: &'static str,
    pub(super) board: String,
    pub(super) seeds: usize,
    pub(super) policies: Vec<PolicyShare>,
}

/// A policy's share.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PolicyShare {
    pub(super) policy: String,
    /// `None` if nothing was relevant.
    pub(super) share: Option<f64>,
    pub(super) confidence_95: Option<f64>,
    /// Reference's share less this one, on the same seeds; `None` for the reference itself.
    pub(super) reference_more_by: Option<f64>,
    pub(super) reference_more_by_confidence_95: Option<f64>,
    /// Verdict on the reference against this policy: better, worse, same or one-seed.
    pub(super) reference_is: Option<&'static str>,
}

impl HeadlineCell {
    fn verdicts(&self) -> impl Iterator<Item = &'static str> {
        self.policies.iter().filter_map(|one| one.reference_is)
    }

    pub(super) fn any(&self, verdict: PairedVerdict) -> bool {
        self.verdicts().any(|code| code == verdict.code())
    }

    /// Returns the differences of the reference's share to each other policy's.
    fn more(&self) -> impl Iterator<Item = f64> {
        self.policies.iter().filter_map(|one| one.reference_more_by)
    }

    /// Returns true if the reference's mean is above those of all others.
    pub(super) fn is_above(&self) -> bool {
        self.more().all(|more| more > 0.0)
    }

    /// Returns true if the reference and another policy lose nothing.
    pub(super) fn is_full(&self) -> bool {
        let is_whole = |one: &&PolicyShare| one.share == Some(1.0);
        self.policies.iter().filter(is_whole).count() > 1 && !self.is_above()
    }

    pub(super) fn all_better(&self) -> bool {
        self.verdicts()
            .all(|code| code == PairedVerdict::Better.code())
    }
}

impl PolicyShare {
    pub(super) fn new(policy: &str, share: Mean, reference: Option<Mean>) -> Self {
        Self {
            policy: policy.to_owned(),
            share: Some(share.mean).filter(|share| !share.is_nan()),
            confidence_95: share.confidence_95,
            reference_more_by: reference.map(|more| more.mean),
            reference_more_by_confidence_95: reference.and_then(|more| more.confidence_95),
            reference_is: reference.map(|more| PairedVerdict::of(&more).code()),
        }
    }

    pub(super) fn words(&self) -> String {
        self.share
            .map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
    }

    pub(super) fn cell(&self, reference: &str) -> TableCell {
        let mut cell = TableCell::number(self.words());
        let percent = |half: Option<f64>| {
            half.map_or_else(String::new, |half| format!(" +-{:.2} %", 100.0 * half))
        };
        let half = percent(self.confidence_95);
        let share = self
            .share
            .map(|share| format!("{:.2} %{half}", 100.0 * share));
        cell.hint = share.unwrap_or_else(|| "nothing was relevant".to_owned());
        if let Some((more, is)) = self.reference_more_by.zip(self.reference_is) {
            let half = percent(self.reference_more_by_confidence_95);
            cell.hint += &format!("; {reference} has {:+.2} %{half}: {is}", 100.0 * more);
        }
        cell
    }
}
