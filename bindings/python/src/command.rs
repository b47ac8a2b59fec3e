//! The command itself, so that one installation gives both.

use std::ffi::OsString;

use pyo3::prelude::*;
use waywarden_input_files::files;

/// Runs the command with these arguments, its name first, on this process's standard streams.
///
/// Returns the exit code: 0 it did what was asked, 1 the answer is no, 2 bad input, 3 the input is
/// about something else.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    files::accept_pipes();
    py.detach(|| waywarden_cli::run(arguments))
}
