//! `waywarden run`: a vehicle file becomes a run, tables, and a verdict.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_vehicle_file::resources::Resources;
use waywarden_vehicle_file::{FileErrors, VehicleFile};
use waywarden_vehicle_lab::lower::{LowerError, Lowered, lower};
use waywarden_vehicle_lab::run;
use waywarden_vehicle_report::report::{FirstAuthenticRow, NEVER_RAN, Report, StreamRow};
use waywarden_vehicle_trace::TraceSink;
use waywarden_work::Duration;

use crate::keep::{Keep, Kept};
use crate::resources::load;
use waywarden_command_line::damage::Reading;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::quantity;
use waywarden_command_line::table::{Format, Rows, print_json};

/// Run a vehicle file on exact buses and hold it against its requirements.
///
/// Exit code 0 if every requirement is met, 1 if one is missed, 2 if the file is not understood.
/// The same file and seed give the same trace, byte by byte.
#[derive(Debug, clap::Args)]
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
}

impl Run {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let text = files::text(&self.vehicle)?;
        let mut file = parse(&self.vehicle.display().to_string(), &text)?;
        let duration = self.duration.as_deref().map(quantity::run_length);
        let duration = duration.transpose()?.unwrap_or(file.duration);
        warn_of_late(&file, duration);
        file.duration = duration;
        let resources = load(&file, &self.vehicle, Some(self.reading))?;
        let seed = self.seed.unwrap_or(file.seed);
        let lowered = lowered(&file, &resources, seed)?;
        let mut kept = Kept::begin(&self.keep, &file, &lowered)?;
        let outcome = simulate(lowered, &mut kept)?;
        let report = Report::new(&file, seed, &outcome);
        warn_of_idle(&report);
        kept.finish(&file, &report, &outcome)?;
        if !self.keep.fills_standard_output() {
            print(&mut io::stdout().lock(), &report, self.format, usize::MAX)?;
        }
        Ok(if report.is_met() {
            Answer::Yes
        } else {
            Answer::No
        })
    }
}

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
        eprintln!("warning: {line}");
    }
}

/// Warns of attacks that never ran, so that the other requirements say nothing about them.
fn warn_of_idle(report: &Report) {
    let missed = report.requirements.iter();
    for one in missed.filter(|one| one.measured == NEVER_RAN) {
        let cause = one.cause.as_deref().unwrap_or_default();
        eprintln!(
            "warning: {}: {} {NEVER_RAN}: {cause}",
            one.place, one.requirement
        );
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
        eprintln!("warning: {vehicle}:{place}: {warning}");
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
    let bar = if io::stderr().is_terminal() {
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

/// Prints a report.
///
/// The table shows the `most` streams that come nearest to their deadlines, in the file's order if
/// it shows all.
pub(crate) fn print(
    out: &mut impl Write,
    report: &Report,
    format: Format,
    most: usize,
) -> Result<(), Failure> {
    match format {
        Format::Json => print_json(out, report)?,
        Format::Csv => with_first_authentic(streams(report, usize::MAX), report).print_csv(out)?,
        Format::Table => {
            let start_up = report
                .start_up_ms
                .map_or("not complete".to_owned(), milliseconds);
            let keyed = match (report.is_keyed(), report.keys_ms) {
                (false, _) => String::new(),
                (true, None) => ", all keys in place: not complete".to_owned(),
                (true, Some(keys)) => format!(", all keys in place: {}", milliseconds(keys)),
            };
            writeln!(
                out,
                "{}: {} simulated, seed {}, every stream received once: {start_up}{keyed}\n",
                report.vehicle,
                milliseconds(report.duration_ms),
                report.seed
            )?;
            Rows::of(&report.buses).print(out)?;
            Rows::of(&report.ecus).print(out)?;
            if !report.hardware_security_modules.is_empty() {
                Rows::of(&report.hardware_security_modules).print(out)?;
            }
            streams(report, most).print(out)?;
            if most < report.streams.len() {
                let all = report.streams.len();
                writeln!(
                    out,
                    "({most} of {all} streams: those nearest to their deadlines)"
                )?;
            }
            keys(out, report, most)?;
            security_modules(out, report, most)?;
            authentications(out, report, most)?;
            if !report.attacks.is_empty() {
                Rows::of(&report.attacks).print(out)?;
            }
            figures(report, most).print(out)?;
            requirements(out, report)?;
        }
    }
    Ok(())
}

/// Prints the groups that agree on keys, and their ECUs where all are asked for.
fn keys(out: &mut impl Write, report: &Report, most: usize) -> io::Result<()> {
    if report.keys.is_empty() {
        return Ok(());
    }
    Rows::of(&report.keys).print(out)?;
    let networks = report.keys.iter().flat_map(|group| &group.networks);
    if networks.clone().next().is_some() {
        Rows::of(networks).print(out)?;
    }
    let parties = report.keys.iter().flat_map(|group| &group.ecus);
    match most {
        usize::MAX => Rows::of(parties).print(out),
        _ => Ok(()),
    }
}

/// Prints the security modules and the protected streams, and the ECUs where all are asked for.
fn security_modules(out: &mut impl Write, report: &Report, most: usize) -> io::Result<()> {
    if report.lasan.is_empty() {
        return Ok(());
    }
    Rows::of(&report.lasan).print(out)?;
    // What was before a reset of a security module, and what after.
    let lives = report.lasan.iter().map(|network| &network.lives);
    let lives: Vec<_> = lives.filter(|lives| lives.len() > 1).flatten().collect();
    if !lives.is_empty() {
        Rows::of(lives.into_iter().take(most)).print(out)?;
    }
    let streams = report.lasan.iter().flat_map(|network| &network.streams);
    Rows::of(streams.take(most)).print(out)?;
    let ecus = report.lasan.iter().flat_map(|network| &network.ecus);
    match most {
        usize::MAX => Rows::of(ecus).print(out),
        _ => Ok(()),
    }
}

/// Prints what came of authentication, and what displays showed.
fn authentications(out: &mut impl Write, report: &Report, most: usize) -> io::Result<()> {
    if !report.authentication.is_empty() {
        Rows::of(&report.authentication).print(out)?;
        let checks = report.authentication.iter().flat_map(|one| &one.checks);
        Rows::of(checks.take(most)).print(out)?;
    }
    if !report.first_authentic.is_empty() {
        Rows::of(report.first_authentic.iter().take(most)).print(out)?;
    }
    if report.displays.is_empty() {
        return Ok(());
    }
    Rows::of(&report.displays).print(out)?;
    for display in &report.displays {
        writeln!(out, "{} {}:", display.ecu, display.module)?;
        for change in display.changes.iter().take(most) {
            writeln!(out, "  {:>12} {}", milliseconds(change.at_ms), change.shows)?;
        }
        let rest = display.changes.len().saturating_sub(most);
        if rest > 0 {
            writeln!(out, "  and {rest} more; `--streams all` has them")?;
        }
    }
    writeln!(out)
}

fn milliseconds(value: f64) -> String {
    format!("{value:.3} ms")
}

fn streams(report: &Report, most: usize) -> Rows {
    let mut shown: Vec<&StreamRow> = report.streams.iter().collect();
    if most < shown.len() {
        shown.sort_by(|a, b| strain(b).total_cmp(&strain(a)));
        shown.truncate(most);
    }
    Rows::of(shown)
}

/// Adds how long receivers waited for the first authentic messages, empty where none check.
fn with_first_authentic(mut rows: Rows, report: &Report) -> Rows {
    rows.headers
        .extend(["first authentic after power-on ms", "after boot ms"]);
    for row in &mut rows.rows {
        let mut own = report.first_authentic.iter();
        let own = own.find(|one| row.first() == Some(&one.stream));
        let times = own.map(FirstAuthenticRow::times);
        row.extend(times.unwrap_or_default());
    }
    rows
}

/// How near a stream came to its deadline; one that never arrived counts as infinitely late.
pub(crate) fn strain(row: &StreamRow) -> f64 {
    row.worst_ms.unwrap_or(f64::INFINITY) / row.deadline_ms
}

/// Where the costs come from: the `most` commonest.
fn figures(report: &Report, most: usize) -> Rows {
    let mut shown: Vec<_> = report.figures.iter().collect();
    shown.sort_by_key(|row| std::cmp::Reverse(row.jobs));
    let rows = shown.into_iter().take(most).map(|row| {
        vec![
            row.board.clone(),
            format!("{} {}", row.operation, row.algorithm),
            shorten(&row.origin),
            row.jobs.to_string(),
            format!("{:.1}", row.mean_us),
        ]
    });
    Rows {
        headers: vec!["board", "work", "origin of the figure", "jobs", "mean us"],
        rows: rows.collect(),
        numbers: 3..5,
    }
}

/// Cuts a long origin for the table; JSON has it whole.
fn shorten(origin: &str) -> String {
    const WIDTH: usize = 60;
    match origin.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}...", &origin[..at]),
        None => origin.to_owned(),
    }
}

fn requirements(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if report.requirements.is_empty() {
        return writeln!(out, "The vehicle file states no requirements.");
    }
    let missed: Vec<_> = report
        .requirements
        .iter()
        .filter(|verdict| !verdict.met)
        .collect();
    for verdict in &missed {
        writeln!(
            out,
            "MISSED {}: {} measured, {} required ({})",
            verdict.requirement, verdict.measured, verdict.required, verdict.place
        )?;
        if let Some(cause) = &verdict.cause {
            writeln!(out, "       {cause}")?;
        }
    }
    let all = report.requirements.len();
    writeln!(out, "Requirements: {} of {all} met.", all - missed.len())
}
