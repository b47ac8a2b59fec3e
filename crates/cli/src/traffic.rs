//! `waywarden traffic`: road traffic on the air.

mod compared;
mod figures;
mod headline;
mod kept;
pub(crate) mod merge;
mod options;
mod run;
mod scenario;
mod sumo;
mod sweep;
mod trace;

use std::path::Path;

use self::merge::TrafficMerge;
use self::run::TrafficRun;
use self::sumo::TrafficSumo;
use self::sweep::TrafficSweep;
use crate::exit::{Answer, Failure};
use crate::terminal::plain;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum TrafficCommand {
    Run(Box<TrafficRun>),
    Sumo(TrafficSumo),
    Sweep(Box<TrafficSweep>),
    Merge(TrafficMerge),
}

impl TrafficCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            Self::Run(run) => run.execute(),
            Self::Sumo(sumo) => sumo.execute(),
            Self::Sweep(sweep) => sweep.execute(),
            Self::Merge(merge) => merge.execute(),
        }
    }
}

fn failed(path: &Path, what: &str) -> Failure {
    let path = path.display().to_string();
    Failure::new(format_args!("{}: {}", plain(&path), plain(what)))
}
