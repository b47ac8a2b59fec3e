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

/// A measurement of this machine.
#[derive(Debug, clap::Subcommand)]
#[allow(missing_docs, reason = "the help texts are those of the arguments")]
pub enum BenchCommand {
    Verify(verify::Verify),
    Board(board::Board),
}

impl BenchCommand {
    /// Measures.
    ///
    /// # Errors
    /// A figure that cannot be measured, or a place that cannot be written.
    pub fn execute(&self) -> Result<Answer, Failure> {
        match self {
            BenchCommand::Verify(verify) => verify.execute(),
            BenchCommand::Board(board) => board.execute(),
        }
    }
}

/// The schema of what programs read.
pub const SCHEMA: DocumentSchema = verify::SCHEMA;
