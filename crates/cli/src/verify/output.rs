//! The answer of `waywarden verify` in its three forms, each written while messages are read: what
//! is kept does not grow with their number.

use std::io::{self, Write};

use super::judge::Judgement;
use super::summary::{Summary, passed_over};
use crate::table::{Format, Rows};
use crate::terminal::plain;

/// So many messages are shown one by one, if they are not asked for in JSON or CSV.
pub(super) const TOLD: usize = 30;

const HEADERS: [&str; 7] = [
    "input",
    "kind",
    "PSID",
    "signer",
    "signature",
    "verdict",
    "reason",
];

/// Where judgements go, one after the other.
pub(super) enum Output<W: Write> {
    Table {
        out: W,
        /// At most one more than are shown.
        first: Vec<Judgement>,
    },
    Json {
        out: W,
        is_begun: bool,
    },
    Csv {
        /// Boxed: its state is much larger than that of the other forms.
        out: Box<csv::Writer<W>>,
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
            Format::Json => Output::Json {
                out,
                is_begun: false,
            },
            Format::Csv => Output::Csv {
                out: Box::new(csv::Writer::from_writer(out)),
                is_begun: false,
            },
        }
    }

    /// Takes one more.
    pub(super) fn take(&mut self, judgement: Judgement) -> io::Result<()> {
        match self {
            Output::Table { first, .. } => {
                if first.len() <= TOLD {
                    first.push(judgement);
                }
            }
            Output::Json { out, is_begun } => {
                let before = match is_begun {
                    true => ",\n    ",
                    false => "{\n  \"messages\": [\n    ",
                };
                out.write_all(before.as_bytes())?;
                *is_begun = true;
                // No line ends within a value of JSON.
                let text = serde_json::to_string_pretty(&judgement)?;
                out.write_all(text.replace('\n', "\n    ").as_bytes())?;
            }
            Output::Csv { out, is_begun } => {
                if !*is_begun {
                    out.write_record(HEADERS)?;
                }
                *is_begun = true;
                out.write_record(row(&judgement))?;
            }
        }
        Ok(())
    }

    /// Writes what comes after the messages. Without a message that is nothing, but in JSON.
    pub(super) fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        match self {
            Output::Table { .. } if summary.inputs == 0 => Ok(()),
            Output::Table { out, first } => {
                print_table(out, first, summary)?;
                out.flush()
            }
            Output::Json { out, is_begun } => {
                let before = match is_begun {
                    true => "\n  ],\n",
                    false => "{\n  \"messages\": [],\n",
                };
                out.write_all(before.as_bytes())?;
                let totals = serde_json::to_string_pretty(&summary.totals())?;
                // The members without the brace that begins an object of their own.
                let members = totals.strip_prefix("{\n").unwrap_or(&totals);
                writeln!(out, "{members}")?;
                out.flush()
            }
            Output::Csv { out, .. } => {
                out.flush()?;
                let words = passed_over(summary.passed_over);
                if let Some(words) = words.strip_prefix("; ")
                    && summary.inputs > 0
                {
                    eprintln!("note: {words}");
                }
                Ok(())
            }
        }
    }
}

fn print_table(out: &mut impl Write, first: &[Judgement], summary: &Summary) -> io::Result<()> {
    if summary.inputs <= TOLD {
        let rows = Rows {
            headers: HEADERS.to_vec(),
            rows: first.iter().map(|one| row(one).to_vec()).collect(),
            numbers: 2..3,
        };
        rows.print(out)?;
    } else {
        summary.counts().print(out)?;
        let json = "each by itself: --format json";
        writeln!(out, "\n{} inputs; {json}", summary.inputs)?;
    }
    writeln!(out, "\n{}", summary.words())
}

fn row(one: &Judgement) -> [String; HEADERS.len()] {
    let cell = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let name = match &one.label {
        Some(label) => format!("{} {label}", one.input),
        None => one.input.clone(),
    };
    [
        plain(&name).into_owned(),
        one.kind.to_owned(),
        one.psid.map_or("-".to_owned(), |psid| psid.to_string()),
        cell(&one.signer),
        yes(one.signature_valid),
        one.verdict.to_owned(),
        plain(&cell(&one.reason)).into_owned(),
    ]
}
