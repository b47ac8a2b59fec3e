//! The situations of a vehicle side by side: one row for each, and for all replaced ECUs the worst.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::ideal::{ideal_ecus, ideal_note};
use waywarden_vehicle_file::{AuthenticWithin, VehicleFile};
use waywarden_vehicle_report::measure::ms;
use waywarden_vehicle_report::report::Cells;

use super::{
    Situation, SituationKind, SituationTrial, StartUpFigures, StartUpPlan, StartUpSetting,
};

/// Waits of a vehicle for its first authentic messages, by situation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StartUp {
    /// Name of the vehicle.
    pub vehicle: String,
    /// The seed of all runs.
    pub seed: u64,
    /// Limit on the simulated duration of each run.
    pub duration_ms: f64,
    /// The file's requirement `authentic_within`, with its unit; none if there is none.
    pub required_text: Option<String>,
    /// The shortest wait that it requires of any stream.
    pub shortest_required_ms: Option<f64>,
    /// The longest wait that it allows any stream.
    pub longest_required_ms: Option<f64>,
    /// A row for each situation; of the replaced ECUs the one with the longest wait.
    pub situations: Vec<StartUpRow>,
    /// The replaced ECUs one by one, in the order of the file.
    pub replaced: Vec<StartUpRow>,
    /// The situations that the vehicle cannot be in.
    pub impossible: Vec<ImpossibleSituations>,
    /// ECUs with the board `ideal`, on which computing takes no time; left out of JSON where none
    /// has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ideal_ecus: Vec<String>,
    /// The same in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ideal_text: Option<String>,
}

/// Figures of a situation's run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StartUpRow {
    /// Kind of the situation.
    pub situation: SituationKind,
    /// The ECU that is a new part, if one is.
    pub replaced: Option<String>,
    /// Waits of the run.
    #[serde(flatten)]
    pub figures: StartUpFigures,
    /// True if `authentic_within` is met; none if the file does not require it.
    pub met: Option<bool>,
}

/// Situations that a vehicle cannot be in, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImpossibleSituations {
    /// Kind of the situation.
    pub situation: SituationKind,
    /// Reason why it cannot be in them.
    pub reason: String,
}

/// Adds a reason, once for each situation.
pub(super) fn add(all: &mut Vec<ImpossibleSituations>, situation: SituationKind, reason: String) {
    let one = ImpossibleSituations { situation, reason };
    if !all.contains(&one) {
        all.push(one);
    }
}

impl StartUp {
    /// Makes the table of trials in the order of the plan.
    #[must_use]
    pub fn new(
        file: &VehicleFile,
        setting: &StartUpSetting,
        plan: StartUpPlan,
        trials: Vec<SituationTrial>,
    ) -> Self {
        let mut impossible = plan.impossible;
        let mut rows = Vec::new();
        for trial in trials {
            let replaced = match trial.situation {
                Situation::Replaced(ecu) => Some(file.ecu(ecu).name.value.clone()),
                _ => None,
            };
            match trial.result {
                Ok(figures) => rows.push(StartUpRow {
                    situation: trial.situation.kind(),
                    replaced,
                    met: figures.late.map(|late| late == 0),
                    figures,
                }),
                Err(reason) => add(&mut impossible, trial.situation.kind(), reason),
            }
        }
        let (replaced, mut situations): (Vec<StartUpRow>, _) =
            rows.into_iter().partition(|row| row.replaced.is_some());
        situations.extend(worst(&replaced).cloned());
        let required = file.require.authentic_within.as_ref();
        let bounds = || required.into_iter().flat_map(AuthenticWithin::bounds);
        StartUp {
            vehicle: file.name.clone(),
            seed: setting.seed,
            duration_ms: ms(setting.duration),
            required_text: required.map(words),
            shortest_required_ms: bounds().min().map(ms),
            longest_required_ms: bounds().max().map(ms),
            situations,
            replaced,
            impossible,
            ideal_ecus: ideal_ecus(file),
            ideal_text: ideal_note(file),
        }
    }

    /// Returns true if `authentic_within` is met in every situation, or not required.
    #[must_use]
    pub fn is_met(&self) -> bool {
        let mut all = self.situations.iter().chain(&self.replaced);
        all.all(|row| row.met != Some(false))
    }
}

/// Returns the row with the longest wait, of equal ones the first; one that misses the requirement
/// comes before any that meets it, because bounds may differ by stream.
fn worst(rows: &[StartUpRow]) -> Option<&StartUpRow> {
    let rank = |row: &StartUpRow| (row.met == Some(false), row.figures.rank());
    let worse = |a: &StartUpRow, b: &StartUpRow| rank(a).partial_cmp(&rank(b));
    rows.iter().reduce(|worst, row| match worse(row, worst) {
        Some(std::cmp::Ordering::Greater) => row,
        _ => worst,
    })
}

/// Returns a requirement in words.
fn words(within: &AuthenticWithin) -> String {
    match within {
        AuthenticWithin::All(bound) => format!("{:#}", bound.value),
        AuthenticWithin::Streams { .. } => match (within.bounds().min(), within.bounds().max()) {
            (Some(shortest), Some(longest)) if shortest != longest => {
                format!("{shortest:#} to {longest:#}, by stream")
            }
            (Some(shortest), _) => format!("{shortest:#}, by stream"),
            _ => "nothing".to_owned(),
        },
    }
}

impl Cells for StartUpRow {
    const HEADERS: &'static [&'static str] = &[
        "situation",
        "new part",
        "stream",
        "sender",
        "at",
        "longest wait ms",
        "waits",
        "never",
        "late",
        "authentic_within",
    ];
    const NUMBERS: Range<usize> = 5..9;

    fn cells(&self) -> Vec<String> {
        let figures = &self.figures;
        let longest = figures.longest.as_ref();
        let of = |name: fn(&super::LongestWait) -> &String| {
            longest.map(name).cloned().unwrap_or_default()
        };
        let wait = longest.map_or("-".to_owned(), |one| match one.ms {
            Some(ms) => format!("{ms:.3}"),
            None => "never".to_owned(),
        });
        let met = self
            .met
            .map_or("not required", |met| if met { "met" } else { "missed" });
        vec![
            self.situation.name().to_owned(),
            self.replaced.clone().unwrap_or_default(),
            of(|one| &one.stream),
            of(|one| &one.sender),
            of(|one| &one.ecu),
            wait,
            figures.waits.to_string(),
            figures.never.to_string(),
            figures.late.map_or("-".to_owned(), |late| late.to_string()),
            met.to_owned(),
        ]
    }
}
