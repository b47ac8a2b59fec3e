//! `waywarden auth`: message authentication.

mod attacks;

use clap::Subcommand;

use crate::exit::{Answer, Failure};

#[derive(Debug, Subcommand)]
pub(crate) enum AuthCommand {
    Attacks(attacks::Attacks),
}

impl AuthCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            AuthCommand::Attacks(attacks) => attacks.execute(),
        }
    }
}
