//! Variants of a car side by side: ranked, those with the same figures once, and those that cannot
//! be made with the reason.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::ideal::ideal_note;

use super::choice::Variant;
use super::conclusion::conclusion;
use super::pareto::front;
use super::rank::{RankBy, order};
use super::row::{VariantFigures, VariantRow};
use super::{ComparisonSetting, Original};

/// Result of an attempt to make a variant and run it.
#[derive(Clone, Debug)]
pub struct VariantTrial {
    /// Variant that was tried.
    pub variant: Variant,
    /// Figures of its runs, or the reason why it cannot be made.
    pub result: Result<VariantFigures, String>,
}

/// Variants of a car, the best one first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// Name of the vehicle.
    pub vehicle: String,
    /// The seed of all runs.
    pub seed: u64,
    /// Simulated duration of each run.
    pub duration_ms: f64,
    /// First criterion of the ranking.
    pub rank_by: RankBy,
    /// The variant that fits best and the reason, in a few sentences.
    pub conclusion: String,
    /// The variants that ran; those that protect no stream come last.
    pub variants: Vec<VariantRow>,
    /// The variants that cannot be made, by their reason.
    pub impossible: Vec<ImpossibleVariants>,
    /// True if all ECUs have the ideal board, on which computing takes no time.
    pub ideal_boards: bool,
    /// Sentence about the ECUs that have the ideal board, of a vehicle whose images are simulated;
    /// none if all have it.
    #[serde(skip)]
    pub ideal_text: Option<String>,
}

/// Variants that cannot be made for the same reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImpossibleVariants {
    /// Reason why they cannot be made.
    pub reason: String,
    /// Variants that have this reason.
    pub variants: Vec<Variant>,
}

impl Comparison {
    /// Ranks variants that were tried in this order.
    #[must_use]
    pub fn new(
        original: &Original,
        setting: &ComparisonSetting,
        rank_by: RankBy,
        trials: Vec<VariantTrial>,
    ) -> Self {
        let (mut rows, mut impossible) = (Vec::new(), Vec::new());
        for trial in trials {
            match trial.result {
                Ok(figures) => fold(&mut rows, VariantRow::new(trial.variant, figures)),
                Err(reason) => collect(&mut impossible, trial.variant, reason),
            }
        }
        rank(&mut rows, rank_by);
        let file = original.file();
        let ideal_boards = file.ecus.iter().all(|ecu| ecu.board.value.is_ideal());
        // An image computes in its own time, and its simulated software in that of its board, which
        // is the ideal one where none is named. Other files have the board by choice.
        let is_new = original.has_images() && !ideal_boards;
        Comparison {
            vehicle: file.name.clone(),
            seed: setting.seed,
            duration_ms: setting.duration.as_nanos() as f64 * 1e-6,
            rank_by,
            conclusion: conclusion(rank_by, &rows),
            variants: rows,
            impossible,
            ideal_boards,
            ideal_text: ideal_note(file).filter(|_| is_new),
        }
    }

    /// Sentence for a vehicle whose ECUs all have the ideal board: suites may not differ then.
    const ON_IDEAL_BOARDS: &str = "on ideal boards computing takes no time: name a `board` for \
                                       each [[ecu]] to tell suites apart";

    /// Returns the sentence for below the figures; none if nothing is to be said of ideal boards.
    #[must_use]
    pub fn on_ideal_boards(&self) -> Option<&str> {
        match self.ideal_boards {
            true => Some(Self::ON_IDEAL_BOARDS),
            false => self.ideal_text.as_deref(),
        }
    }

    /// Returns how many variants ran: those with a row, and those that have the figures of one.
    #[must_use]
    pub fn tried(&self) -> usize {
        let folded: usize = self.variants.iter().map(|row| row.same.len()).sum();
        self.variants.len() + folded
    }

    /// Returns true if a variant that protects streams meets every requirement.
    #[must_use]
    pub fn is_met(&self) -> bool {
        let mut rows = self.variants.iter();
        rows.any(|row| row.is_met() && !row.is_baseline())
    }
}

/// Adds a row, or its variant to the row with the same figures. Variants of different messages stay
/// apart, even if no figure shows it.
fn fold(rows: &mut Vec<VariantRow>, row: VariantRow) {
    let same = |one: &&mut VariantRow| {
        one.authentication == row.authentication && one.figures == row.figures
    };
    match rows.iter_mut().find(same) {
        Some(one) => one.same.push(row.variant()),
        None => rows.push(row),
    }
}

fn collect(impossible: &mut Vec<ImpossibleVariants>, variant: Variant, reason: String) {
    match impossible.iter_mut().find(|one| one.reason == reason) {
        Some(one) => one.variants.push(variant),
        None => impossible.push(ImpossibleVariants {
            reason,
            variants: vec![variant],
        }),
    }
}

/// Sorts rows: those that meet all requirements, then those that miss some by how many they miss,
/// then baselines.
fn rank(rows: &mut [VariantRow], rank_by: RankBy) {
    let order = order(rank_by);
    rows.sort_by_cached_key(|row| {
        let figures: Vec<_> = order.iter().map(|by| row.figures.key(*by)).collect();
        (row.is_baseline(), row.figures.missed.len(), figures)
    });
    for (at, row) in rows.iter_mut().enumerate() {
        row.rank = (!row.is_baseline()).then_some(at + 1);
    }
    let is_any_met = rows.iter().any(|row| row.is_met() && !row.is_baseline());
    let eligible = |row: &VariantRow| row.is_baseline() || row.is_met() || !is_any_met;
    let figures: Vec<&VariantFigures> = rows
        .iter()
        .filter(|row| eligible(row))
        .map(|row| &row.figures)
        .collect();
    let mut front = front(&figures).into_iter();
    for row in rows.iter_mut().filter(|row| eligible(row)) {
        row.pareto = front.next().unwrap_or_default();
    }
}
