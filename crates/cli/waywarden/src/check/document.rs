//! Findings of the check in one file.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_vehicle_file::{AuthenticationFile, FileErrors, SourceLocation, VehicleFile};
use waywarden_vehicle_lab::lower::lower;

use waywarden_command_can::file_kind::{self, Expected, TableKind, table_kind};
use waywarden_command_can::resources::load;

/// An error or a warning, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// The line, from 1; none if it is about the whole file.
    pub(crate) line: Option<usize>,
    /// The column in characters, from 1.
    pub(crate) column: Option<usize>,
    /// The fault, and the right form.
    pub(crate) message: String,
}

/// A file that was read.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    pub(crate) file: String,
    /// `vehicle`, `board` or `authentication`; `other` of a file for another command.
    pub(crate) kind: &'static str,
    /// Contents of a file without errors.
    pub(crate) summary: Option<String>,
    pub(crate) errors: Vec<Finding>,
    pub(crate) warnings: Vec<Finding>,
}

/// Reads a file and all that it names; errors are kept, not returned.
pub(super) fn read(path: &Path) -> CheckedFile {
    let file = path.display().to_string();
    let mut checked = CheckedFile {
        file: file.clone(),
        kind: "vehicle",
        summary: None,
        errors: Vec::new(),
        warnings: Vec::new(),
    };
    let mut other = false;
    let text = files::text_of_kind(path, |head| {
        let failure = file_kind::refusal(path, head, Expected::Checked);
        other = failure.is_some();
        failure
    });
    let text = match text {
        Ok(text) => text,
        Err(failure) => {
            checked.kind = if other { "other" } else { checked.kind };
            checked.failed(&failure);
            return checked;
        }
    };
    match table_kind(&text) {
        Some(TableKind::Vehicle) | None => checked.vehicle(path, &text),
        Some(TableKind::Board) => {
            checked.kind = "board";
            match files::board(path) {
                Ok(board) => checked.summary = Some(format!("a board, {}", board.title())),
                Err(failure) => checked.failed(&failure),
            }
        }
        Some(TableKind::Authentication) => {
            checked.kind = "authentication";
            match AuthenticationFile::parse(&file, &text, None) {
                Ok(read) => {
                    checked.summary = Some(count(read.tables.len(), "authentication table"));
                }
                Err(errors) => checked.errors = listed(&errors),
            }
        }
        Some(other) => {
            checked.kind = "other";
            let found = format!("this is {}; {}", other.name(), other.reader(&file));
            checked.errors.push(at(None, found));
        }
    }
    checked
}

impl CheckedFile {
    /// Returns its errors as the command prints them.
    pub(super) fn error_lines(&self) -> impl Iterator<Item = String> + '_ {
        self.lines_of(&self.errors)
    }

    /// Returns findings with file and place before each.
    pub(super) fn lines_of<'a>(
        &'a self,
        findings: &'a [Finding],
    ) -> impl Iterator<Item = String> + 'a {
        findings.iter().map(|one| match (one.line, one.column) {
            (Some(line), Some(column)) => {
                format!("{}:{line}:{column}: {}", self.file, one.message)
            }
            _ if one.message.starts_with(&self.file) => one.message.clone(),
            _ => format!("{}: {}", self.file, one.message),
        })
    }

    /// Checks a vehicle as a run would begin it.
    fn vehicle(&mut self, path: &Path, text: &str) {
        let vehicle = match VehicleFile::parse(&self.file, text) {
            Ok(vehicle) => vehicle,
            Err(errors) => {
                self.errors = listed(&errors);
                return;
            }
        };
        if let Some(late) = vehicle.too_late(vehicle.duration) {
            self.warnings = listed(&late);
        }
        let resources = match load(&vehicle, path) {
            Ok(resources) => resources,
            Err(failure) => {
                self.failed(&failure);
                return;
            }
        };
        match lower(&vehicle, &resources, None) {
            Ok(lowered) => {
                let warnings = lowered.warnings.iter();
                let warnings = warnings.map(|(place, text)| at(Some(*place), text.clone()));
                self.warnings.extend(warnings);
                self.summary = Some(format!(
                    "{} with {}, {} and {}",
                    vehicle.name,
                    count(vehicle.buses.len(), "bus"),
                    count(vehicle.ecus.len(), "ECU"),
                    count(vehicle.streams.len(), "stream"),
                ));
            }
            Err(error) => self.errors.push(at(error.place(), error.to_string())),
        }
    }

    /// Keeps what a reader says of the file, or of one that it names.
    fn failed(&mut self, failure: &Failure) {
        let lines = failure.lines().iter();
        self.errors
            .extend(lines.map(|line| located(&self.file, line)));
    }
}

/// Takes the place apart from a line such as `car.toml:3:1: what`, if it is of this file.
fn located(file: &str, line: &str) -> Finding {
    let place = |rest: &str| {
        let mut parts = rest.splitn(3, ':');
        let line = parts.next()?.parse().ok()?;
        let column = parts.next()?.parse().ok()?;
        let message = parts.next()?.trim_start().to_owned();
        Some(at(Some(SourceLocation { line, column }), message))
    };
    let rest = line
        .strip_prefix(file)
        .and_then(|rest| rest.strip_prefix(':'));
    rest.and_then(place).unwrap_or_else(|| {
        let message = rest.map_or(line, str::trim_start).to_owned();
        at(None, message)
    })
}

fn at(place: Option<SourceLocation>, message: String) -> Finding {
    Finding {
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        message,
    }
}

fn listed(errors: &FileErrors) -> Vec<Finding> {
    let listed = errors.listed().iter();
    let listed = listed.map(|error| at(Some(error.place), error.problem.to_string()));
    let more = (errors.omitted() > 0).then(|| at(None, format!("and {} more", errors.omitted())));
    listed.chain(more).collect()
}

fn count(number: usize, what: &str) -> String {
    match (number, what.ends_with('s')) {
        (1, _) => format!("1 {what}"),
        (_, true) => format!("{number} {what}es"),
        (_, false) => format!("{number} {what}s"),
    }
}
