//! `waywarden bus`: logs and single frames.

mod bits;
mod convert;
mod import;
mod load;

use crate::exit::{Answer, Failure};

/// What to look at.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum BusCommand {
    /// The exact load a log puts on a bus: by identifier, worst gaps, latency under arbitration.
    Load(load::Load),
    /// Write a log in another format: candump, ASC or pcapng.
    Convert(convert::Convert),
    /// Make a vehicle file of a DBC message matrix.
    Import(import::Import),
    /// Explain a frame bit by bit, or check a table of frames.
    Bits(bits::Bits),
}

impl BusCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            BusCommand::Load(load) => load.execute(),
            BusCommand::Convert(convert) => convert.execute(),
            BusCommand::Import(import) => import.execute(),
            BusCommand::Bits(bits) => bits.execute(),
        }
    }
}
