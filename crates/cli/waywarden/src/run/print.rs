//! A run as tables for people.

use std::io::{self, Write};

use waywarden_vehicle_report::report::{Report, StreamRow};

use crate::report_table::report_table;
use waywarden_command_line::messages::{self, Tone};
use waywarden_command_line::table::Rows;

/// Prints a report for people.
///
/// It shows the `most` streams that come nearest to their deadlines, in the file's order if it
/// shows all.
pub(crate) fn print(out: &mut impl Write, report: &Report, most: usize) -> io::Result<()> {
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
    report_table(&report.buses).print(out)?;
    report_table(&report.ecus).print(out)?;
    if !report.hardware_security_modules.is_empty() {
        report_table(&report.hardware_security_modules).print(out)?;
    }
    if !report.images.is_empty() {
        report_table(&report.images).print(out)?;
    }
    streams(report, most).print(out)?;
    if most < report.streams.len() {
        let all = report.streams.len();
        writeln!(
            out,
            "({most} of {all} streams: those nearest to their deadlines)"
        )?;
    }
    if let Some(ideal) = &report.ideal_text {
        writeln!(out, "{ideal}")?;
    }
    if let Some(images) = &report.images_text {
        writeln!(out, "{images}")?;
    }
    if let Some(offsets) = report.offsets_text() {
        writeln!(out, "{offsets}\n")?;
    }
    keys(out, report, most)?;
    security_modules(out, report, most)?;
    authentications(out, report, most)?;
    if !report.attacks.is_empty() {
        report_table(&report.attacks).print(out)?;
    }
    figures(report, most).print(out)?;
    requirements(out, report)?;
    Ok(())
}

/// Prints the groups that agree on keys, and their ECUs where all are asked for.
fn keys(out: &mut impl Write, report: &Report, most: usize) -> io::Result<()> {
    if report.groups.is_empty() {
        return Ok(());
    }
    report_table(&report.groups).print(out)?;
    let networks = report.groups.iter().flat_map(|group| &group.networks);
    if networks.clone().next().is_some() {
        report_table(networks).print(out)?;
    }
    let parties = report.groups.iter().flat_map(|group| &group.ecus);
    match most {
        usize::MAX => report_table(parties).print(out),
        _ => Ok(()),
    }
}

/// Prints the security modules and the protected streams, and the ECUs where all are asked for.
fn security_modules(out: &mut impl Write, report: &Report, most: usize) -> io::Result<()> {
    if report.security_modules.is_empty() {
        return Ok(());
    }
    report_table(&report.security_modules).print(out)?;
    // What was before a reset of a security module, and what after.
    let lives = report.security_modules.iter().map(|network| &network.boots);
    let lives: Vec<_> = lives.filter(|lives| lives.len() > 1).flatten().collect();
    if !lives.is_empty() {
        report_table(lives.into_iter().take(most)).print(out)?;
    }
    let streams = report
        .security_modules
        .iter()
        .flat_map(|network| &network.streams);
    report_table(streams.take(most)).print(out)?;
    let ecus = report
        .security_modules
        .iter()
        .flat_map(|network| &network.ecus);
    match most {
        usize::MAX => report_table(ecus).print(out),
        _ => Ok(()),
    }
}

/// Prints what came of authentication, and what displays showed.
fn authentications(out: &mut impl Write, report: &Report, most: usize) -> io::Result<()> {
    if !report.authentication.is_empty() {
        report_table(&report.authentication).print(out)?;
        let checks = report.authentication.iter().flat_map(|one| &one.checks);
        report_table(checks.take(most)).print(out)?;
    }
    if !report.first_authentic.is_empty() {
        report_table(report.first_authentic.iter().take(most)).print(out)?;
    }
    if report.displays.is_empty() {
        return Ok(());
    }
    report_table(&report.displays).print(out)?;
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
    let bounds = shown.iter().map(|row| row.bound_cell());
    let bounds: Vec<String> = bounds.filter(|_| report.has_bounds()).collect();
    let mut rows = report_table(shown);
    if report.has_bounds() {
        rows.headers.push(StreamRow::BOUND_HEADER);
        rows.numbers.end += 1;
        rows.rows
            .iter_mut()
            .zip(bounds)
            .for_each(|(row, bound)| row.push(bound));
    }
    rows
}

/// Returns the worst latency divided by the deadline; a stream that never arrived counts as
/// infinitely late.
pub(crate) fn strain(row: &StreamRow) -> f64 {
    row.worst_ms.unwrap_or(f64::INFINITY) / row.deadline_ms
}

/// Returns the sources of the costs: the `most` commonest.
fn figures(report: &Report, most: usize) -> Rows {
    let mut shown: Vec<_> = report.costs.iter().collect();
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
            "{} {}: {} measured, {} required ({})",
            messages::colored(Tone::Bad, "MISSED"),
            verdict.title,
            verdict.measured_text,
            verdict.required_text,
            verdict.place
        )?;
        if let Some(cause) = &verdict.cause {
            writeln!(out, "       {cause}")?;
        }
        if let Some(message) = &verdict.explain {
            let file = verdict.place.split(':').next().unwrap_or_default();
            writeln!(
                out,
                "       its path: waywarden run {file} --explain {message}"
            )?;
        }
    }
    let all = report.requirements.len();
    let tone = if missed.is_empty() {
        Tone::Good
    } else {
        Tone::Bad
    };
    let met = format!("{} of {all} met", all - missed.len());
    writeln!(out, "Requirements: {}.", messages::colored(tone, &met))?;
    match report.latency_without_receivers {
        0 => Ok(()),
        left_out => writeln!(
            out,
            "`latency` has nothing to say of {left_out} streams without receivers."
        ),
    }
}
