//! The figures of `waywarden bus bound`.

use std::io::{self, Write};

use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::junit::{JunitCase, JunitResult, JunitSuite};
use waywarden_command_line::table::Rows;
use waywarden_vehicle_lab::bounds::{BoundRow, Bounds, DOCUMENT};

/// The figures of a vehicle, and their printing.
pub(super) struct PrintedBounds(pub(super) Bounds);

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl PrintedBounds {
    /// Prints the document that programs read.
    pub(super) fn print_json(&self, out: &mut impl Write) -> io::Result<()> {
        DOCUMENT.print(out, &self.0)
    }

    /// Returns a test case for each stream and bus.
    pub(super) fn junit(&self) -> JunitSuite {
        let cases = self.0.streams.iter().map(|row| JunitCase {
            class: self.0.vehicle.clone(),
            name: format!("bound {} on {}", row.stream, row.bus),
            result: junit_of(row),
        });
        JunitSuite {
            name: "waywarden bus bound",
            cases: cases.collect(),
        }
    }

    /// Prints a row for each stream and bus.
    pub(super) fn print_csv(&self, out: &mut impl Write) -> io::Result<()> {
        print_csv(out, &self.0.streams)
    }

    pub(super) fn rows(&self) -> Rows {
        let rows = self.0.streams.iter().map(|row| {
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

fn junit_of(row: &BoundRow) -> JunitResult {
    let deadline = format!("deadline {:.3} ms", row.deadline_ms);
    let found = match (row.bound_ms, &row.no_bound) {
        (Some(bound), _) => format!("bound {bound:.3} ms"),
        (None, cause) => format!("no bound: {}", cause.as_deref().unwrap_or_default()),
    };
    match (row.passes(), row.has_receivers) {
        (true, true) => JunitResult::Passed(format!("{found}, {deadline}")),
        (true, false) => JunitResult::Skipped(format!("{found}, no receivers")),
        (false, _) => JunitResult::Failed {
            message: format!("{found}, {deadline}"),
            detail: format!("{} on {}", row.identifier.id_hex, row.bus),
        },
    }
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
