//! The table of all candidates.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::ideal::ideal_note;
use waywarden_vehicle_file::{FrameFormat, StreamIndex};

use super::candidate::{Candidate, CandidateCarrier};
use super::figures::CandidateFigures;
use super::guess::YEAR_SECONDS;
use super::row::{CandidateRow, ImpossibleCandidates};
use super::{CandidateTrial, FitSetting, FitVehicle, recommend};

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
    pub rows: Vec<CandidateRow>,
    /// The candidates that cannot be, by their reason.
    pub impossible: Vec<ImpossibleCandidates>,
    /// Changes that were made to the vehicle, a sentence each.
    pub changes_text: Vec<String>,
    /// Assumptions of the figures, a sentence each.
    pub assumptions_text: Vec<String>,
}

impl Fit {
    /// Makes the table of the candidates that were tried in this order.
    #[must_use]
    pub fn new(vehicle: &FitVehicle, setting: &FitSetting, trials: Vec<CandidateTrial>) -> Self {
        let (mut rows, mut impossible) = (
            Vec::<CandidateRow>::new(),
            Vec::<ImpossibleCandidates>::new(),
        );
        for CandidateTrial { candidate, result } in trials {
            match result {
                Ok(figures) => {
                    let beside: Vec<(usize, &CandidateFigures)> =
                        beside(candidate, &rows).collect();
                    let number = rows.len() + 1;
                    let row = CandidateRow::new(number, candidate, figures, &beside, setting.risk);
                    rows.push(row);
                }
                Err(reason) => {
                    let same = impossible.iter_mut().find(|one| one.reason_text == reason);
                    match same {
                        Some(one) => one.candidates.push(candidate),
                        None => impossible.push(ImpossibleCandidates {
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
    pub fn best(&self) -> Option<&CandidateRow> {
        self.rows.get(self.recommended?.checked_sub(1)?)
    }
}

/// Returns the rows that a candidate is judged beside: without codes, and for one on CAN FD without
/// codes on CAN FD, too, because its frames are faster for that alone.
fn beside(
    candidate: Candidate,
    rows: &[CandidateRow],
) -> impl Iterator<Item = (usize, &CandidateFigures)> {
    let is_on_fd = candidate.secoc().map(|one| one.carrier) == Some(CandidateCarrier::CanFd);
    let rows = rows.iter().filter(move |row| match row.candidate {
        Candidate::None => true,
        Candidate::NoneOnFd => is_on_fd,
        Candidate::Secoc(_) => false,
    });
    rows.map(|row| (row.number, &row.figures))
}

/// Says what the figures assume.
fn assumptions(vehicle: &FitVehicle, setting: &FitSetting, rows: &[CandidateRow]) -> Vec<String> {
    let days = YEAR_SECONDS / 86_400.0;
    let mut all = vec![match setting.attack_rate {
        Some(rate) => format!(
            "guessing: an attacker sends {rate} forged messages a second for {days} days, and no \
             receiver limits failed codes"
        ),
        None => format!(
            "guessing: an attacker takes the whole bus for {days} days, whatever others send, for \
             forged messages in the shortest frames that have a code, and no receiver limits \
             failed codes"
        ),
    }];
    let file = vehicle.file();
    let becomes_fd = rows
        .iter()
        .any(|row| row.figures.messages.iter().any(|one| one.becomes_can_fd));
    let is_fd = |at: &StreamIndex| file.stream(*at).format != FrameFormat::Classic;
    if vehicle.chosen().iter().all(is_fd) {
        let text = "CAN FD: all messages to protect are CAN FD frames already, so the carriers \
                    in-message and can-fd are one";
        all.push(text.to_owned());
    }
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
