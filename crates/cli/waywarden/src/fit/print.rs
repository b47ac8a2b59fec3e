//! The candidates as text.

use std::io::{self, Write};

use waywarden_command_line::csv_table::print_csv;
use waywarden_vehicle_file::formatting::{count, span};
use waywarden_vehicle_lab::fit::{CandidateRow, Fit, MessageRow};

use crate::report_table::report_table;

/// Limit on the messages whose costs are shown; JSON has all.
const MESSAGES_MAX: usize = 40;

/// Prints a row for each candidate.
pub(super) fn csv(out: &mut impl Write, fit: &Fit) -> io::Result<()> {
    print_csv(out, &fit.rows)
}

/// Prints the recommendation, the candidates, the costs of each message, and what cannot be.
pub(super) fn table(out: &mut impl Write, fit: &Fit) -> io::Result<()> {
    writeln!(out, "{}: {}\n", fit.vehicle, fit.conclusion_text)?;
    writeln!(
        out,
        "{} of {} to protect; {}, {} each, seed {}\n",
        fit.to_protect,
        count(fit.messages as u64, "message"),
        count(fit.rows.len() as u64, "candidate"),
        span(fit.duration_ms),
        fit.seed
    )?;
    report_table(&fit.rows).print(out)?;
    if let Some(row) = fit.best() {
        costs(out, row)?;
    }
    for text in &fit.changes_text {
        writeln!(out, "changed: {text}")?;
    }
    for text in &fit.assumptions_text {
        writeln!(out, "assumed: {text}")?;
    }
    impossible(out, fit)
}

/// Prints what cannot be, with its reasons.
pub(super) fn impossible(out: &mut impl Write, fit: &Fit) -> io::Result<()> {
    for one in &fit.impossible {
        let candidates: Vec<String> = one.candidates.iter().map(ToString::to_string).collect();
        writeln!(
            out,
            "not possible: {}: {}",
            candidates.join("; "),
            one.reason_text
        )?;
    }
    Ok(())
}

/// Prints what the recommended candidate costs each message.
fn costs(out: &mut impl Write, row: &CandidateRow) -> io::Result<()> {
    writeln!(
        out,
        "\nCost by message of row {}: {}\n",
        row.number, row.candidate
    )?;
    let messages: &[MessageRow] = &row.figures.messages;
    report_table(messages.iter().take(MESSAGES_MAX)).print(out)?;
    if let Some(more @ 1..) = messages.len().checked_sub(MESSAGES_MAX) {
        writeln!(out, "and {more} more messages: --format json has all")?;
    }
    for message in messages.iter().take(MESSAGES_MAX) {
        if let Some(reason) = &message.reason_text {
            writeln!(out, "without a code: {}: {reason}", message.stream)?;
        }
    }
    writeln!(out)
}
