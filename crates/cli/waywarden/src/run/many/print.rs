//! Many runs as a table, CSV or JSON.

use std::io::{self, Write};

use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages::{self, Tone};
use waywarden_command_line::table::OutputFormat;
use waywarden_vehicle_report::runs::{DOCUMENT, RequirementRuns, RunRange, Runs, StreamRuns};
use waywarden_vehicle_report::tables::RunTable;

use super::super::tables::TableChoice;
use crate::report_table::report_table;

/// Lines of one kind below the table; JSON has all.
const LINES_MAX: usize = 8;

/// Refuses a table that many runs do not have.
pub(in crate::run) fn check_table(table: Option<TableChoice>) -> Result<(), Failure> {
    match table {
        None | Some(TableChoice(RunTable::Streams | RunTable::Requirements)) => Ok(()),
        Some(_) => Err(Failure::new(
            "--table: many runs have the tables streams and requirements; --seed and --phase make \
             one run, which has all",
        )),
    }
}

/// Prints many runs; `file` is what a command that repeats one of them names.
pub(in crate::run) fn print(
    runs: &Runs,
    format: OutputFormat,
    table: Option<TableChoice>,
    file: &str,
) -> io::Result<()> {
    let out = &mut io::stdout().lock();
    match (format, table) {
        (OutputFormat::Json, _) => DOCUMENT.print(out, runs),
        (OutputFormat::Csv, Some(TableChoice(RunTable::Requirements))) => {
            print_csv(out, &runs.requirements)
        }
        (OutputFormat::Csv, _) => print_csv(out, &runs.streams),
        (OutputFormat::Table, _) => text(out, runs, file),
    }
}

fn text(out: &mut impl Write, runs: &Runs, file: &str) -> io::Result<()> {
    let ranges = runs.ranges.iter().map(range_text);
    writeln!(
        out,
        "{}: {} of {:.3} ms, {}\n",
        runs.vehicle,
        count(runs.runs, "run"),
        runs.duration_ms,
        ranges.collect::<Vec<_>>().join("; ")
    )?;
    report_table(&runs.streams).print(out)?;
    let unknown = runs.unknown_offsets;
    if unknown > 0 {
        writeln!(
            out,
            "{unknown} of {} streams have unknown offsets. In phase 0 all are 0, the critical \
             instant of each ECU;\nthe other phases draw them. The bound holds for any offsets, \
             as `waywarden bus bound` assumes.",
            runs.streams.len(),
        )?;
    }
    let nearest = runs
        .streams
        .iter()
        .max_by(|a, b| strain(a).total_cmp(&strain(b)));
    if let Some((stream, run)) = nearest.and_then(|one| Some((&one.stream, one.worst_in?))) {
        let phase = match unknown {
            0 => String::new(),
            _ => format!(" --phase {}", run.phase),
        };
        let seed = run.seed;
        writeln!(
            out,
            "{stream} came nearest to its deadline. `waywarden run {file} --seed {seed}{phase}` \
             repeats that run."
        )?;
    }
    writeln!(out)?;
    streams(out, runs)?;
    requirements(out, runs)
}

/// Returns the share of the deadline that the slowest delivery took.
fn strain(stream: &StreamRuns) -> f64 {
    stream
        .worst_ms
        .map_or(-1.0, |worst| worst / stream.deadline_ms)
}

/// Prints what went wrong with streams.
fn streams(out: &mut impl Write, runs: &Runs) -> io::Result<()> {
    let line = |one: &StreamRuns| {
        let parts = [
            (one.late, "late"),
            (one.skipped, "skipped for a full queue"),
        ];
        let mut parts: Vec<String> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{} {what}", count(*number, "message")))
            .collect();
        if one.runs_without_delivery > 0 && one.has_receivers {
            let number = count(one.runs_without_delivery, "run");
            parts.push(format!("none arrived in {number}"));
        }
        (!parts.is_empty()).then(|| format!("{}: {}", one.stream, parts.join(", ")))
    };
    let lines: Vec<String> = runs.streams.iter().filter_map(line).collect();
    for line in lines.iter().take(LINES_MAX) {
        writeln!(out, "{line}")?;
    }
    more(out, lines.len(), "streams")?;
    let unheard = runs.streams.iter().filter(|one| !one.has_receivers).count();
    match unheard {
        0 => Ok(()),
        _ => writeln!(
            out,
            "{unheard} streams have no receivers, so that nothing is measured of them."
        ),
    }
}

fn requirements(out: &mut impl Write, runs: &Runs) -> io::Result<()> {
    if runs.requirements.is_empty() {
        return writeln!(out, "The vehicle file states no requirements.");
    }
    let missed = runs.requirements.iter().filter(|one| one.runs_missed > 0);
    let missed: Vec<&RequirementRuns> = missed.collect();
    for one in missed.iter().take(LINES_MAX) {
        let verdict = &one.worst;
        writeln!(
            out,
            "{} {}: {} measured, {} required ({}), in {} of {}; the worst has seed {}, phase {}",
            messages::colored(Tone::Bad, "MISSED"),
            verdict.title,
            verdict.measured_text,
            verdict.required_text,
            verdict.place,
            one.runs_missed,
            count(runs.runs, "run"),
            one.worst_in.seed,
            one.worst_in.phase,
        )?;
        if let Some(cause) = &verdict.cause {
            writeln!(out, "       {cause}")?;
        }
    }
    more(out, missed.len(), "missed requirements")?;
    let (all, kept) = (
        runs.requirements.len(),
        runs.requirements.len() - missed.len(),
    );
    let tone = match missed.is_empty() {
        true => Tone::Good,
        false => Tone::Bad,
    };
    let met = format!("{kept} of {all} met in all runs");
    writeln!(
        out,
        "Requirements: {}; {} of {} met all.",
        messages::colored(tone, &met),
        runs.runs_met,
        count(runs.runs, "run")
    )
}

fn more(out: &mut impl Write, all: usize, what: &str) -> io::Result<()> {
    match all.saturating_sub(LINES_MAX) {
        0 => Ok(()),
        rest => writeln!(out, "and {rest} more {what}; --format json has all"),
    }
}

/// Returns seeds and phases in words.
fn range_text(range: &RunRange) -> String {
    let RunRange {
        first_seed,
        seeds,
        phases,
    } = range;
    let of_each = match phases {
        1 => String::new(),
        _ => format!(", {phases} phases each"),
    };
    match seeds {
        1 => format!("seed {first_seed}{}", of_each.replace(" each", "")),
        _ => format!(
            "seeds {first_seed} to {}{of_each}",
            first_seed + (seeds - 1)
        ),
    }
}

fn count(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}
