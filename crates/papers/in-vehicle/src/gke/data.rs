//! The paper's printed numbers, read from `papers/gke.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::model::GkeBus;
use super::quantity::{GkeOperation, GkeQuantity, GkeStep, GkeSuite};
use waywarden_paper_tables::{PaperError, Printed, Unit};

/// The file, compiled in.
const TEXT: &str = include_str!("../../../../../papers/gke.toml");

/// The paper's numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Data {
    pub(super) context: Vec<Context>,
    pub(super) primitives: Vec<Primitives>,
    pub(super) run: Vec<Run>,
    pub(super) frame_times: Vec<PrintedFrameTimes>,
    pub(super) claim: Vec<Claim>,
}

/// A row of Table I.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Context {
    pub(super) work: String,
    pub(super) method: String,
    pub(super) libraries: Vec<String>,
    pub(super) bus: String,
    pub(super) platforms: Vec<String>,
    pub(super) kind: String,
    #[serde(default)]
    pub(super) figures: Vec<ContextFigure>,
    /// Reason for the absence of figures, in rows that have none.
    pub(super) none: Option<String>,
}

/// A performance figure that the paper reports of other work, in milliseconds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextFigure {
    pub(super) what: String,
    pub(super) ecus: u32,
    /// One number, or the two ends of a range.
    pub(super) printed: Vec<Printed>,
    /// True if the paper calls it slower than its own; absent if it compares neither way.
    pub(super) slower: Option<bool>,
}

/// Table IV or V.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Primitives {
    pub(super) place: String,
    pub(super) suite: GkeSuite,
    pub(super) boards: Vec<String>,
    pub(super) rows: Vec<PrimitiveRow>,
}

/// A row of it, in milliseconds, one number a board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PrimitiveRow {
    pub(super) row: String,
    pub(super) operation: GkeOperation,
    pub(super) printed: Vec<Printed>,
}

/// Table VI or VII.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    pub(super) place: String,
    pub(super) boards: [String; 2],
    pub(super) columns: [String; 2],
    pub(super) total: [Printed; 2],
    pub(super) steps: BTreeMap<GkeStep, RunRow>,
}

/// A row of it: one number for both ECUs, or one each.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunRow {
    pub(super) row: String,
    pub(super) unit: Unit,
    pub(super) printed: Vec<Printed>,
}

/// T_snd32 and T_snd64 in microseconds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PrintedFrameTimes {
    pub(super) bus: GkeBus,
    pub(super) boards: Vec<String>,
    pub(super) snd32: Printed,
    pub(super) snd64: Printed,
}

/// A number in the text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub(super) place: String,
    pub(super) cell: String,
    pub(super) unit: Unit,
    pub(super) form: Form,
    /// One number, two for [`Form::Between`].
    pub(super) printed: Vec<Printed>,
    pub(super) of: GkeQuantity,
}

/// Precision that a printed number claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    /// To the last printed digit.
    Exact,
    /// To the last printed digit that is no trailing zero.
    About,
    /// A bound from above, not reached.
    Below,
    /// A bound from below, not reached.
    Above,
    /// A bound from below.
    AtLeast,
    /// From the first to the second number.
    Between,
}

impl Data {
    /// Reads the compiled-in file.
    pub(super) fn load() -> Result<Self, PaperError> {
        let fault = |fault: String| PaperError::Data { key: "gke", fault };
        let data: Data = toml::from_str(TEXT).map_err(|error| fault(error.to_string()))?;
        match data.first_gap() {
            None => Ok(data),
            Some(gap) => Err(fault(gap)),
        }
    }

    /// Finds the first row with too few or too many numbers, or with none and no reason.
    fn first_gap(&self) -> Option<String> {
        let silent = |row: &&Context| row.figures.is_empty() == row.none.is_none();
        if let Some(row) = self.context.iter().find(silent) {
            return Some(format!(
                "{} has neither or both of figures and `none`",
                row.work
            ));
        }
        let context = self.context.iter().flat_map(|row| &row.figures);
        let context = context.map(|row| (&row.what, (1..=2).contains(&row.printed.len())));
        let primitives = self.primitives.iter().flat_map(|table| {
            let rows = table.rows.iter();
            rows.map(|row| (&row.row, row.printed.len() == table.boards.len()))
        });
        let runs = self.run.iter().flat_map(|run| run.steps.values());
        let runs = runs.map(|row| (&row.row, (1..=2).contains(&row.printed.len())));
        let claims = self.claim.iter().map(|claim| {
            let count = 1 + usize::from(claim.form == Form::Between);
            (&claim.cell, claim.printed.len() == count)
        });
        let mut rows = context.chain(primitives).chain(runs).chain(claims);
        rows.find(|(_, fits)| !fits)
            .map(|(name, _)| format!("`{name}` has the wrong count of numbers"))
    }

    /// Finds Table VI or VII.
    pub(super) fn run_at(&self, place: &str) -> Result<&Run, PaperError> {
        let mut runs = self.run.iter();
        runs.find(|run| run.place == place)
            .ok_or_else(|| PaperError::Missing {
                key: "gke",
                what: format!("a run in {place}"),
            })
    }
}

impl Run {
    /// Returns the row of a step and the number that one of the two ECUs has there.
    pub(super) fn printed(
        &self,
        step: GkeStep,
        seen_by: usize,
    ) -> Result<(&RunRow, &Printed), PaperError> {
        let row = self.steps.get(&step);
        row.and_then(|row| {
            let own = row.printed.get(seen_by).or(row.printed.first());
            own.map(|own| (row, own))
        })
        .ok_or_else(|| PaperError::Missing {
            key: "gke",
            what: format!("a step of {}", self.place),
        })
    }
}

impl Form {
    /// Returns true if a value is what the printed numbers mean.
    pub(super) fn holds(self, printed: &[Printed], value: f64) -> bool {
        let (Some(first), Some(last)) = (printed.first(), printed.last()) else {
            return false;
        };
        match self {
            Form::Exact => first.is_exactly(value),
            Form::About => first.is_about(value),
            Form::Below => value < first.value(),
            Form::Above => value > first.value(),
            Form::AtLeast => value >= first.value(),
            Form::Between => (first.value()..=last.value()).contains(&value),
        }
    }

    /// Returns how the number is meant, in words that stand before it.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Form::Exact => "",
            Form::About => "about ",
            Form::Below => "less than ",
            Form::Above => "more than ",
            Form::AtLeast => "at least ",
            Form::Between => "between ",
        }
    }
}
