//! Rows of a report as a table.

use waywarden_command_line::table::Rows;
use waywarden_vehicle_report::report::Cells;

/// Takes rows of a report.
pub(crate) fn report_table<'a, R: Cells + 'a>(rows: impl IntoIterator<Item = &'a R>) -> Rows {
    Rows {
        headers: R::HEADERS.to_vec(),
        rows: rows.into_iter().map(Cells::cells).collect(),
        numbers: R::NUMBERS,
    }
}
