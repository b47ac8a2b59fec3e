//! `waywarden bus`: logs, single frames, and worst-case response times.

mod bound;

use waywarden_command_can::bus::{bits, convert, import, load};
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};

/// Subcommands; each type has its description, which one here would replace.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum BusCommand {
    Load(load::LoadCommand),
    Convert(convert::Convert),
    Import(import::Import),
    Bits(bits::BitsCommand),
    Bound(bound::Bound),
}

impl BusCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            BusCommand::Load(load) => load.execute(),
            BusCommand::Convert(convert) => convert.execute(),
            BusCommand::Import(import) => import.execute(),
            BusCommand::Bits(bits) => bits.execute(),
            BusCommand::Bound(bound) => bound.execute(),
        }
    }
}

/// Returns the schemas of what programs read.
pub(crate) const fn schemas() -> [DocumentSchema; 5] {
    let [bits, table] = bits::SCHEMAS;
    [load::SCHEMA, load::LINE_SCHEMA, bound::SCHEMA, bits, table]
}
