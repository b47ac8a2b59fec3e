//! Rows of the table: candidates that ran, and those that cannot be.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::candidate::{Candidate, Carrier};
use super::figures::Figures;

/// A candidate and its figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
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
    pub carrier: Option<Carrier>,
    /// True if it protects all messages to protect, and misses no deadline and no requirement that
    /// is met without codes.
    pub fits: bool,
    /// Messages that may miss deadlines or missed them, and did not without codes.
    pub newly_missed: Vec<String>,
    /// Requirements missed that were met without codes.
    pub requirements_newly_missed_text: Vec<String>,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Candidates that cannot be for the same reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Impossible {
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

impl Row {
    pub(super) fn new(
        number: usize,
        candidate: Candidate,
        figures: Figures,
        without: &Figures,
    ) -> Self {
        let secoc = candidate.secoc();
        let mut newly_missed = Vec::new();
        let missed = &figures.missed;
        for name in missed.by_bound.iter().chain(&missed.simulated) {
            let was_by_bound = without.missed.by_bound.contains(name);
            let was_simulated = without.missed.simulated.contains(name);
            let is_new = match missed.simulated.contains(name) {
                true => !was_simulated,
                false => !was_by_bound,
            };
            if is_new && !newly_missed.contains(name) {
                newly_missed.push(name.clone());
            }
        }
        let requirements = figures.requirements_missed_text.iter();
        let requirements =
            requirements.filter(|one| !without.requirements_missed_text.contains(one));
        let requirements: Vec<String> = requirements.cloned().collect();
        let protects = figures.protected == figures.to_protect || secoc.is_none();
        Row {
            number,
            name: candidate.file_name(),
            candidate,
            profile: secoc.map(|one| one.profile),
            freshness_bits: secoc.map(|one| one.freshness_bits),
            code_bits: secoc.map(|one| one.mac_bits),
            carrier: secoc.map(|one| one.carrier),
            fits: protects && newly_missed.is_empty() && requirements.is_empty(),
            newly_missed,
            requirements_newly_missed_text: requirements,
            figures,
        }
    }

    /// Returns how many messages and requirements it misses that are met without codes.
    #[must_use]
    pub fn new_misses(&self) -> usize {
        self.newly_missed.len() + self.requirements_newly_missed_text.len()
    }

    /// Returns the probability that one of its codes is guessed within a year; 1 without codes.
    #[must_use]
    pub fn guessed_in_a_year(&self) -> f64 {
        let guess = self.figures.guess.as_ref();
        guess.map_or(1.0, |guess| guess.in_a_year)
    }
}
