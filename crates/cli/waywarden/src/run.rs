//! `waywarden run`: a vehicle file becomes a run, tables, and a verdict.

mod explain;
pub(crate) mod print;
mod tables;

use std::io::{self, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_vehicle_file::resources::Resources;
use waywarden_vehicle_file::{FileErrors, VehicleFile};
use waywarden_vehicle_lab::lower::{LowerError, Lowered, lower};
use waywarden_vehicle_lab::run;
use waywarden_vehicle_report::report::{NEVER_RAN, Report};
use waywarden_vehicle_trace::TraceSink;
use waywarden_work::Duration;

use self::tables::RunTable;
use crate::file_kind;
use crate::keep::{Keep, Kept};
use crate::logs::damage::Reading;
use crate::quantity;
use crate::resources::load;
use waywarden_command_line::document::{DocumentKind, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::table::Format;

const EXAMPLES: &str = "\
Examples:
  waywarden run car.toml                              tables, and the requirements that are missed
  waywarden run car.toml --html report.html           a report with pictures
  waywarden run car.toml --log car.log                what a logger on every bus would have seen
  waywarden run car.toml --seed 7 --duration 2s       other random choices, a shorter run
  waywarden run car.toml --explain EngineSpeed:12     the path of one message
  waywarden run car.toml --format csv --table ecus    one table for a program
  waywarden run car.toml --format json | jq .buses";

/// Run a vehicle file on exact buses, and check its requirements.
///
/// Exit code 0 if every requirement is met, 1 if one is missed, 2 for bad input. The same file and
/// seed give the same trace, byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Run {
    /// The vehicle, in TOML; docs/vehicle-file.md describes it, examples/ has some.
    vehicle: PathBuf,
    /// What every random choice follows from, instead of the file's own seed.
    #[arg(long)]
    seed: Option<u64>,
    /// How long to run, such as 10s or 500ms, instead of the file's own duration.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    keep: Keep,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Which table CSV has [default: streams].
    #[arg(long, value_enum, value_name = "TABLE")]
    table: Option<RunTable>,
    /// Print the path of one message in place of the figures: its release, protection, queues,
    /// buses, gateways and checks, and its outcome at each receiver. NUMBER counts from 0. Exit
    /// code 0 if it was delivered to all receivers, 1 if not. Example: --explain EngineSpeed:12.
    #[arg(long, value_name = "STREAM:NUMBER", conflicts_with = "table")]
    explain: Option<String>,
}

impl Run {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        if self.table.is_some() && self.format != Format::Csv {
            return Err(Failure::new("--table is for --format csv"));
        }
        let text = file_kind::vehicle_text(&self.vehicle)?;
        let mut file = parse(&self.vehicle.display().to_string(), &text)?;
        let duration = self.duration.as_deref().map(quantity::run_length);
        let duration = duration.transpose()?.unwrap_or(file.duration);
        warn_of_late(&file, duration);
        file.duration = duration;
        let resources = load(&file, &self.vehicle, Some(self.reading))?;
        let seed = self.seed.unwrap_or(file.seed);
        let lowered = lowered(&file, &resources, seed)?;
        let mut kept = Kept::begin(&self.keep, &file, &lowered)?;
        if let Some(message) = &self.explain {
            return explain::explain((message, self.format), &file, lowered, &mut kept);
        }
        let outcome = simulate(lowered, &mut kept)?;
        let report = Report::new(&file, seed, &outcome);
        warn_of_idle(&report);
        kept.finish(&file, &report, &outcome)?;
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
            Format::Json => DOCUMENT.print(out, report),
            Format::Csv => self.table.unwrap_or_default().print(out, report),
            Format::Table => print::print(out, report, usize::MAX),
        }
    }
}

const DOCUMENT: DocumentKind<Report> =
    DocumentKind::new("run", 1, "waywarden run FILE --format json");

/// The schemas of what programs read.
pub(crate) const SCHEMAS: [DocumentSchema; 2] = [DOCUMENT.schema(), explain::DOCUMENT.schema()];

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

/// Runs with a progress bar on a terminal.
pub(crate) fn simulate(
    lowered: Lowered,
    sink: &mut dyn TraceSink,
) -> Result<run::Outcome, Failure> {
    let bar = if messages::shows_progress() {
        ProgressBar::new(1_000)
    } else {
        ProgressBar::hidden()
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent} % {elapsed} ({eta} to go)")
    {
        bar.set_style(style);
    }
    let outcome = run::run(lowered, sink, &mut |share| {
        bar.set_position((share * 1e3) as u64);
    });
    bar.finish_and_clear();
    outcome.map_err(Failure::new)
}
