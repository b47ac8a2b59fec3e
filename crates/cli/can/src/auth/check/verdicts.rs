//! A line for each frame with its verdict: text for people, CSV or JSON Lines for programs.

use std::io::{self, Write as _};
use std::path::Path;

use crate::logs::ending;
use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can::Id;
use waywarden_can_auth::secoc::{FreshnessValue, Trailer};
use waywarden_can_auth_log::{CheckedRecord, FrameVerdict, StreamCounts};
use waywarden_can_log::{Channels, candump};
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::OutputFile;
use waywarden_vehicle_file::identifier::IdentifierFields;

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

/// A frame, for programs.
#[derive(Serialize, JsonSchema)]
struct Row<'a> {
    /// The time stamp, as the log has it.
    time_ns: u64,
    /// The channel, as the log names it.
    channel: &'a str,
    /// The identifier, 0 to 2047, or to 536870911 if `extended`.
    id: u32,
    /// The same in hexadecimal.
    id_hex: String,
    /// True if the identifier has 29 bits.
    extended: bool,
    /// The stream; empty if the frame is of none.
    stream: &'a str,
    /// Verdict on the frame.
    verdict: FrameVerdict,
    /// The same as AUTOSAR's SecOC_VerificationResultType.
    result: &'static str,
    /// The trip counter of the freshness value that the frame was verified with.
    trip: Option<u32>,
    /// Its reset counter.
    reset: Option<u32>,
    /// Its message counter.
    message: Option<u64>,
    /// Transmitted part of the freshness value, in hexadecimal.
    received_freshness: Option<String>,
    /// Transmitted part of the authenticator, in hexadecimal.
    received_authenticator: Option<String>,
    /// The trip counter that the receiver expected.
    expected_trip: Option<u32>,
    /// The reset counter that it expected.
    expected_reset: Option<u32>,
    /// The message counter that it expected.
    expected_message: Option<u64>,
}

/// The schema of what programs read.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_lines::<Row<'_>>(
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
            Row::new(checked, frame.id(), counts)
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

impl<'a> Row<'a> {
    fn new(checked: &CheckedRecord, id: Id, counts: Option<&'a StreamCounts>) -> Self {
        let IdentifierFields {
            id,
            id_hex,
            extended,
        } = id.into();
        let report = checked.freshness.unwrap_or_default();
        let epoch = |value: Option<FreshnessValue>| value.and_then(|value| value.epoch);
        let (verified, expected) = (report.verified, report.expected);
        let received = report.received;
        Row {
            time_ns: checked.record.at_ns,
            channel: counts.map_or("", |counts| &counts.channel),
            id,
            id_hex,
            extended,
            stream: counts.map_or("", |counts| &counts.stream),
            verdict: checked.verdict,
            result: checked.verdict.verification_result(),
            trip: epoch(verified).map(|epoch| epoch.trip),
            reset: epoch(verified).map(|epoch| epoch.reset),
            message: verified.and_then(|value| value.message),
            received_freshness: received.and_then(freshness_digits),
            received_authenticator: received.map(code_digits),
            expected_trip: epoch(expected).map(|epoch| epoch.trip),
            expected_reset: epoch(expected).map(|epoch| epoch.reset),
            expected_message: expected.and_then(|value| value.message),
        }
    }
}

/// Writes what travels of the freshness value in hexadecimal, if anything does.
fn freshness_digits(received: Trailer) -> Option<String> {
    let digits = usize::from(received.freshness_bits).div_ceil(4);
    (digits > 0).then(|| format!("0x{:0digits$X}", received.freshness))
}

/// Writes what travels of the code in hexadecimal, its first bit first.
fn code_digits(received: Trailer) -> String {
    let digits = format!("{:032X}", u128::from_be_bytes(received.code));
    let length = usize::from(received.code_bits).div_ceil(4);
    format!("0x{}", digits.get(..length).unwrap_or(&digits))
}
