//! The figures of `waywarden bus bound`.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::junit::{JunitCase, JunitResult, JunitSuite};
use waywarden_command_line::table::Rows;
use waywarden_vehicle_bound::StreamBound;
use waywarden_vehicle_file::identifier::IdentifierFields;
use waywarden_vehicle_file::{Stream, VehicleFile};
use waywarden_work::Duration;

use super::assumed::Assumed;

/// All figures of a vehicle.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Bounds {
    /// The vehicle's name.
    vehicle: String,
    /// True if every bound exists and is within its deadline, where one counts.
    pub(super) all_met: bool,
    /// Median of bound divided by simulated time, over the streams that have both.
    pub(super) median_ratio: Option<f64>,
    /// Number of streams without receivers: their bounds end with their frames, and no deadline
    /// counts.
    pub(super) without_receivers: usize,
    /// Assumptions of the bounds.
    assumed: Assumed,
    /// The same in sentences, and what the bounds leave out.
    assumptions: Vec<String>,
    /// By stream and bus.
    streams: Vec<Row>,
}

const DOCUMENT: DocumentFormat<Bounds> =
    DocumentFormat::new("bus-bound", 1, "waywarden bus bound FILE --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

/// A stream on a bus.
#[derive(Debug, Serialize, JsonSchema)]
struct Row {
    /// Its name.
    stream: String,
    /// The bus: the sender's, or one that a gateway forwards it to.
    bus: String,
    /// Its identifier.
    #[serde(flatten)]
    identifier: IdentifierFields,
    /// The time from one instance to the next.
    period_ms: f64,
    /// The deadline.
    deadline_ms: f64,
    /// The longest time from release to delivery, rounded up to microseconds.
    bound_ms: Option<f64>,
    /// The same of the vehicle without authentication and keys.
    bound_without_security_ms: Option<f64>,
    /// Reason why there is no bound.
    no_bound: Option<String>,
    /// On the bus whose bound is the longest: a simulation measures over all receivers.
    simulated_ms: Option<f64>,
    /// The bound divided by what was simulated.
    ratio: Option<f64>,
    /// True if there is a bound, within the deadline.
    met: bool,
    /// True if an ECU receives the stream, on any bus. Else its deadline does not count.
    has_receivers: bool,
}

impl Bounds {
    pub(super) fn new(
        file: &VehicleFile,
        (secured, bare): (&[StreamBound], &[StreamBound]),
        seen: Option<&[Option<Duration>]>,
        assumed: Assumed,
    ) -> Self {
        let streams: Vec<Row> = secured
            .iter()
            .enumerate()
            .map(|(at, own)| {
                let seen = seen.and_then(|seen| seen[own.stream.0]);
                let seen = seen.filter(|_| is_slowest(secured, at));
                let bare = bare
                    .iter()
                    .find(|one| (one.stream, one.bus) == (own.stream, own.bus));
                Row::new(file, own, bare, seen)
            })
            .collect();
        let mut ratios: Vec<f64> = streams.iter().filter_map(|row| row.ratio).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let is_unheard = |stream: &&Stream| stream.receivers.is_empty();
        Bounds {
            vehicle: file.name.clone(),
            all_met: streams.iter().all(Row::passes),
            median_ratio: ratios.get(ratios.len() / 2).copied(),
            without_receivers: file.streams.iter().filter(is_unheard).count(),
            assumptions: assumed.sentences(),
            assumed,
            streams,
        }
    }

    /// Returns what the bounds assume, a sentence each.
    pub(super) fn assumed(&self) -> &[String] {
        &self.assumptions
    }

    /// Prints the document that programs read.
    pub(super) fn print_json(&self, out: &mut impl Write) -> io::Result<()> {
        DOCUMENT.print(out, self)
    }

    /// Returns a test case for each stream and bus.
    pub(super) fn junit(&self) -> JunitSuite {
        let cases = self.streams.iter().map(|row| JunitCase {
            class: self.vehicle.clone(),
            name: format!("bound {} on {}", row.stream, row.bus),
            result: row.junit(),
        });
        JunitSuite {
            name: "waywarden bus bound",
            cases: cases.collect(),
        }
    }

    /// Prints a row for each stream and bus.
    pub(super) fn print_csv(&self, out: &mut impl Write) -> io::Result<()> {
        print_csv(out, &self.streams)
    }

    pub(super) fn rows(&self) -> Rows {
        let rows = self.streams.iter().map(|row| {
            let or_dash = |value: Option<f64>| {
                value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
            };
            let met = match (&row.no_bound, row.met) {
                (None, _) if !row.has_receivers => "no receivers".to_owned(),
                (Some(cause), _) => format!("no bound: {cause}"),
                (None, true) => "met".to_owned(),
                (None, false) => "missed".to_owned(),
            };
            vec![
                row.stream.clone(),
                row.bus.clone(),
                row.identifier.id_hex.clone(),
                format!("{:.3}", row.period_ms),
                format!("{:.3}", row.deadline_ms),
                or_dash(row.bound_ms),
                or_dash(row.bound_without_security_ms),
                or_dash(row.simulated_ms),
                row.ratio
                    .map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
                met,
            ]
        });
        Rows {
            headers: HEADERS.to_vec(),
            rows: rows.collect(),
            numbers: 3..9,
        }
    }
}

impl Row {
    fn junit(&self) -> JunitResult {
        let deadline = format!("deadline {:.3} ms", self.deadline_ms);
        let found = match (self.bound_ms, &self.no_bound) {
            (Some(bound), _) => format!("bound {bound:.3} ms"),
            (None, cause) => format!("no bound: {}", cause.as_deref().unwrap_or_default()),
        };
        match (self.passes(), self.has_receivers) {
            (true, true) => JunitResult::Passed(format!("{found}, {deadline}")),
            (true, false) => JunitResult::Skipped(format!("{found}, no receivers")),
            (false, _) => JunitResult::Failed {
                message: format!("{found}, {deadline}"),
                detail: format!("{} on {}", self.identifier.id_hex, self.bus),
            },
        }
    }

    fn passes(&self) -> bool {
        self.met || (!self.has_receivers && self.no_bound.is_none())
    }

    fn new(
        file: &VehicleFile,
        own: &StreamBound,
        bare: Option<&StreamBound>,
        seen: Option<Duration>,
    ) -> Self {
        let stream = file.stream(own.stream);
        let bound_ms = own.bound.ok().map(up_to_ms);
        let simulated_ms = seen.map(|seen| seen.as_nanos() as f64 / 1e6);
        let deadline_ms = stream.deadline.as_nanos() as f64 / 1e6;
        let ratio = bound_ms.zip(simulated_ms).filter(|(_, seen)| *seen > 0.0);
        let deadline = stream.deadline.as_nanos().saturating_mul(1_000);
        Row {
            stream: stream.name.value.clone(),
            bus: file.bus(own.bus).name.value.clone(),
            identifier: stream.id.value.into(),
            period_ms: stream.period.as_nanos() as f64 / 1e6,
            deadline_ms,
            bound_ms,
            bound_without_security_ms: bare.and_then(|bare| bare.bound.ok()).map(up_to_ms),
            no_bound: own.bound.err().map(|cause| cause.to_string()),
            simulated_ms,
            ratio: ratio.map(|(bound, seen)| bound / seen),
            met: own.bound.is_ok_and(|bound| bound <= deadline),
            has_receivers: !stream.receivers.is_empty(),
        }
    }
}

/// Returns true if a stream has no longer bound on a bus with receivers; of equal ones the first
/// counts.
fn is_slowest(all: &[StreamBound], at: usize) -> bool {
    let own = &all[at];
    let key = |one: &StreamBound| one.bound.unwrap_or(u64::MAX);
    let others = all.iter().enumerate();
    let mut others = others.filter(|(_, one)| one.stream == own.stream && one.receivers > 0);
    own.receivers > 0
        && others.all(|(other, one)| key(one) < key(own) || (key(one) == key(own) && other >= at))
}

/// Picoseconds as milliseconds, rounded up to microseconds.
fn up_to_ms(picoseconds: u64) -> f64 {
    picoseconds.div_ceil(1_000_000) as f64 / 1e3
}

const HEADERS: [&str; 10] = [
    "stream",
    "bus",
    "id",
    "period ms",
    "deadline ms",
    "bound ms",
    "without security ms",
    "simulated ms",
    "bound / simulated",
    "deadline",
];
