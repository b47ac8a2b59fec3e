//! `waywarden run merge`: runs of several machines in one table.

use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use waywarden_command_line::document::TOOL_VERSION;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::junit::JunitOption;
use waywarden_command_line::table::OutputFormat;
use waywarden_vehicle_report::runs::{DOCUMENT, Runs};

use super::junit;
use super::many::{answer, print};
use super::tables::TableChoice;

/// The largest document that is read: 1 GiB.
const DOCUMENT_MAX: usize = 1 << 30;

/// Merge the runs of several commands or machines into one table.
///
/// Takes JSON documents of `waywarden run FILE --seeds N --phases M --format json`, or of this
/// command. All are of the same vehicle file, boards, logs, duration and version of waywarden, and
/// no seed is in two of them. Exit code 0 if every run met every requirement, 1 if one did not, 2
/// for documents that do not fit together.
#[derive(Debug, clap::Args)]
pub(super) struct Merge {
    /// The documents.
    #[arg(required = true, value_name = "FILE")]
    documents: Vec<PathBuf>,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// The table in CSV: streams or requirements [default: streams].
    #[arg(long, value_enum, value_name = "TABLE", hide_possible_values = true)]
    table: Option<TableChoice>,
    #[command(flatten)]
    junit: JunitOption,
}

impl Merge {
    pub(super) fn execute(&self) -> Result<Answer, Failure> {
        if self.table.is_some() && self.format != OutputFormat::Csv {
            return Err(Failure::new("--table is for --format csv"));
        }
        print::check_table(self.table)?;
        let mut whole: Option<Runs> = None;
        for path in &self.documents {
            let runs = read(path)?;
            match &mut whole {
                None => whole = Some(runs),
                Some(whole) => {
                    let merged = whole.merge(runs);
                    merged.map_err(|error| about(path, error))?;
                }
            }
        }
        let Some(runs) = whole else {
            return Err(Failure::new("give at least one document"));
        };
        self.junit.write(|| junit::of_runs(&runs))?;
        print::print(&runs, self.format, self.table, "FILE")?;
        Ok(answer(&runs))
    }
}

fn about(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("{}: {what}", path.display()))
}

/// Reads a document of runs.
fn read(path: &Path) -> Result<Runs, Failure> {
    const EXPECTED: &str =
        "`waywarden run FILE --phases N --format json` prints documents that can be merged";
    let bytes = files::bytes(path, DOCUMENT_MAX)?;
    let document: serde_json::Value = serde_json::from_slice(&bytes)
        .map_err(|error| about(path, format_args!("no JSON document: {error}; {EXPECTED}")))?;
    let (schema, wanted) = (document["schema"].as_str(), DOCUMENT.identifier());
    if schema != Some(wanted.as_str()) {
        let found = schema.map_or("no field `schema`".to_owned(), |schema| {
            format!("{schema:?}")
        });
        let what = format!("{found} where {wanted:?} is expected; {EXPECTED}");
        return Err(about(path, what));
    }
    let version = document["tool_version"].as_str().unwrap_or_default();
    if version != TOOL_VERSION {
        let what = format!(
            "runs of waywarden {version:?}, and this is {TOOL_VERSION}; run all with one version"
        );
        return Err(about(path, what));
    }
    let runs = Runs::deserialize(document)
        .map_err(|error| about(path, format_args!("{error}; {EXPECTED}")))?;
    runs.check().map_err(|error| about(path, error))?;
    Ok(runs)
}
