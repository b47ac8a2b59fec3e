//! The command traffic as a program of its own. The tests of the commands run it.

use clap::{Parser, Subcommand};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::program::{GlobalOptions, Program};

use crate::traffic::Traffic;

/// The command traffic as a program of its own.
#[derive(Debug, Parser)]
#[command(name = "waywarden", max_term_width = 100)]
pub struct TrafficArguments {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Traffic(Traffic),
}

impl Program for TrafficArguments {
    fn global_options(&self) -> &GlobalOptions {
        &self.global
    }

    fn holds_keys(&self) -> bool {
        false
    }

    fn execute(&self) -> Result<Answer, Failure> {
        let Command::Traffic(traffic) = &self.command;
        traffic.execute()
    }
}
