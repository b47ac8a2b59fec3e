//! The formats with a record in each row: recognized by a line, and their layouts.

use super::LogFormat;
use crate::row::Layout;
use crate::{busmaster, crtd, gvret, python_can_csv, trc};

/// Returns an empty layout of a format that has rows.
pub(super) fn layout(format: LogFormat) -> Option<Box<dyn Layout>> {
    Some(match format {
        LogFormat::Trc => Box::new(trc::Rows::new()),
        LogFormat::Gvret => Box::new(gvret::Rows::new()),
        LogFormat::PythonCanCsv => Box::new(python_can_csv::Rows::new()),
        LogFormat::Busmaster => Box::new(busmaster::Rows::new()),
        LogFormat::Crtd => Box::new(crtd::Rows::new()),
        _ => return None,
    })
}

/// Tells the format from a line that only one of them has.
pub(super) fn format_of(line: &[u8]) -> Option<LogFormat> {
    match () {
        () if trc::is_first_line(line) => Some(LogFormat::Trc),
        () if gvret::is_header(line) => Some(LogFormat::Gvret),
        () if python_can_csv::is_header(line) => Some(LogFormat::PythonCanCsv),
        () if busmaster::is_header(line) => Some(LogFormat::Busmaster),
        () if crtd::is_row(line) => Some(LogFormat::Crtd),
        () => None,
    }
}
