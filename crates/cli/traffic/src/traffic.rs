//! `waywarden traffic`: road traffic on the air.

mod compared;
mod figures;
mod headline;
mod kept;
pub mod merge;
mod numbers;
mod options;
pub mod recorded;
mod run;
mod scenario;
mod stack;
mod stack_certificates;
mod stack_choices;
mod stack_report;
mod sumo;
mod sweep;
mod trace;

use std::path::Path;

use self::merge::TrafficMerge;
use self::run::TrafficRun;
use self::sumo::TrafficSumo;
use self::sweep::TrafficSweep;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::terminal::plain;

/// Put road traffic on the radio channel.
#[derive(Debug, clap::Args)]
pub struct Traffic {
    #[command(subcommand)]
    command: TrafficCommand,
}

/// Returns the schemas of what programs read.
pub(crate) const fn schemas() -> [DocumentSchema; 3] {
    [run::SCHEMA, sweep::SCHEMA, merge::SCHEMA]
}

impl Traffic {
    /// Does what was asked.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for what the operating system refuses.
    pub fn execute(&self) -> Result<Answer, Failure> {
        self.command.execute()
    }
}

#[derive(Debug, clap::Subcommand)]
enum TrafficCommand {
    Run(Box<TrafficRun>),
    Sumo(TrafficSumo),
    Sweep(Box<TrafficSweep>),
    Merge(TrafficMerge),
}

impl TrafficCommand {
    fn execute(&self) -> Result<Answer, Failure> {
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
