//! Texts of vehicle files, and exceptions for what is wrong with them.

use std::path::Path;

use waywarden_input_files::{Problem, files};
use waywarden_vehicle_file::FileErrors;

use crate::error::Failure;

/// Reads the text of a vehicle file, or of a file of the same kind.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    files::text(path).map_err(unread)
}

/// Returns the exception for a file that cannot be read, which is among its problems.
pub(crate) fn unread(problem: Problem) -> Failure {
    Failure::of("VehicleError", &problem).problems(problem.into_lines())
}

/// Returns everything that is wrong with a vehicle file, one line each.
pub(crate) fn faults(errors: &FileErrors) -> Failure {
    let listed = errors.listed().iter().map(ToString::to_string);
    let problems: Vec<String> = listed.collect();
    let mut failure = Failure::new("VehicleError", errors).problems(problems);
    if let Some(first) = errors.listed().first() {
        failure = failure.place(first.place.to_string());
    }
    failure
}
