//! `waywarden check`: files are read and made ready for a run, and nothing is run.

mod document;
mod junit;

use std::io::{self, Write};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::junit::JunitOption;
use waywarden_command_line::messages;

use self::document::{CheckedFile, Finding};

/// Check vehicle files, board files and authentication tables without a run.
///
/// Lists all errors of a file, each with its place and a remedy, also those that only the
/// preparation of a run finds: figures that a board lacks, missing boards and logs, keys without
/// room. A file with a table `vehicle` is a vehicle, one with `characteristics` a board; one with
/// `authentication` only is the protection of a log's messages.
///
/// Exit code 0 if there are no errors, 1 if there are warnings with --strict, 2 for errors.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// The files, in TOML.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Take warnings as seriously as errors: exit code 1.
    #[arg(long)]
    strict: bool,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t)]
    format: CheckFormat,
    #[command(flatten)]
    junit: JunitOption,
}

/// The forms of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum CheckFormat {
    /// A line for each file, warning and error.
    #[default]
    Text,
    /// A document with an object for each file.
    Json,
}

/// A file in JSON.
#[derive(Serialize, JsonSchema)]
struct FileRow {
    /// The file, as it was given.
    file: String,
    /// `vehicle`, `board` or `authentication`; `other` of a file for another command.
    kind: &'static str,
    /// True if the file has no error.
    ok: bool,
    /// Contents of a file without errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// Errors, with their places.
    errors: Vec<Finding>,
    /// Valid settings that are probably a mistake.
    warnings: Vec<Finding>,
}

const DOCUMENT: DocumentFormat<Listed<FileRow>> =
    DocumentFormat::new("check", 1, "waywarden check FILE --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl Check {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let checked: Vec<CheckedFile> =
            self.files.iter().map(|path| document::read(path)).collect();
        self.junit.write(|| junit::suite(&checked, self.strict))?;
        match self.format {
            CheckFormat::Json => json(&checked)?,
            CheckFormat::Text => text(&checked)?,
        }
        let errors = checked.iter().flat_map(CheckedFile::error_lines);
        let errors: Vec<String> = errors.collect();
        let is_warned = checked.iter().any(|one| !one.warnings.is_empty());
        match errors.is_empty() {
            false => Err(Failure::all(errors)),
            true if self.strict && is_warned => Ok(Answer::No),
            true => Ok(Answer::Yes),
        }
    }
}

fn text(checked: &[CheckedFile]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for one in checked {
        for warning in one.lines_of(&one.warnings) {
            messages::warning(warning);
        }
        if let Some(summary) = &one.summary {
            writeln!(out, "{}: ok, {summary}", one.file)?;
        }
    }
    Ok(())
}

fn json(checked: &[CheckedFile]) -> Result<(), Failure> {
    let rows = checked
        .iter()
        .map(|one| FileRow {
            file: one.file.clone(),
            kind: one.kind,
            ok: one.errors.is_empty(),
            summary: one.summary.clone(),
            errors: one.errors.clone(),
            warnings: one.warnings.clone(),
        })
        .collect();
    Ok(DOCUMENT.print(&mut io::stdout().lock(), &Listed::new(rows))?)
}
