//! `waywarden traffic`: road traffic on the air.

mod compared;
mod figures;
mod kept;
pub(crate) mod merge;
mod run;
mod scenario;
mod sumo;

use std::path::Path;

use self::merge::TrafficMerge;
use self::run::TrafficRun;
use self::sumo::TrafficSumo;
use crate::exit::{Answer, Failure};
use crate::terminal::plain;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum TrafficCommand {
    Run(Box<TrafficRun>),
    Sumo(TrafficSumo),
    Merge(TrafficMerge),
}

impl TrafficCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            Self::Run(run) => run.execute(),
            Self::Sumo(sumo) => sumo.execute(),
            Self::Merge(merge) => merge.execute(),
        }
    }
}

fn failed(path: &Path, what: &str) -> Failure {
    let path = path.display().to_string();
    Failure::new(format_args!("{}: {}", plain(&path), plain(what)))
}
