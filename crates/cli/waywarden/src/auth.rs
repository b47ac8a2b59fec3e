//! `waywarden auth`: message authentication, of logs and under attack.

mod attacks;

use waywarden_command_can::auth::{check, protect};
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};

/// Subcommands; each type has its description, which one here would replace.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum AuthCommand {
    Protect(protect::ProtectCommand),
    Check(check::CheckCommand),
    Attacks(attacks::Attacks),
}

impl AuthCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            AuthCommand::Protect(protect) => protect.execute(),
            AuthCommand::Check(check) => check.execute(),
            AuthCommand::Attacks(attacks) => attacks.execute(),
        }
    }
}

/// Returns the schemas of what programs read.
pub(crate) const fn schemas() -> [DocumentSchema; 3] {
    [check::SCHEMA, check::VERDICT_SCHEMA, attacks::SCHEMA]
}
