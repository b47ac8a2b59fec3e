//! Exceptions for what is wrong with the input.

use waywarden_input_files::Problem;

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

/// Returns an exception for an argument that cannot be used.
pub(super) fn wrong(place: &str, message: impl std::fmt::Display) -> Failure {
    Failure::new("InputError", format_args!("{place}: {message}"))
        .code("argument")
        .place(place)
}
