//! Exceptions for what is wrong with the input.

use pyo3::prelude::*;
use waywarden_command_line::messages;

use crate::can::log_file::warn;
use crate::error::Failure;

/// Does `work` without the interpreter's lock; what it warns of become warnings of Python.
pub(super) fn with_warnings<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let (result, remarks) = messages::collected(|| py.detach(work));
    let warned = warn(py, &remarks);
    // A failure counts for more than a warning that was made an error.
    let value = result?;
    warned?;
    Ok(value)
}

/// Returns an exception for an argument that cannot be used.
pub(super) fn wrong(place: &str, message: impl std::fmt::Display) -> Failure {
    Failure::new("InputError", format_args!("{place}: {message}"))
        .code("argument")
        .place(place)
}
