//! The answer of `waywarden verify` in its forms, each written while messages are read: what
//! is kept does not grow with their number.

use std::io::{self, Write};
use std::mem;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;

use super::summary::{Summary, Totals, passed_over};
use waywarden_command_line::csv_table::CsvColumns;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::messages;
use waywarden_command_line::table::Rows;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_receiver::Verdict;

/// Maximum number of messages that are shown one by one, except in JSON and CSV.
pub(super) const ROWS_MAX: usize = 30;

/// The columns of CSV.
static COLUMNS: LazyLock<CsvColumns> = LazyLock::new(CsvColumns::of::<Verdict>);

const HEADERS: [&str; 7] = [
    "input",
    "kind",
    "PSID",
    "signer",
    "signature",
    "verdict",
    "reason",
];

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// JSON Lines: an object for each input, then one with the totals.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
}

/// Verdicts of a batch, in the form in which they are written.
pub(super) enum Answer {
    /// At most one more than are shown.
    Rows(Vec<Verdict>),
    /// Text, unless there is no verdict.
    Text(Vec<u8>),
}

impl Answer {
    /// Writes verdicts in a form.
    pub(super) fn new(format: Format, mut verdicts: Vec<Verdict>) -> io::Result<Self> {
        let mut text = Vec::new();
        match format {
            Format::Table => {
                verdicts.truncate(ROWS_MAX + 1);
                return Ok(Self::Rows(verdicts));
            }
            Format::Json => {
                for (number, verdict) in verdicts.iter().enumerate() {
                    if number > 0 {
                        text.extend_from_slice(BETWEEN);
                    }
                    // No line ends within a value of JSON.
                    let one = verdict.to_json_pretty()?;
                    text.extend_from_slice(one.replace('\n', "\n    ").as_bytes());
                }
            }
            Format::Jsonl => {
                for verdict in &verdicts {
                    serde_json::to_writer(&mut text, &VerdictLine::Verdict(verdict))?;
                    text.push(b'\n');
                }
            }
            Format::Csv => {
                COLUMNS.print_rows(&mut text, &verdicts)?;
            }
        }
        Ok(Self::Text(text))
    }
}

/// Separator of two messages in the JSON document.
const BETWEEN: &[u8] = b",\n    ";

/// Destination of the verdicts, batch by batch.
pub(super) enum Output<W: Write> {
    Table {
        out: W,
        /// At most one more than are shown.
        first: Vec<Verdict>,
    },
    Text {
        format: Format,
        out: W,
        is_begun: bool,
    },
}

impl<W: Write> Output<W> {
    pub(super) fn new(format: Format, out: W) -> Self {
        match format {
            Format::Table => Output::Table {
                out,
                first: Vec::new(),
            },
            Format::Json | Format::Jsonl | Format::Csv => Output::Text {
                format,
                out,
                is_begun: false,
            },
        }
    }

    /// Writes a batch.
    pub(super) fn write(&mut self, answer: Answer) -> io::Result<()> {
        match (self, answer) {
            (Output::Table { first, .. }, Answer::Rows(more)) => {
                let room = (ROWS_MAX + 1).saturating_sub(first.len());
                first.extend(more.into_iter().take(room));
                Ok(())
            }
            (
                Output::Text {
                    format,
                    out,
                    is_begun,
                },
                Answer::Text(text),
            ) if !text.is_empty() => {
                match (format, mem::replace(is_begun, true)) {
                    (Format::Json, false) => {
                        DOCUMENT.begin(out)?;
                        out.write_all(b",\n  \"messages\": [\n    ")?;
                    }
                    (Format::Json, true) => out.write_all(BETWEEN)?,
                    (Format::Csv, false) => COLUMNS.print_header(out)?,
                    _ => {}
                }
                out.write_all(&text)
            }
            _ => Ok(()),
        }
    }

    /// Writes what comes after the messages. Without a message that is nothing, but in JSON.
    pub(super) fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        match self {
            Output::Table { .. } if summary.tally.inputs == 0 => Ok(()),
            Output::Table { out, first } => {
                print_table(out, first, summary)?;
                out.flush()
            }
            Output::Text {
                format,
                out,
                is_begun,
            } => {
                match format {
                    Format::Json => print_totals(out, summary, *is_begun)?,
                    Format::Jsonl => {
                        serde_json::to_writer(
                            &mut *out,
                            &VerdictLine::Last(Last {
                                totals: summary.totals(),
                            }),
                        )?;
                        writeln!(out)?;
                    }
                    Format::Csv | Format::Table => {}
                }
                out.flush()?;
                let words = passed_over(summary.tally.passed_over);
                if *format == Format::Csv
                    && let Some(words) = words.strip_prefix("; ")
                    && summary.tally.inputs > 0
                {
                    messages::note(words);
                }
                Ok(())
            }
        }
    }
}

/// The last line of JSON Lines.
#[derive(Serialize, JsonSchema)]
struct Last<'a> {
    /// Number of messages by result.
    totals: Totals<'a>,
}

/// The JSON document.
#[derive(Serialize, JsonSchema)]
struct Verified<'a> {
    /// A verdict on each message.
    messages: Vec<Verdict>,
    /// Number of messages by result.
    #[serde(flatten)]
    totals: Totals<'a>,
}

/// A line of JSON Lines: a verdict, or the totals in the last one.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum VerdictLine<'a> {
    Verdict(&'a Verdict),
    Last(Last<'a>),
}

const DOCUMENT: DocumentFormat<Verified<'_>> =
    DocumentFormat::new("verify", 1, "waywarden verify FILE --format json");

/// The schemas of what programs read.
pub(crate) const SCHEMAS: [DocumentSchema; 2] = [
    DOCUMENT.schema(),
    DocumentSchema::of_lines::<VerdictLine<'_>>(
        "verify-line",
        1,
        "waywarden verify FILE --format jsonl",
    ),
];

/// Writes the end of the JSON document.
fn print_totals(out: &mut impl Write, summary: &Summary, is_begun: bool) -> io::Result<()> {
    if is_begun {
        out.write_all(b"\n  ],\n")?;
    } else {
        DOCUMENT.begin(out)?;
        out.write_all(b",\n  \"messages\": [],\n")?;
    }
    let totals = serde_json::to_string_pretty(&summary.totals())?;
    // The members without the brace that begins an object of their own.
    let members = totals.strip_prefix("{\n").unwrap_or(&totals);
    writeln!(out, "{members}")
}

fn print_table(out: &mut impl Write, first: &[Verdict], summary: &Summary) -> io::Result<()> {
    if summary.tally.inputs <= ROWS_MAX {
        let rows = Rows {
            headers: HEADERS.to_vec(),
            rows: first.iter().map(|one| row(one).to_vec()).collect(),
            numbers: 2..3,
        };
        rows.print(out)?;
    } else {
        summary.counts().print(out)?;
        let json = "each by itself: --format json";
        writeln!(out, "\n{} inputs; {json}", summary.tally.inputs)?;
    }
    writeln!(out, "\n{}", summary.words())
}

fn row(one: &Verdict) -> [String; HEADERS.len()] {
    let cell = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let name = match &one.label {
        Some(label) => format!("{} {label}", one.input),
        None => one.input.clone(),
    };
    [
        plain(&name).into_owned(),
        one.kind.to_owned(),
        one.psid.map_or("-".to_owned(), |psid| psid.to_string()),
        cell(&one.signer),
        match one.signature_valid {
            Some(true) => "valid",
            Some(false) => "invalid",
            None => "-",
        }
        .to_owned(),
        one.verdict.to_owned(),
        match (&one.payload_check, &one.reason) {
            // The reason of a failure is in the text of the check.
            (Some(check), why) if why.is_none() || !check.0.failures.is_empty() => {
                format!("payload: {}", check.0)
            }
            (Some(check), Some(why)) => format!("payload: {}; {}", check.0, plain(why)),
            _ => plain(&cell(&one.reason)).into_owned(),
        },
    ]
}
