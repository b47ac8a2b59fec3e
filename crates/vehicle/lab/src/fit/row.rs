//! Rows of the table: candidates that ran, and those that cannot be.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::candidate::{Candidate, CandidateCarrier};
use super::figures::CandidateFigures;

/// A candidate and its figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CandidateRow {
    /// Its number, from 1.
    pub number: usize,
    /// Name of its vehicle file, without extension.
    pub name: String,
    /// The candidate.
    #[serde(skip)]
    pub candidate: Candidate,
    /// Name of the profile; none without codes.
    pub profile: Option<&'static str>,
    /// Bits of freshness that travel.
    pub freshness_bits: Option<u8>,
    /// Bits of the code that travel.
    pub code_bits: Option<u8>,
    /// Frames that carry both.
    pub carrier: Option<CandidateCarrier>,
    /// True if there is no reason against it; never without codes.
    pub fits: bool,
    /// Reasons against it.
    pub unfit: Vec<Unfit>,
    /// The rows without codes that it is judged beside.
    pub judged_beside: Vec<usize>,
    /// Messages that may miss deadlines or missed them, and did not in such a row.
    pub newly_missed: Vec<String>,
    /// Messages that miss deadlines by more than in the last such row, each with both values.
    pub missed_by_more_text: Vec<String>,
    /// Requirements missed that were met in such a row.
    pub requirements_newly_missed_text: Vec<String>,
    /// Requirements missed by more than in the last such row, each with both values.
    pub requirements_missed_by_more_text: Vec<String>,
    /// Its figures.
    #[serde(flatten)]
    pub figures: CandidateFigures,
}

/// A reason against a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unfit {
    /// Messages to protect stay without a code.
    Unprotected,
    /// A deadline or a requirement is missed newly, or by more.
    Late,
    /// Instances of messages are refused or lost, or may be by analysis.
    Lost,
    /// A code is guessed within a year with more than the accepted probability.
    Guessed,
}

/// Candidates that cannot be for the same reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImpossibleCandidates {
    /// Reason why they cannot be, and the remedy.
    pub reason_text: String,
    /// Names of their vehicle files.
    #[serde(serialize_with = "file_names")]
    #[schemars(with = "Vec<String>")]
    pub candidates: Vec<Candidate>,
}

fn file_names<S: Serializer>(all: &[Candidate], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(|one| one.file_name()))
}

impl CandidateRow {
    /// Judges a candidate beside rows without codes: the vehicle as it is, and for messages on CAN
    /// FD the same on CAN FD.
    pub(super) fn new(
        number: usize,
        candidate: Candidate,
        figures: CandidateFigures,
        beside: &[(usize, &CandidateFigures)],
        risk: f64,
    ) -> Self {
        let secoc = candidate.secoc();
        let mut row = CandidateRow {
            number,
            name: candidate.file_name(),
            candidate,
            profile: secoc.map(|one| one.profile),
            freshness_bits: secoc.map(|one| one.freshness_bits),
            code_bits: secoc.map(|one| one.mac_bits),
            carrier: secoc.map(|one| one.carrier),
            fits: false,
            unfit: Vec::new(),
            judged_beside: beside.iter().map(|(number, _)| *number).collect(),
            newly_missed: Vec::new(),
            missed_by_more_text: Vec::new(),
            requirements_newly_missed_text: Vec::new(),
            requirements_missed_by_more_text: Vec::new(),
            figures,
        };
        row.judge(beside);
        if secoc.is_some() {
            let own = &row.figures;
            let against = [
                (own.protected < own.to_protect, Unfit::Unprotected),
                (row.misses() > row.losses(), Unfit::Late),
                (row.losses() > 0, Unfit::Lost),
                (row.guessed_in_a_year() > risk, Unfit::Guessed),
            ];
            let against = against.into_iter().filter(|(is_so, _)| *is_so);
            row.unfit = against.map(|(_, why)| why).collect();
            row.fits = row.unfit.is_empty();
        }
        row
    }

    /// Finds what it misses newly, or by more.
    fn judge(&mut self, beside: &[(usize, &CandidateFigures)]) {
        let own = &self.figures;
        for one in &own.judged {
            let mut others = beside.iter().filter_map(|(_, figures)| {
                let mut all = figures.judged.iter();
                all.find(|other| other.name == one.name)
            });
            if others.clone().any(|other| one.newly_misses(other)) {
                self.newly_missed.push(one.name.clone());
            } else {
                let more = others.next_back().and_then(|other| one.more_than(other));
                self.missed_by_more_text.extend(more);
            }
        }
        for one in &own.requirements_missed {
            let mut others = beside.iter().map(|(_, figures)| {
                let mut all = figures.requirements_missed.iter();
                all.find(|other| other.title == one.title)
            });
            if others.clone().any(|other| other.is_none()) {
                self.requirements_newly_missed_text.push(one.title.clone());
            } else {
                let more = others
                    .next_back()
                    .flatten()
                    .and_then(|other| one.more_than(other));
                self.requirements_missed_by_more_text.extend(more);
            }
        }
    }

    /// Returns how many messages are refused or lost, or may be refused by analysis.
    #[must_use]
    pub fn losses(&self) -> usize {
        let missed = &self.figures.missed;
        let lost = missed.refused_or_lost.iter();
        let lost = lost.filter(|one| !missed.may_be_refused.contains(one));
        missed.may_be_refused.len() + lost.count()
    }

    /// Returns how many messages and requirements it misses newly or by more, and how many messages
    /// it loses.
    #[must_use]
    pub fn misses(&self) -> usize {
        self.newly_missed.len()
            + self.missed_by_more_text.len()
            + self.losses()
            + self.requirements_newly_missed_text.len()
            + self.requirements_missed_by_more_text.len()
    }

    /// Returns the probability that one of its codes is guessed within a year; 1 without codes.
    #[must_use]
    pub fn guessed_in_a_year(&self) -> f64 {
        let guess = self.figures.guess.as_ref();
        guess.map_or(1.0, |guess| guess.in_a_year)
    }
}
