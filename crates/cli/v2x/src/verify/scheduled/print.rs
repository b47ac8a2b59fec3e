//! The answer of a receiver with a policy in its forms, written as decisions are taken.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_schedule::{DropCause, MessageClass, Policy, Zone};

use super::Scheduling;
use crate::verify::output::{Format, ROWS_MAX};
use crate::verify::summary::passed_over;
use waywarden_command_line::csv_table::CsvColumns;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::table::Rows;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_receiver::Verdict;

/// The columns of CSV.
static COLUMNS: LazyLock<CsvColumns> = LazyLock::new(CsvColumns::of::<Row>);

const HEADERS: [&str; 8] = [
    "input",
    "class",
    "zone",
    "result",
    "arrival ms",
    "wait ms",
    "verdict",
    "reason",
];

/// The receiver's handling of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Handling {
    /// It was verified before all that arrived later.
    Verified,
    /// It was verified after one that arrived later.
    Deferred,
    /// It was not verified.
    Dropped,
    /// It is no message that can be read, and took no place in the queue.
    Unscheduled,
}

/// One input.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Row {
    input: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'static str>,
    pub(super) arrival_ns: u64,
    result: Handling,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    wait_ns: u64,
    accepted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Row {
    /// A message, as long as it waits.
    pub(super) fn arrived(
        record: &InputRecord,
        class: MessageClass,
        zone: Zone,
        at_ns: u64,
    ) -> Self {
        Self {
            input: record.place.clone(),
            label: record.label.clone(),
            class: Some(match class {
                MessageClass::Warning => "warning",
                MessageClass::Awareness => "awareness",
                MessageClass::Other => "other",
            }),
            zone: Some(match zone {
                Zone::Inside => "inside",
                Zone::Unknown => "unknown",
                Zone::Outside => "outside",
            }),
            arrival_ns: at_ns,
            result: Handling::Dropped,
            cause: None,
            wait_ns: 0,
            accepted: false,
            verdict: None,
            reason: None,
        }
    }

    /// A certificate, or what cannot be read.
    pub(super) fn unscheduled(judgement: &Verdict) -> Self {
        let mut row = Self {
            input: judgement.input.clone(),
            label: judgement.label.clone(),
            class: None,
            zone: None,
            arrival_ns: 0,
            result: Handling::Unscheduled,
            cause: None,
            wait_ns: 0,
            accepted: false,
            verdict: None,
            reason: None,
        };
        row.verify(Handling::Unscheduled, 0, Some(judgement));
        row
    }

    pub(super) fn drop_for(&mut self, cause: DropCause, wait_ns: u64) {
        self.cause = Some(name_of(cause));
        self.wait_ns = wait_ns;
    }

    pub(super) fn verify(&mut self, handling: Handling, wait_ns: u64, judgement: Option<&Verdict>) {
        self.result = handling;
        self.wait_ns = wait_ns;
        if let Some(judgement) = judgement {
            self.accepted = judgement.accepted;
            self.verdict = Some(judgement.verdict);
            self.reason.clone_from(&judgement.reason);
        }
    }

    fn cells(&self) -> [String; HEADERS.len()] {
        let cell = |text: Option<&str>| text.unwrap_or("-").to_owned();
        let ms = |ns: u64| format!("{}.{:03}", ns / 1_000_000, ns / 1_000 % 1_000);
        let name = match &self.label {
            Some(label) => format!("{} {label}", self.input),
            None => self.input.clone(),
        };
        let result = match self.result {
            Handling::Verified => "verified".to_owned(),
            Handling::Deferred => "deferred".to_owned(),
            Handling::Dropped => format!("dropped: {}", cell(self.cause)),
            Handling::Unscheduled => "unscheduled".to_owned(),
        };
        [
            plain(&name).into_owned(),
            cell(self.class),
            cell(self.zone),
            result,
            ms(self.arrival_ns),
            ms(self.wait_ns),
            cell(self.verdict),
            plain(&cell(self.reason.as_deref())).into_owned(),
        ]
    }
}

fn name_of(cause: DropCause) -> &'static str {
    match cause {
        DropCause::Outside => "outside",
        DropCause::Expired => "expired",
        DropCause::SenderFull => "sender-full",
        DropCause::QueueFull => "queue-full",
    }
}

/// Totals over all inputs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Totals {
    policy: String,
    capacity_per_second: u32,
    pub(super) arrived: usize,
    verified: usize,
    deferred: usize,
    dropped: BTreeMap<&'static str, usize>,
    unscheduled: usize,
    accepted: usize,
    pub(super) passed_over: usize,
    /// The most messages that waited at a time.
    pub(super) waiting_max: usize,
    /// The longest wait of a message that was verified.
    wait_max_ns: u64,
}

impl Totals {
    pub(super) fn new(policy: Policy, scheduling: &Scheduling) -> Self {
        let causes = DropCause::ALL.map(|cause| (name_of(cause), 0));
        Self {
            policy: policy.to_string(),
            capacity_per_second: scheduling.capacity(),
            arrived: 0,
            verified: 0,
            deferred: 0,
            dropped: causes.into(),
            unscheduled: 0,
            accepted: 0,
            passed_over: 0,
            waiting_max: 0,
            wait_max_ns: 0,
        }
    }

    pub(super) fn inputs(&self) -> usize {
        self.arrived + self.unscheduled
    }

    pub(super) fn count(&mut self, row: &Row) {
        self.accepted += usize::from(row.accepted);
        match row.result {
            Handling::Unscheduled => self.unscheduled += 1,
            Handling::Dropped => {
                let count = row.cause.and_then(|cause| self.dropped.get_mut(cause));
                *count.expect("every cause has a count") += 1;
            }
            Handling::Verified | Handling::Deferred => {
                self.verified += 1;
                self.deferred += usize::from(row.result == Handling::Deferred);
                self.wait_max_ns = self.wait_max_ns.max(row.wait_ns);
            }
        }
    }

    fn words(&self) -> String {
        let causes = self.dropped.iter().filter(|(_, count)| **count > 0);
        let causes: Vec<String> = causes
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        let causes = match causes.is_empty() {
            true => String::new(),
            false => format!(" ({})", causes.join(", ")),
        };
        format!(
            "{} arrived: {} verified, {} of them deferred; {} dropped{causes}; {} accepted\n\
             at most {} waited, the longest wait of a verified message was {}.{:03} ms{}",
            self.arrived,
            self.verified,
            self.deferred,
            self.dropped.values().sum::<usize>(),
            self.accepted,
            self.waiting_max,
            self.wait_max_ns / 1_000_000,
            self.wait_max_ns / 1_000 % 1_000,
            passed_over(self.passed_over)
        )
    }
}

/// Destination of the rows, one by one.
pub(super) struct Output<W: Write> {
    format: Format,
    out: W,
    /// The rows of a table: one more than are shown.
    first: Vec<Row>,
    written: usize,
}

/// The JSON document.
#[derive(Serialize, JsonSchema)]
struct ScheduledVerification {
    /// The handling of each message.
    messages: Vec<Row>,
    /// Totals over all inputs.
    totals: Totals,
}

/// The last line of JSON Lines.
#[derive(Serialize, JsonSchema)]
struct Last<'a> {
    /// Totals over all inputs.
    totals: &'a Totals,
}

/// A line of JSON Lines: a message, or the totals in the last one.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum ScheduledLine<'a> {
    Row(&'a Row),
    Last(Last<'a>),
}

const DOCUMENT: DocumentFormat<ScheduledVerification> = DocumentFormat::new(
    "verify-scheduled",
    1,
    "waywarden verify FILE --policy POLICY --format json",
);

/// The schemas of what programs read.
pub(crate) const SCHEMAS: [DocumentSchema; 2] = [
    DOCUMENT.schema(),
    DocumentSchema::of_lines::<ScheduledLine<'_>>(
        "verify-scheduled-line",
        1,
        "waywarden verify FILE --policy POLICY --format jsonl",
    ),
];

impl<W: Write> Output<W> {
    pub(super) fn new(format: Format, out: W) -> Self {
        Self {
            format,
            out,
            first: Vec::new(),
            written: 0,
        }
    }

    pub(super) fn write(&mut self, row: Row) -> io::Result<()> {
        let is_first = self.written == 0;
        self.written += 1;
        match self.format {
            Format::Table if self.first.len() <= ROWS_MAX => self.first.push(row),
            Format::Table => {}
            Format::Json => {
                if is_first {
                    DOCUMENT.begin(&mut self.out)?;
                    self.out.write_all(b",\n  \"messages\": [")?;
                }
                let before = if is_first { "\n    " } else { ",\n    " };
                self.out.write_all(before.as_bytes())?;
                serde_json::to_writer(&mut self.out, &row)?;
            }
            Format::Jsonl => {
                serde_json::to_writer(&mut self.out, &ScheduledLine::Row(&row))?;
                self.out.write_all(b"\n")?;
            }
            Format::Csv => {
                if is_first {
                    COLUMNS.print_header(&mut self.out)?;
                }
                COLUMNS.print_rows(&mut self.out, [&row])?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, totals: &Totals) -> io::Result<()> {
        match self.format {
            Format::Table if self.written == 0 => {}
            Format::Table => {
                if self.first.len() <= ROWS_MAX {
                    let rows = Rows {
                        headers: HEADERS.to_vec(),
                        rows: self.first.iter().map(|one| one.cells().to_vec()).collect(),
                        numbers: 4..6,
                    };
                    rows.print(&mut self.out)?;
                    writeln!(self.out)?;
                }
                writeln!(self.out, "{}", totals.words())?;
            }
            Format::Json => {
                match self.written {
                    0 => {
                        DOCUMENT.begin(&mut self.out)?;
                        self.out.write_all(b",\n  \"messages\": []")?;
                    }
                    _ => self.out.write_all(b"\n  ]")?,
                }
                self.out.write_all(b",\n  \"totals\": ")?;
                serde_json::to_writer(&mut self.out, totals)?;
                self.out.write_all(b"\n}\n")?;
            }
            Format::Jsonl => {
                let last = ScheduledLine::Last(Last { totals });
                serde_json::to_writer(&mut self.out, &last)?;
                self.out.write_all(b"\n")?;
            }
            Format::Csv => {}
        }
        self.out.flush()
    }
}
