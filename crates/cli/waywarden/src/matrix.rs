//! Message matrices (DBC) as commands read them.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::dbc::{self, DbcError, Matrix};

/// How many skipped messages of a matrix are shown; the rest are counted.
const SKIPPED_SHOWN_MAX: usize = 5;

/// Reads a message matrix, and reports to standard error which of its messages are skipped.
pub(crate) fn read(path: &Path) -> Result<Matrix, Failure> {
    let bytes = files::bytes(path, dbc::TEXT_MAX)?;
    let matrix = dbc::import(&dbc::decode(&bytes)).map_err(|error| dbc_fault(path, &error))?;
    let path = path.display();
    for skipped in matrix.skipped.iter().take(SKIPPED_SHOWN_MAX) {
        let line = skipped.error.line().unwrap_or_default();
        let text = format!("{path}:{line}: {skipped}");
        messages::warning(plain_lines(&text));
    }
    match matrix.skipped.len().saturating_sub(SKIPPED_SHOWN_MAX) {
        0 => {}
        more => {
            let text = format!("{path}: {more} more messages are skipped");
            messages::warning(plain_lines(&text));
        }
    }
    Ok(matrix)
}

/// Names the message matrix in an error of its reader.
fn dbc_fault(path: &Path, error: &DbcError) -> Failure {
    let path = path.display();
    match error.line() {
        Some(line) => Failure::new(format_args!("{path}:{line}: {error}")),
        None => Failure::new(format_args!("{path}: {error}")),
    }
}
