//! The table of streams: how many of their frames have which verdict.

use std::io::{self, Write};

use waywarden_can_auth_log::{CheckSummary, DOCUMENT, StreamCounts};
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::table::{OutputFormat, Rows};

/// The schema of what programs read.
pub const SCHEMA: DocumentSchema = DOCUMENT.schema();

/// Prints the verdicts on a log, by stream.
pub(super) fn print(
    out: &mut impl Write,
    summary: &CheckSummary,
    format: OutputFormat,
) -> io::Result<()> {
    match format {
        OutputFormat::Json => return DOCUMENT.print(out, summary),
        OutputFormat::Csv => return print_csv(out, &summary.streams),
        OutputFormat::Table => rows(summary).print(out)?,
    }
    out.write_all(totals(summary).as_bytes())
}

/// Writes how many frames are authentic, as a line.
pub(super) fn totals(summary: &CheckSummary) -> String {
    let CheckSummary {
        frames,
        refused,
        unknown,
        ..
    } = summary;
    let first = match refused {
        0 => format!(
            "all frames of these streams are authentic: {}",
            frames - unknown
        ),
        _ => format!("{refused} of {frames} frames are not authentic"),
    };
    match unknown {
        0 => first + "\n",
        _ => format!("{first}; {unknown} frames belong to none\n"),
    }
}

fn rows(summary: &CheckSummary) -> Rows {
    let headers = vec![
        "channel",
        "stream",
        "protocol",
        "frames",
        "authentic",
        "wrong tag",
        "replay",
        "missing",
        "tag without data",
        "out of step",
        "unchecked",
        "unknown id",
    ];
    let numbers = 3..headers.len();
    Rows {
        headers,
        rows: summary.streams.iter().map(cells).collect(),
        numbers,
    }
}

fn cells(counts: &StreamCounts) -> Vec<String> {
    let numbers = [
        counts.frames,
        counts.authentic,
        counts.wrong_tag,
        counts.replay,
        counts.missing,
        counts.tag_without_data,
        counts.out_of_step,
        counts.unchecked,
        counts.unknown,
    ];
    let names = [&counts.channel, &counts.stream, &counts.protocol];
    let names = names.into_iter().cloned();
    names
        .chain(numbers.iter().map(ToString::to_string))
        .collect()
}
