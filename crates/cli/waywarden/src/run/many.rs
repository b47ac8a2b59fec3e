//! `waywarden run --seeds --phases`: many runs at a time, folded into one table.

mod fingerprint;
pub(super) mod print;

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, Ordering};

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::many::{self, OneRunError, RUNS_MAX, RangeError};
use waywarden_vehicle_lab::phases::in_phase;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_report::runs::{RunId, RunRange, Runs};

use super::{Prepared, Run, junit, lowered, note_without_bounds, refused};
use crate::parallel::{self, Jobs};

/// Options of many runs.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Many {
    /// Run this many seeds, from --seed or the file's own seed on, and report the worst of all.
    #[arg(long, value_name = "NUMBER")]
    seeds: Option<NonZeroU64>,
    /// Run each seed with this many draws of the unknown offsets, and report the worst of all.
    /// Phase 0 has them all at 0, the critical instant of each ECU; the others draw each from 0 up
    /// to its period.
    #[arg(long, value_name = "NUMBER")]
    phases: Option<NonZeroU64>,
    /// Run this draw of the unknown offsets alone, as --phases numbers them.
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["seeds", "phases", "jobs"])]
    phase: Option<u64>,
    /// Number of runs at a time [default: as many as there are processors].
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
}

impl Many {
    /// Returns true if there may be more than one run.
    pub(super) fn is_given(&self) -> bool {
        self.seeds.is_some() || self.phases.is_some()
    }

    /// Returns the draw of offsets of a single run.
    pub(super) fn phase(&self) -> u64 {
        self.phase.unwrap_or(0)
    }

    /// Says which of the options change nothing in this vehicle.
    pub(super) fn warn(&self, file: &VehicleFile, has_seed: bool) {
        let draws = self.phases.is_some() || self.phase.is_some();
        let (is_drawn, unknown) = (draws && file.unknown_offsets() > 0, file.unknown_offsets());
        if (has_seed || self.seeds.is_some()) && !is_drawn && !file.is_random() {
            messages::note(
                "a seed changes nothing: this vehicle makes no random choice (no jitter, random \
                 data, keys, attackers or noise)",
            );
        }
        if draws && unknown == 0 {
            messages::note(
                "a phase changes nothing: no stream has offset = \"unknown\"; each seed runs once",
            );
        }
    }

    /// Runs all seeds and phases.
    pub(super) fn execute(&self, run: &Run, prepared: &Prepared<'_>) -> Result<Answer, Failure> {
        if run.explain.is_some() || run.keep.is_given() {
            return Err(Failure::new(
                "--explain, --trace, --log, --perfetto and --html are of one run: give --seed and \
                 --phase in place of --seeds and --phases",
            ));
        }
        print::check_table(run.table)?;
        let range = self.range(&prepared.file, prepared.seed)?;
        let runs = self.fold(prepared, range)?;
        run.junit.write(|| junit::of_runs(&runs))?;
        let file = prepared.path.display().to_string();
        print::print(&runs, run.format, run.table, &file)?;
        Ok(answer(&runs))
    }

    /// Returns the runs to make; without unknown offsets each seed has one phase.
    fn range(&self, file: &VehicleFile, first_seed: u64) -> Result<RunRange, Failure> {
        let seeds = self.seeds.map_or(1, NonZeroU64::get);
        let phases = self.phases.map_or(1, NonZeroU64::get);
        many::range(file, first_seed, (seeds, phases)).map_err(|error| match error {
            RangeError::TooMany { phases, .. } => Failure::new(format_args!(
                "--seeds {seeds} --phases {phases}: more than {RUNS_MAX} runs; take fewer \
                 phases, or split the seeds and merge the documents with `waywarden run merge`"
            )),
            RangeError::BeyondLastSeed { .. } => Failure::new(format_args!(
                "--seed {first_seed} --seeds {seeds}: the last seed is above {}; begin lower",
                u64::MAX
            )),
            RangeError::None => Failure::new(error),
        })
    }

    fn fold(&self, prepared: &Prepared<'_>, range: RunRange) -> Result<Runs, Failure> {
        let Prepared {
            file, resources, ..
        } = prepared;
        let id = |at: usize| many::run_of(range, at as u64);
        // Once before all, for its warnings and errors.
        let first = id(0);
        lowered(&in_phase(file, first.seed, 0), resources, first.seed)?;
        let digest = fingerprint::of_vehicle(file, prepared.path, &prepared.text)?;
        let mut runs = Runs::new(file, digest, range);
        let jobs = Jobs {
            jobs: self.jobs,
            command: "run",
            what: "runs",
        };
        let count = (range.seeds * range.phases) as usize;
        let (has_failed, mut failure) = (AtomicBool::new(false), None);
        let work = |at| {
            let id = id(at);
            let skips = has_failed.load(Ordering::Relaxed);
            (id, (!skips).then(|| one(prepared, id)))
        };
        parallel::fold(count, jobs, work, |_, (id, result)| match result {
            Some(Ok(report)) => runs.add(id, &report),
            Some(Err(error)) => {
                has_failed.store(true, Ordering::Relaxed);
                failure.get_or_insert(error);
            }
            None => {}
        });
        match failure {
            Some(failure) => Err(failure),
            None => {
                let no_bound = many::finish(&mut runs, file, resources);
                note_without_bounds(no_bound.as_ref());
                Ok(runs)
            }
        }
    }
}

/// Makes one run.
fn one(prepared: &Prepared<'_>, id: RunId) -> Result<Report, Failure> {
    let one = many::one(&prepared.file, &prepared.resources, id, &mut || true);
    one.map_err(|error| match error {
        OneRunError::Lower(error) => refused(&prepared.file, &error),
        other => Failure::new(other),
    })
}

/// Returns the answer of the worst run.
pub(super) fn answer(runs: &Runs) -> Answer {
    match runs.met {
        true => Answer::Yes,
        false => Answer::No,
    }
}
