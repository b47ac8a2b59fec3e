//! Exceptions for what is wrong with the input.

use pyo3::prelude::*;
use waywarden_command_line::messages;
use waywarden_input_files::Problem;

use crate::can::log_file::warn;
use crate::error::Failure;

/// Returns the exception for what a library found wrong with the input.
pub(super) fn problem(class: &'static str, problem: &Problem) -> Failure {
    let failure = Failure::new(class, problem).code(problem.code());
    let failure = match problem.place() {
        Some(place) => failure.place(place),
        None => failure,
    };
    match problem.lines() {
        [_] | [] => failure,
        lines => failure.problems(lines.to_vec()),
    }
}

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
