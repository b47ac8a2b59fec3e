//! `waywarden pki misbehaviour`: reports about vehicles, and the authority that decides on them.

mod decide;
mod read;
mod report;

use std::path::Path;

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_v2x_misbehaviour_report::layout::TargetId;
use waywarden_v2x_misbehaviour_report::{ObservationKind, REPORT_BYTES_MAX};

/// Report misbehaving vehicles, and decide on reports (SAE J3287 as recorded reports have it).
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Misbehaviour {
    Report(Box<report::Report>),
    Read(read::Read),
    Decide(decide::Decide),
}

impl Misbehaviour {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            Self::Report(report) => report.execute(),
            Self::Read(read) => read.execute(),
            Self::Decide(decide) => decide.execute(),
        }
    }
}

/// Reads the file of a report.
fn report_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    files::bytes(path, REPORT_BYTES_MAX)
}

/// Shows an observation by its name, or by its numbers.
fn observation(target: TargetId, id: u8) -> String {
    match ObservationKind::of(target, id) {
        Some(kind) => kind.label().to_owned(),
        None => format!("{}:{id}", target.0),
    }
}

/// Reads an observation: its name, or its target and number.
fn parse_observation(text: &str) -> Result<(TargetId, u8), String> {
    if let Some(kind) = ObservationKind::of_label(text) {
        return Ok(kind.identifiers());
    }
    let numbers = text.split_once(':');
    let numbers = numbers.and_then(|(target, id)| Some((target.parse().ok()?, id.parse().ok()?)));
    numbers
        .map(|(target, id)| (TargetId(target), id))
        .ok_or_else(|| {
            let names: Vec<&str> = ObservationKind::ALL
                .iter()
                .map(|kind| kind.label())
                .collect();
            format!(
                "give {}, or a target and a number such as 5:4",
                names.join(", ")
            )
        })
}
