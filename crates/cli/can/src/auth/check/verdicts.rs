//! A line for each frame with its verdict: text for people, CSV or JSON Lines for programs.

use std::io::{self, Write as _};
use std::path::Path;

use crate::logs::ending;
use waywarden_can_auth_log::{CheckedRecord, StreamCounts, VerdictRow};
use waywarden_can_log::{Channels, candump};
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::OutputFile;

/// The form of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum VerdictFormat {
    /// The candump line, two blanks, the verdict.
    Text,
    /// Comma-separated values with a header.
    Csv,
    /// JSON Lines: one object a frame.
    Json,
}

/// Writes the lines.
pub(super) enum VerdictWriter {
    Text(OutputFile),
    Csv(Box<csv::Writer<OutputFile>>),
    Json(OutputFile),
}

/// The schema of what programs read.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_lines::<VerdictRow<'_>>(
    "auth-verdict-line",
    1,
    "waywarden auth check LOG --config FILE --verdicts FILE.jsonl",
);

impl VerdictFormat {
    /// Returns the form that a file's name asks for.
    fn of(path: &Path) -> Self {
        match ending(path).as_deref() {
            Some("csv") => VerdictFormat::Csv,
            Some("json" | "jsonl" | "ndjson") => VerdictFormat::Json,
            _ => VerdictFormat::Text,
        }
    }
}

impl VerdictWriter {
    /// Begins a file; `-` is standard output. Without a format its name decides.
    pub(super) fn create(path: &Path, format: Option<VerdictFormat>) -> Result<Self, Failure> {
        let out = OutputFile::create(path)?;
        Ok(match format.unwrap_or_else(|| VerdictFormat::of(path)) {
            VerdictFormat::Text => VerdictWriter::Text(out),
            VerdictFormat::Csv => VerdictWriter::Csv(Box::new(csv::Writer::from_writer(out))),
            VerdictFormat::Json => VerdictWriter::Json(out),
        })
    }

    /// Writes a line if the record has a frame.
    pub(super) fn write(
        &mut self,
        checked: &CheckedRecord,
        channels: &Channels,
        streams: &[StreamCounts],
    ) -> Result<(), Failure> {
        let Some(frame) = checked.record.entry.frame() else {
            return Ok(());
        };
        let row = || {
            let counts = checked.stream.and_then(|at| streams.get(at));
            VerdictRow::new(checked, frame.id(), counts)
        };
        let written = match self {
            VerdictWriter::Text(out) => {
                let mut line = candump::Writer::new(Vec::new());
                line.write(&checked.record, channels)?;
                let mut text = line.finish()?;
                text.truncate(text.trim_ascii_end().len());
                out.write_all(&text)
                    .and_then(|()| writeln!(out, "  {}", checked.verdict.code()))
            }
            VerdictWriter::Csv(rows) => rows.serialize(row()).map_err(io::Error::from),
            VerdictWriter::Json(out) => serde_json::to_writer(&mut *out, &row())
                .map_err(io::Error::from)
                .and_then(|()| out.write_all(b"\n")),
        };
        written.map_err(Failure::writing)
    }

    /// Hands on the lines so far, for a reader that follows.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let flushed = match self {
            VerdictWriter::Text(out) | VerdictWriter::Json(out) => out.flush(),
            VerdictWriter::Csv(rows) => rows.flush(),
        };
        flushed.map_err(Failure::writing)
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            VerdictWriter::Text(out) | VerdictWriter::Json(out) => out.finish(),
            VerdictWriter::Csv(rows) => {
                let out = rows.into_inner();
                out.map_err(|error| Failure::writing(error.into_error()))?
                    .finish()
            }
        }
    }
}
