//! The table of all candidates.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use waywarden_vehicle_file::ideal::ideal_note;

use super::candidate::{Candidate, Carrier};
use super::figures::Figures;
use super::guess::YEAR_SECONDS;
use super::{Setting, Trial, Vehicle, recommend};

/// Candidates of a vehicle side by side, and the recommendation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Fit {
    /// Name of the vehicle.
    pub vehicle: String,
    /// The seed of all runs.
    pub seed: u64,
    /// Simulated duration of each run.
    pub duration_ms: f64,
    /// Number of messages of the vehicle.
    pub messages: usize,
    /// Number of those to protect.
    pub to_protect: usize,
    /// Accepted probability of guessing a code within a year.
    pub accepted_risk: f64,
    /// Number of the recommended row, from 1; the nearest one if none fits, none if no row protects
    /// a message.
    pub recommended: Option<usize>,
    /// True if the recommended candidate fits.
    pub fits: bool,
    /// The recommendation with its reason, in a few sentences.
    pub conclusion_text: String,
    /// The candidates that ran, those without codes first.
    pub rows: Vec<Row>,
    /// The candidates that cannot be, by their reason.
    pub impossible: Vec<Impossible>,
    /// Changes that were made to the vehicle, a sentence each.
    pub changes_text: Vec<String>,
    /// Assumptions of the figures, a sentence each.
    pub assumptions_text: Vec<String>,
}

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
    fn new(number: usize, candidate: Candidate, figures: Figures, without: &Figures) -> Self {
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

impl Fit {
    /// Makes the table of the candidates that were tried in this order.
    #[must_use]
    pub fn new(vehicle: &Vehicle, setting: &Setting, trials: Vec<Trial>) -> Self {
        let (mut rows, mut impossible) = (Vec::new(), Vec::<Impossible>::new());
        let mut without: Option<Figures> = None;
        for Trial { candidate, result } in trials {
            match result {
                Ok(figures) => {
                    let without = without.get_or_insert_with(|| figures.clone());
                    rows.push(Row::new(rows.len() + 1, candidate, figures, without));
                }
                Err(reason) => {
                    let same = impossible.iter_mut().find(|one| one.reason_text == reason);
                    match same {
                        Some(one) => one.candidates.push(candidate),
                        None => impossible.push(Impossible {
                            reason_text: reason,
                            candidates: vec![candidate],
                        }),
                    }
                }
            }
        }
        let best = recommend::best(&rows, setting.risk);
        let file = vehicle.file();
        Fit {
            vehicle: file.name.clone(),
            seed: file.seed,
            duration_ms: file.duration.as_nanos() as f64 * 1e-6,
            messages: file.streams.len(),
            to_protect: vehicle.chosen().len(),
            accepted_risk: setting.risk,
            recommended: best.map(|at| at + 1),
            fits: best.and_then(|at| rows.get(at)).is_some_and(|row| row.fits),
            conclusion_text: recommend::conclusion(&rows, best, setting.risk),
            changes_text: vehicle.remarks().to_vec(),
            assumptions_text: assumptions(vehicle, setting, &rows),
            rows,
            impossible,
        }
    }

    /// Returns the recommended row, or the nearest one.
    #[must_use]
    pub fn best(&self) -> Option<&Row> {
        self.rows.get(self.recommended?.checked_sub(1)?)
    }
}

/// Says what the figures assume.
fn assumptions(vehicle: &Vehicle, setting: &Setting, rows: &[Row]) -> Vec<String> {
    let days = YEAR_SECONDS / 86_400.0;
    let mut all = vec![match setting.attack_rate {
        Some(rate) => format!(
            "guessing: an attacker sends {rate} forged messages a second for {days} days, and no \
             receiver limits failed codes"
        ),
        None => format!(
            "guessing: an attacker sends forged messages for {days} days in all the time that the \
             bus leaves free, the shortest frames that have a code, and no receiver limits failed \
             codes"
        ),
    }];
    let file = vehicle.file();
    let becomes_fd = rows
        .iter()
        .any(|row| row.figures.messages.iter().any(|one| one.becomes_can_fd));
    if becomes_fd {
        all.push(format!(
            "CAN FD: all nodes of the bus have CAN FD controllers; a bus without data bit rate \
             gets {} bit/s",
            setting.data_bit_rate
        ));
    }
    let bounds = rows
        .iter()
        .flat_map(|row| &row.figures.bound_assumptions_text);
    for assumption in bounds {
        let text = format!("bounds: {assumption}");
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all.extend(ideal_note(file));
    all
}
