//! Many runs of one vehicle in one table: worst cases over seeds and phases.
//!
//! Runs are folded one by one and in any order: the result is the same, and its size does not
//! depend on their number. A fold of some runs merges with one of others, from another machine.

mod merge;
mod worsts;

pub use merge::MergeError;
pub use worsts::Worsts;

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waywarden_documents::document::DocumentFormat;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::identifier::IdentifierFields;
use waywarden_work::Duration;

use crate::measure::ms;
use crate::report::{Cells, Report, StreamRow};
use crate::require::RequirementVerdict;

/// The document of many runs for programs.
pub const DOCUMENT: DocumentFormat<Runs> = DocumentFormat::new(
    "runs",
    1,
    "waywarden run FILE --phases NUMBER --format json",
);

/// Seed and phase of a run: `run FILE --seed SEED --phase PHASE` repeats it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct RunId {
    /// The seed.
    pub seed: u64,
    /// The number of the draw of unknown offsets; in phase 0 all are 0.
    pub phase: u64,
}

/// Consecutive seeds, each with the same number of phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunRange {
    /// The first seed.
    pub first_seed: u64,
    /// The number of seeds.
    pub seeds: u64,
    /// The number of phases of each seed, from phase 0.
    pub phases: u64,
}

/// Runs of one vehicle, folded: worst cases and the runs that showed them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// The vehicle's name.
    pub vehicle: String,
    /// SHA-256 of the vehicle file and of the boards and logs that it names, in hexadecimal.
    pub vehicle_sha256: String,
    /// Length of each run.
    pub duration_ms: f64,
    /// Seeds and phases that ran.
    pub ranges: Vec<RunRange>,
    /// Number of runs.
    pub runs: u64,
    /// Number of runs that met every requirement.
    pub runs_met: u64,
    /// True if every run met every requirement.
    pub met: bool,
    /// Streams whose offsets are unknown; each phase draws them.
    pub unknown_offsets: usize,
    /// True if the vehicle makes random choices besides unknown offsets.
    pub is_random: bool,
    /// Worst run, by requirement.
    pub requirements: Vec<RequirementRuns>,
    /// Figures by stream.
    pub streams: Vec<StreamRuns>,
}

/// A requirement over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequirementRuns {
    /// Number of runs that missed it.
    pub runs_missed: u64,
    /// The run that came nearest to missing it, or missed it by most.
    pub worst_in: RunId,
    /// The verdict of that run.
    #[serde(flatten)]
    pub worst: RequirementVerdict,
}

/// A stream over all runs; times are from release to delivery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamRuns {
    /// Its name.
    pub stream: String,
    /// Its identifier.
    #[serde(flatten)]
    pub identifier: IdentifierFields,
    /// Its sender.
    pub sender: String,
    /// The sender's bus.
    pub bus: String,
    /// The deadline.
    pub deadline_ms: f64,
    /// True if anything receives it; else no time is measured.
    pub has_receivers: bool,
    /// Runs in which no message of it arrived; they count in no time below.
    pub runs_without_delivery: u64,
    /// The slowest delivery of the best run.
    pub best_ms: Option<f64>,
    /// The median over the runs of each run's slowest delivery; of two in the middle the lower.
    pub median_ms: Option<f64>,
    /// The slowest delivery of all runs.
    pub worst_ms: Option<f64>,
    /// The run with the slowest delivery; of equal ones the first.
    pub worst_in: Option<RunId>,
    /// The slowest delivery with all unknown offsets at 0.
    pub critical_ms: Option<f64>,
    /// The bound by analysis, where `waywarden bus bound` has one.
    pub bound_ms: Option<f64>,
    /// Deliveries after the deadline, over all runs.
    pub late: u64,
    /// Instances that never left for a full queue, over all runs.
    pub skipped: u64,
    /// Number of runs by duration of their slowest delivery.
    pub worsts: Worsts,
}

impl Runs {
    /// Begins with no run.
    #[must_use]
    pub fn new(file: &VehicleFile, vehicle_sha256: String, range: RunRange) -> Self {
        let streams = file.streams.iter();
        let streams = streams.map(|stream| StreamRuns {
            stream: stream.name.value.clone(),
            identifier: stream.id.value.into(),
            sender: file.ecu(stream.sender).name.value.clone(),
            bus: file.bus(stream.bus).name.value.clone(),
            deadline_ms: ms(stream.deadline),
            has_receivers: !stream.receivers.is_empty(),
            runs_without_delivery: 0,
            best_ms: None,
            median_ms: None,
            worst_ms: None,
            worst_in: None,
            critical_ms: None,
            bound_ms: None,
            late: 0,
            skipped: 0,
            worsts: Worsts::default(),
        });
        Runs {
            vehicle: file.name.clone(),
            vehicle_sha256,
            duration_ms: ms(file.duration),
            ranges: vec![range],
            runs: 0,
            runs_met: 0,
            met: true,
            unknown_offsets: file.unknown_offsets(),
            is_random: file.is_random(),
            requirements: Vec::new(),
            streams: streams.collect(),
        }
    }

    /// Adds a run; `report` is of the same vehicle.
    pub fn add(&mut self, run: RunId, report: &Report) {
        self.runs += 1;
        self.runs_met += u64::from(report.is_met());
        self.met &= report.is_met();
        for verdict in &report.requirements {
            self.add_requirement(RequirementRuns {
                runs_missed: u64::from(!verdict.met),
                worst_in: run,
                worst: verdict.clone(),
            });
        }
        for (stream, row) in self.streams.iter_mut().zip(&report.streams) {
            stream.add(run, row);
        }
    }

    /// Adds a requirement as some runs showed it.
    fn add_requirement(&mut self, other: RequirementRuns) {
        let same = |own: &&mut RequirementRuns| {
            (&own.worst.title, &own.worst.place) == (&other.worst.title, &other.worst.place)
        };
        match self.requirements.iter_mut().find(same) {
            Some(own) => own.merge(other),
            None => self.requirements.push(other),
        }
    }

    /// Sorts the requirements that later runs added, and fills in medians. The last step.
    pub fn finish(&mut self) {
        // An attack that never ran is a requirement of the runs that show it only.
        self.requirements.sort_by(|a, b| {
            let key = |one: &RequirementRuns| (one.worst.requirement, one.worst.title.clone());
            key(a).cmp(&key(b))
        });
        for stream in &mut self.streams {
            stream.median_ms = stream.worsts.median().map(nanos_ms);
        }
    }
}

impl RequirementRuns {
    /// Order of verdicts: missed after met, then the share of the bound that was measured.
    fn severity(&self) -> (bool, f64) {
        let verdict = &self.worst;
        let share = match verdict.measured {
            Some(measured) if verdict.instances_lost == 0 => measured / verdict.required.max(1e-9),
            _ => f64::INFINITY,
        };
        (!verdict.met, share)
    }

    fn merge(&mut self, other: Self) {
        self.runs_missed = self.runs_missed.saturating_add(other.runs_missed);
        let ((own_missed, own), (missed, share)) = (self.severity(), other.severity());
        let order = missed.cmp(&own_missed).then(share.total_cmp(&own));
        // Of equal ones the first run stays, in whichever order they come.
        if order.then(self.worst_in.cmp(&other.worst_in)).is_gt() {
            (self.worst_in, self.worst) = (other.worst_in, other.worst);
        }
    }
}

impl StreamRuns {
    fn add(&mut self, run: RunId, row: &StreamRow) {
        self.late += row.late;
        self.skipped += row.skipped;
        let Some(worst) = row.worst_ms else {
            self.runs_without_delivery += 1;
            return;
        };
        self.add_worst(worst, worst, Some(run));
        if run.phase == 0 {
            self.critical_ms = greatest(self.critical_ms, Some(worst));
        }
        self.worsts.add((worst * 1e6).round() as u64, 1);
    }

    /// Widens best and worst.
    fn add_worst(&mut self, best: f64, worst: f64, run: Option<RunId>) {
        self.best_ms = Some(self.best_ms.map_or(best, |own| own.min(best)));
        let order = self.worst_ms.map(|own| worst.total_cmp(&own));
        let is_worse = order.is_none_or(|order| order.then(self.worst_in.cmp(&run)).is_gt());
        if is_worse {
            (self.worst_ms, self.worst_in) = (Some(worst), run);
        }
    }
}

impl Cells for StreamRuns {
    const HEADERS: &'static [&'static str] = &[
        "stream",
        "best ms",
        "median ms",
        "worst ms",
        "seed/phase",
        "bound ms",
        "deadline ms",
    ];
    const NUMBERS: Range<usize> = 1..7;

    fn cells(&self) -> Vec<String> {
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |ms| format!("{ms:.3}"));
        let run = self.worst_in;
        vec![
            self.stream.clone(),
            cell(self.best_ms),
            cell(self.median_ms),
            cell(self.worst_ms),
            run.map_or("-".to_owned(), |run| format!("{}/{}", run.seed, run.phase)),
            cell(self.bound_ms),
            cell(Some(self.deadline_ms)),
        ]
    }
}

fn greatest(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}

fn nanos_ms(nanos: u64) -> f64 {
    ms(Duration::from_nanos(nanos))
}

#[cfg(test)]
mod tests;
