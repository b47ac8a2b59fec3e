//! The command pki as a program of its own. The tests of the commands run it.

use clap::{Parser, Subcommand};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::program::{GlobalOptions, Program};

use crate::pki::Pki;

/// The command pki as a program of its own.
#[derive(Debug, Parser)]
#[command(name = "waywarden", max_term_width = 100)]
pub struct PkiArguments {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Pki(Pki),
}

impl Program for PkiArguments {
    fn global_options(&self) -> &GlobalOptions {
        &self.global
    }

    fn holds_keys(&self) -> bool {
        true
    }

    fn execute(&self) -> Result<Answer, Failure> {
        let Command::Pki(pki) = &self.command;
        pki.execute()
    }
}
