//! `waywarden bench`: what this machine can do.

pub(crate) mod board;
pub(crate) mod operations;
mod plan;
mod stopwatch;
mod symmetric;
mod verify;
#[cfg(unix)]
pub(crate) mod wave;

use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum BenchCommand {
    Verify(verify::Verify),
    Board(board::Board),
}

impl BenchCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            BenchCommand::Verify(verify) => verify.execute(),
            BenchCommand::Board(board) => board.execute(),
        }
    }
}

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = verify::SCHEMA;
