//! Message matrices (DBC, ARXML, KCD, SYM) as commands read them.

use std::path::Path;

use crate::file_kind::{self, Expected};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::matrix::{self, MatrixError, MessageMatrix, ReadOptions, SkippedPart};

/// The most parts, and messages with remarks, that are shown; the rest are counted.
const SHOWN_MAX: usize = 5;

/// Choices of a user on how a message matrix is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatrixChoices {
    /// Takes identifiers above 11 bits that lack bit 31 as 29 bits.
    pub unflagged_are_extended: bool,
    /// Refuses a matrix of which a part is skipped.
    pub is_strict: bool,
}

/// Reads a message matrix, and reports to standard error which parts of it are skipped, ignored or
/// taken otherwise than written.
pub fn read(path: &Path) -> Result<MessageMatrix, Failure> {
    read_with(path, MatrixChoices::default())
}

/// Like [`read`], with choices.
pub fn read_with(path: &Path, choices: MatrixChoices) -> Result<MessageMatrix, Failure> {
    let bytes = files::bytes_of_kind(path, matrix::TEXT_MAX, |head| {
        file_kind::refusal(path, head, Expected::Matrix)
    })?;
    let options = ReadOptions {
        unflagged_are_extended: choices.unflagged_are_extended,
    };
    let matrix = matrix::read(&bytes, options).map_err(|error| fault(path, &error))?;
    let shown = path.display();
    if choices.is_strict && !matrix.skipped.is_empty() {
        let lines = matrix.skipped.iter().take(SHOWN_MAX).map(|skipped| {
            let line = skipped.line.unwrap_or_default();
            format!("{shown}:{line}: {}: {}", skipped.what, skipped.reason)
        });
        let count = matrix.skipped.len();
        let end = format!("{shown}: {count} parts are no part of a bus; --strict refuses that");
        return Err(Failure::all(
            lines
                .map(|line| plain_lines(&line).to_string())
                .chain([end]),
        ));
    }
    let skipped = matrix.skipped.iter().map(|skipped| {
        let line = skipped.line.unwrap_or_default();
        format!("{shown}:{line}: {skipped}{}", remedy(skipped, choices))
    });
    warn(skipped, || {
        format!("{shown}: {} parts are skipped in all", matrix.skipped.len())
    });
    for warning in &matrix.remarks {
        messages::warning(plain_lines(&format!("{shown}: {warning}")));
    }
    let remarks = matrix.messages().flat_map(|message| {
        let remarks = message.remarks.iter();
        remarks.map(|remark| format!("{shown}: message {}: {remark}", message.name))
    });
    let count = remarks.clone().count();
    warn(remarks, || {
        format!("{shown}: {count} such remarks in all; the vehicle file of `bus import` has each")
    });
    Ok(matrix)
}

/// Names the option that lets a part be read, if there is one.
const fn remedy(skipped: &SkippedPart, choices: MatrixChoices) -> &'static str {
    match skipped.may_be_extended && !choices.unflagged_are_extended {
        true => " (bus import --unflagged-as-extended)",
        false => "",
    }
}

/// Shows the first warnings, and the number of all if there are more.
fn warn(texts: impl Iterator<Item = String>, in_all: impl Fn() -> String) {
    let mut is_more = false;
    for (at, text) in texts.enumerate() {
        is_more = at >= SHOWN_MAX;
        if is_more {
            break;
        }
        messages::warning(plain_lines(&text));
    }
    if is_more {
        messages::warning(plain_lines(&in_all()));
    }
}

/// Names the message matrix in an error of its reader.
fn fault(path: &Path, error: &MatrixError) -> Failure {
    let path = path.display();
    match error.line() {
        Some(line) => Failure::new(format_args!("{path}:{line}: {error}")),
        None => Failure::new(format_args!("{path}: {error}")),
    }
}
