//! `waywarden run`: a vehicle file becomes a run, tables, and a verdict.

mod explain;
mod junit;
mod many;
mod merge;
pub(crate) mod print;
mod simulate;
mod tables;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use waywarden_vehicle_bound::DeriveError;
use waywarden_vehicle_file::{FileErrors, VehicleFile};
use waywarden_vehicle_lab::lower::{LowerError, Lowered, lower};
use waywarden_vehicle_lab::many as runs_by_id;
use waywarden_vehicle_lab::phases::in_phase;
use waywarden_vehicle_report::report::{DOCUMENT, NEVER_RAN, Report};
use waywarden_vehicle_report::runs::{self, RunId};
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

use self::many::Many;
use self::merge::Merge;
pub(crate) use self::simulate::simulate;
use self::tables::TableChoice;
use crate::keep::{Keep, Kept};
use waywarden_command_can::file_kind;
use waywarden_command_can::logs::damage::LogReadingOptions;
use waywarden_command_can::quantity;
use waywarden_command_can::resources::load_to_run;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::junit::JunitOption;
use waywarden_command_line::messages;
use waywarden_command_line::table::OutputFormat;

const EXAMPLES: &str = "\
Examples:
  waywarden run car.toml                              tables, and the requirements that are missed
  waywarden run car.toml --html report.html           a report with pictures
  waywarden run car.toml --log car.log                what a logger on every bus would have seen
  waywarden run car.toml --seed 7 --duration 2s       other random choices, a shorter run
  waywarden run car.toml --explain EngineSpeed:12     the path of one message
  waywarden run car.toml --format csv --table ecus    one table for a program
  waywarden run car.toml --format json | jq .buses
  waywarden run car.toml --phases 200
  waywarden run car.toml --seed 0 --seeds 10 --phases 20 --format json > first.json
  waywarden run car.toml --seed 10 --seeds 10 --phases 20 --format json > second.json
  waywarden run merge first.json second.json
  waywarden run car.toml --seed 3 --phase 17 --html worst.html --junit worst.xml";

/// Run a vehicle file on exact buses, and check its requirements.
///
/// Exit code 0 if every requirement is met, 1 if one is missed, 2 for bad input. The same file and
/// seed give the same trace, byte for byte.
///
/// Offsets that the file states as "unknown" count as 0, unless --phases draws them. --seeds and
/// --phases make many runs: each seed has its phases, so that N seeds and M phases are N x M runs.
/// One table has the worst of all, and the exit code is that of the worst run. `waywarden run
/// merge` merges such runs of several machines; a vehicle file named merge is ./merge.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Run {
    #[command(subcommand)]
    command: Option<RunCommand>,
    /// The vehicle, in TOML; docs/vehicle-file.md describes it, examples/ has some.
    #[arg(required = true)]
    vehicle: Option<PathBuf>,
    /// Seed of all random choices, instead of the file's own seed.
    #[arg(long)]
    seed: Option<u64>,
    /// Duration of the run, such as 10s or 500ms, instead of the file's own duration.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    #[command(flatten)]
    many: Many,
    #[command(flatten)]
    reading: LogReadingOptions,
    #[command(flatten)]
    keep: Keep,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// The table in CSV [default: streams].
    #[arg(long, value_enum, value_name = "TABLE")]
    table: Option<TableChoice>,
    #[command(flatten)]
    junit: JunitOption,
    /// Print the path of one message in place of the figures: its release, protection, queues,
    /// buses, gateways and checks, and its outcome at each receiver. NUMBER counts from 0. Exit
    /// code 0 if it was delivered to all receivers, 1 if not. Example: --explain EngineSpeed:12.
    #[arg(long, value_name = "STREAM:NUMBER", conflicts_with_all = ["table", "junit"])]
    explain: Option<String>,
}

/// Subcommands for runs that were made.
#[derive(Debug, clap::Subcommand)]
enum RunCommand {
    Merge(Merge),
}

/// A vehicle with all that a run of it needs.
struct Prepared<'a> {
    path: &'a Path,
    text: String,
    file: VehicleFile,
    resources: Resources,
    seed: u64,
}

impl Run {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        if let Some(RunCommand::Merge(merge)) = &self.command {
            return merge.execute();
        }
        if self.table.is_some() && self.format != OutputFormat::Csv {
            return Err(Failure::new("--table is for --format csv"));
        }
        self.keep.check_beside(self.format)?;
        if let (Some(message), true) = (&self.explain, self.keep.is_given()) {
            return Err(Failure::new(format_args!(
                "--explain {message} prints the path of one message and writes no file; leave out \
                 --trace, --log, --perfetto and --html"
            )));
        }
        let prepared = self.prepare()?;
        self.many.warn(&prepared.file, self.seed.is_some());
        match self.many.is_given() {
            true => self.many.execute(self, &prepared),
            false => self.execute_one(prepared),
        }
    }

    fn prepare(&self) -> Result<Prepared<'_>, Failure> {
        let Some(path) = self.vehicle.as_deref() else {
            return Err(Failure::new(
                "give a vehicle file, or `merge` and documents",
            ));
        };
        let text = file_kind::vehicle_text(path)?;
        let mut file = parse(&path.display().to_string(), &text)?;
        let duration = self.duration.as_deref().map(quantity::run_length);
        let duration = duration.transpose()?.unwrap_or(file.duration);
        warn_of_late(&file, duration);
        file.duration = duration;
        let resources = load_to_run(&file, path, Some(self.reading))?;
        let seed = self.seed.unwrap_or(file.seed);
        Ok(Prepared {
            path,
            text,
            file,
            resources,
            seed,
        })
    }

    fn execute_one(&self, prepared: Prepared<'_>) -> Result<Answer, Failure> {
        let Prepared {
            file,
            resources,
            seed,
            ..
        } = prepared;
        let phase = self.many.phase();
        let drawn = in_phase(&file, seed, phase);
        let lowered = lowered(&drawn, &resources, seed)?;
        let mut kept = Kept::begin(&self.keep, &drawn, &lowered)?;
        if let Some(message) = &self.explain {
            return explain::explain((message, self.format), &drawn, lowered, &mut kept);
        }
        let outcome = simulate(lowered, &mut kept)?;
        let id = RunId { seed, phase };
        let (report, no_bound) = runs_by_id::report(&file, &drawn, &resources, (id, &outcome));
        note_without_bounds(no_bound.as_ref());
        warn_of_idle(&report);
        kept.finish(&drawn, &report, &outcome)?;
        self.junit.write(|| junit::of_run(&report))?;
        if !self.keep.fills_standard_output() {
            self.print(&mut io::stdout().lock(), &report)?;
        }
        Ok(if report.is_met() {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    fn print(&self, out: &mut impl Write, report: &Report) -> io::Result<()> {
        match self.format {
            OutputFormat::Json => DOCUMENT.print(out, report),
            OutputFormat::Csv => self.table.unwrap_or_default().print(out, report),
            OutputFormat::Table => print::print(out, report, usize::MAX),
        }
    }
}

/// The schemas of what programs read.
pub(crate) const SCHEMAS: [DocumentSchema; 3] = [
    DOCUMENT.schema(),
    explain::DOCUMENT.schema(),
    runs::DOCUMENT.schema(),
];

/// Parses a vehicle file; every error names its place.
pub(crate) fn parse(name: &str, text: &str) -> Result<VehicleFile, Failure> {
    VehicleFile::parse(name, text).map_err(|errors| listed(&errors))
}

/// Everything that is wrong with a vehicle file, one line each.
pub(crate) fn listed(errors: &FileErrors) -> Failure {
    let more = (errors.omitted() > 0).then(|| format!("and {} more", errors.omitted()));
    Failure::all(errors.listed().iter().map(ToString::to_string).chain(more))
}

/// Warns of what a vehicle file plans for later than both its own end and that of this run.
pub(crate) fn warn_of_late(file: &VehicleFile, end: Duration) {
    let Some(late) = file.too_late(file.duration.max(end)) else {
        return;
    };
    for line in late.to_string().lines() {
        messages::warning(line);
    }
}

/// Says why no bound by analysis stands beside the figures.
fn note_without_bounds(error: Option<&DeriveError>) {
    if let Some(error) = error {
        messages::note(format_args!("no bound stands beside the figures: {error}"));
    }
}

/// Warns of attacks that never ran, so that the other requirements say nothing about them.
fn warn_of_idle(report: &Report) {
    let missed = report.requirements.iter();
    for one in missed.filter(|one| one.measured_text == NEVER_RAN) {
        let cause = one.cause.as_deref().unwrap_or_default();
        messages::warning(format_args!(
            "{}: {} {NEVER_RAN}: {cause}",
            one.place, one.title
        ));
    }
}

/// Makes a simulation of a vehicle; every error names its place.
pub(crate) fn lowered(
    file: &VehicleFile,
    resources: &Resources,
    seed: u64,
) -> Result<Lowered, Failure> {
    let vehicle = file.source.file_name();
    let lowered = lower(file, resources, Some(seed)).map_err(|error| refused(file, &error))?;
    for (place, warning) in &lowered.warnings {
        messages::warning(format_args!("{vehicle}:{place}: {warning}"));
    }
    Ok(lowered)
}

/// Says why there is no simulation of a vehicle, and where its file says so.
pub(crate) fn refused(file: &VehicleFile, error: &LowerError) -> Failure {
    let vehicle = file.source.file_name();
    match error.place() {
        Some(place) => Failure::new(format_args!("{vehicle}:{place}: {error}")),
        None => Failure::new(format_args!("{vehicle}: {error}")),
    }
}
