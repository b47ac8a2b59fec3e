//! `waywarden run --seeds --phases`: many runs at a time, folded into one table.

mod fingerprint;
pub(super) mod print;

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, Ordering};

use waywarden_can_sim::trace::Discard;
use waywarden_command_line::document::DocumentFormat;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::phases::in_phase;
use waywarden_vehicle_lab::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_report::runs::{RunId, RunRange, Runs};

use super::{Prepared, Run, bounds, junit, lowered, refused};
use crate::parallel::{self, Jobs};

pub(super) const DOCUMENT: DocumentFormat<Runs> = DocumentFormat::new(
    "runs",
    1,
    "waywarden run FILE --phases NUMBER --format json",
);

/// The most runs of one command.
const RUNS_MAX: u64 = 1_000_000;

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
        let mut runs = self.fold(prepared, range)?;
        if runs.unknown_offsets > 0 {
            let bounds = bounds::of_streams(&prepared.file, &prepared.resources);
            for (stream, bound) in runs.streams.iter_mut().zip(bounds) {
                stream.bound_ms = bound;
            }
        }
        run.junit.write(|| junit::of_runs(&runs))?;
        let file = prepared.path.display().to_string();
        print::print(&runs, run.format, run.table, &file)?;
        Ok(answer(&runs))
    }

    /// Returns the runs to make; without unknown offsets each seed has one phase.
    fn range(&self, file: &VehicleFile, first_seed: u64) -> Result<RunRange, Failure> {
        let seeds = self.seeds.map_or(1, NonZeroU64::get);
        let phases = self.phases.map_or(1, NonZeroU64::get);
        let phases = match file.unknown_offsets() {
            0 => 1,
            _ => phases,
        };
        match seeds.checked_mul(phases) {
            Some(runs) if runs <= RUNS_MAX => {}
            _ => {
                return Err(Failure::new(format_args!(
                    "--seeds {seeds} --phases {phases}: more than {RUNS_MAX} runs; take fewer \
                     phases, or split the seeds and merge the documents with `waywarden run merge`"
                )));
            }
        }
        if first_seed.checked_add(seeds - 1).is_none() {
            return Err(Failure::new(format_args!(
                "--seed {first_seed} --seeds {seeds}: the last seed is above {}; begin lower",
                u64::MAX
            )));
        }
        Ok(RunRange {
            first_seed,
            seeds,
            phases,
        })
    }

    fn fold(&self, prepared: &Prepared<'_>, range: RunRange) -> Result<Runs, Failure> {
        let Prepared {
            file, resources, ..
        } = prepared;
        let id = |at: usize| RunId {
            seed: range.first_seed + at as u64 / range.phases,
            phase: at as u64 % range.phases,
        };
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
                runs.finish();
                Ok(runs)
            }
        }
    }
}

/// Makes one run.
fn one(prepared: &Prepared<'_>, id: RunId) -> Result<Report, Failure> {
    let file = in_phase(&prepared.file, id.seed, id.phase);
    let lowered = lower(&file, &prepared.resources, Some(id.seed));
    let lowered = lowered.map_err(|error| refused(&file, &error))?;
    let outcome = run::run(lowered, &mut Discard, &mut |_| {}).map_err(|error| {
        Failure::new(format_args!(
            "seed {}, phase {}: {error}",
            id.seed, id.phase
        ))
    })?;
    Ok(Report::new(&file, id.seed, &outcome))
}

/// Returns the answer of the worst run.
pub(super) fn answer(runs: &Runs) -> Answer {
    match runs.met {
        true => Answer::Yes,
        false => Answer::No,
    }
}
