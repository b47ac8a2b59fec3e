//! Runs of a vehicle by seed and phase, and the report of each.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_bound::{DeriveError, stream_bounds};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_report::RunOutcome;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_report::runs::{RunId, RunRange, Runs};
use waywarden_vehicle_resources::Resources;

use crate::lower::{LowerError, lower};
use crate::phases::in_phase;
use crate::run::{RunError, run_while};

/// The most runs that are folded at a time.
pub const RUNS_MAX: u64 = 1_000_000;

/// Reason for refusing a range of seeds and phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// No run at all.
    #[error("no runs; take at least one seed and one phase")]
    None,
    /// More than [`RUNS_MAX`] runs.
    #[error("{seeds} seeds of {phases} phases are more than {RUNS_MAX} runs; take fewer")]
    TooMany {
        /// Number of seeds.
        seeds: u64,
        /// Number of phases of each.
        phases: u64,
    },
    /// The last seed is above the highest one.
    #[error(
        "{seeds} seeds from {first_seed} on go above {}; begin lower",
        u64::MAX
    )]
    BeyondLastSeed {
        /// The first seed.
        first_seed: u64,
        /// Number of seeds.
        seeds: u64,
    },
}

/// Reason for a run that was not made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OneRunError {
    /// The vehicle cannot be simulated.
    #[error(transparent)]
    Lower(Box<LowerError>),
    /// The simulation stopped.
    #[error("seed {}, phase {}: {error}", .id.seed, .id.phase)]
    Run {
        /// The run.
        id: RunId,
        /// Reason.
        error: Box<RunError>,
    },
}

/// Returns the runs of so many seeds and phases; without unknown offsets each seed has one phase.
///
/// # Errors
/// [`RangeError`] by cause.
pub fn range(
    file: &VehicleFile,
    first_seed: u64,
    (seeds, phases): (u64, u64),
) -> Result<RunRange, RangeError> {
    if seeds == 0 || phases == 0 {
        return Err(RangeError::None);
    }
    let phases = match file.unknown_offsets() {
        0 => 1,
        _ => phases,
    };
    if seeds.checked_mul(phases).is_none_or(|runs| runs > RUNS_MAX) {
        return Err(RangeError::TooMany { seeds, phases });
    }
    if first_seed.checked_add(seeds - 1).is_none() {
        return Err(RangeError::BeyondLastSeed { first_seed, seeds });
    }
    Ok(RunRange {
        first_seed,
        seeds,
        phases,
    })
}

/// Returns one run of a range; `at` counts from 0, phase by phase and then seed by seed.
#[must_use]
pub const fn run_of(range: RunRange, at: u64) -> RunId {
    RunId {
        seed: range.first_seed.saturating_add(at / range.phases),
        phase: at % range.phases,
    }
}

/// Makes one run, as long as `go_on` says; one that it ends has a report up to there.
///
/// # Errors
/// [`OneRunError`] by cause.
pub fn one(
    file: &VehicleFile,
    resources: &Resources,
    id: RunId,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Report, OneRunError> {
    let file = in_phase(file, id.seed, id.phase);
    let lowered =
        lower(&file, resources, Some(id.seed)).map_err(|error| OneRunError::Lower(error.into()))?;
    let outcome = run_while(lowered, &mut Discard, &mut |_, _: Time, _| go_on());
    let outcome = outcome.map_err(|error| OneRunError::Run {
        id,
        error: error.into(),
    })?;
    Ok(Report::new(&file, id.seed, &outcome))
}

/// Sums up a single run of `drawn`, which is `file` in this phase. Where offsets are unknown, the
/// bounds by analysis stand beside the figures, or the error says why there are none.
#[must_use]
pub fn report(
    file: &VehicleFile,
    drawn: &VehicleFile,
    resources: &Resources,
    (id, outcome): (RunId, &RunOutcome),
) -> (Report, Option<DeriveError>) {
    let mut report = Report::new(drawn, id.seed, outcome);
    if file.unknown_offsets() == 0 {
        return (report, None);
    }
    report.unknown_offsets = file.unknown_offsets();
    report.phase = id.phase;
    let (bounds, error) = bounds_or_none(file, resources);
    report.set_bounds(&bounds);
    (report, error)
}

/// Completes many runs: medians, and bounds where offsets are unknown.
pub fn finish(runs: &mut Runs, file: &VehicleFile, resources: &Resources) -> Option<DeriveError> {
    runs.finish();
    if runs.unknown_offsets == 0 {
        return None;
    }
    let (bounds, error) = bounds_or_none(file, resources);
    for (stream, bound) in runs.streams.iter_mut().zip(bounds) {
        stream.bound_ms = bound;
    }
    error
}

fn bounds_or_none(
    file: &VehicleFile,
    resources: &Resources,
) -> (Vec<Option<f64>>, Option<DeriveError>) {
    match stream_bounds(file, resources) {
        Ok(bounds) => (bounds, None),
        Err(error) => (vec![None; file.streams.len()], Some(error)),
    }
}
