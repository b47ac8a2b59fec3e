//! The `waywarden` command: one file a noun, all input and output in one place.
#![forbid(unsafe_code)]

mod auth;
mod bench;
mod boards;
mod bus;
mod check;
mod compare;
mod demo;
mod init;
mod keep;
mod keys;
mod logs;
mod man;
mod matrix;
mod papers;
mod parallel;
mod quantity;
mod report_table;
mod resources;
mod run;
mod schema;
mod start_up;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use waywarden_command_line::exit::{self, Answer, Failure};
use waywarden_command_line::messages::{self, Color};
use waywarden_command_line::terminal;
use waywarden_command_pki::pki;
use waywarden_command_traffic::traffic;
use waywarden_command_v2x::{decrypt, encrypt, inspect, sign, verify};
#[cfg(unix)]
use waywarden_command_v2x::{serve, station};
#[cfg(unix)]
use waywarden_host::memory;

/// An open security stack for vehicles: inside them (CAN, CAN FD) and between them (V2X).
///
/// Exit codes: 0 the command did what you asked; 1 it ran and the answer is no (a missed
/// requirement, a refused message); 2 bad input.
#[derive(Debug, Parser)]
#[command(name = "waywarden", max_term_width = 100)]
#[command(version = VERSION, long_version = LONG_VERSION)]
struct Arguments {
    /// Print no warnings, notes and progress; errors and the answer stay.
    #[arg(long, short, global = true, help_heading = "Global options")]
    quiet: bool,
    /// Whether output has colours.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        global = true,
        help_heading = "Global options"
    )]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[cfg(unix)]
impl Command {
    /// Returns true if the command may read private keys or passphrases: its memory is protected
    /// before it reads anything. A new command has to be decided on here.
    fn holds_keys(&self) -> bool {
        match self {
            Self::Auth { .. }
            | Self::Pki(_)
            | Self::Sign(_)
            | Self::Encrypt(_)
            | Self::Decrypt(_)
            | Self::Serve(_)
            | Self::Station(_) => true,
            Self::Demo(_)
            | Self::Init(_)
            | Self::Run(_)
            | Self::Check(_)
            | Self::Keys(_)
            | Self::Compare(_)
            | Self::StartUp(_)
            | Self::Bus { .. }
            | Self::Verify(_)
            | Self::Inspect(_)
            | Self::Traffic(_)
            | Self::Papers(_)
            | Self::Boards(_)
            | Self::Bench { .. }
            | Self::Schema(_)
            | Self::Manual(_)
            | Self::Completions { .. } => false,
        }
    }
}

/// The version and the commit that it is built from.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("WAYWARDEN_COMMIT_TEXT"));

/// The version, and what the licence of data in the program demands to be said.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    env!("WAYWARDEN_COMMIT_TEXT"),
    "\nLicence: MIT or Apache 2.0. Country boundaries: © OpenStreetMap contributors,\n",
    "Open Database License (ODbL) 1.0, in the form of the crate country-boundaries."
);

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Demo),
    Init(init::Init),
    Run(run::Run),
    Check(check::Check),
    Keys(keys::Keys),
    Compare(compare::Compare),
    StartUp(start_up::StartUpCommand),
    /// Measure bus loads, convert logs, import DBC files, and show frames bit by bit.
    Bus {
        #[command(subcommand)]
        command: bus::BusCommand,
    },
    /// Protect the messages of a log, check those of a protected one, or attack every protocol.
    Auth {
        #[command(subcommand)]
        command: auth::AuthCommand,
    },
    Verify(verify::Verify),
    Inspect(inspect::Inspect),
    Pki(pki::Pki),
    Sign(Box<sign::Sign>),
    Encrypt(encrypt::Encrypt),
    Decrypt(decrypt::Decrypt),
    #[cfg(unix)]
    Serve(serve::Serve),
    #[cfg(unix)]
    Station(Box<station::Station>),
    Traffic(traffic::Traffic),
    /// Compare the papers' numbers with ours, and say why some differ.
    Papers(papers::Papers),
    Boards(boards::Boards),
    /// Measure this machine.
    Bench {
        #[command(subcommand)]
        command: bench::BenchCommand,
    },
    Schema(schema::SchemaCommand),
    #[command(name = "man")]
    Manual(man::Manual),
    /// Print a completion script for a shell.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return terminal::refused_arguments(&error, std::env::args_os()),
    };
    messages::configure(arguments.quiet, arguments.color);
    #[cfg(unix)]
    if arguments.command.holds_keys()
        && let Err(error) = memory::protect_memory()
    {
        return exit::code(Err(Failure::new(error)));
    }
    let answer = match &arguments.command {
        Command::Demo(demo) => demo.execute(),
        Command::Init(init) => init.execute(),
        Command::Run(run) => run.execute(),
        Command::Check(check) => check.execute(),
        Command::Keys(keys) => keys.execute(),
        Command::Compare(compare) => compare.execute(),
        Command::StartUp(start_up) => start_up.execute(),
        Command::Bus { command } => command.execute(),
        Command::Auth { command } => command.execute(),
        Command::Verify(verify) => verify.execute(),
        Command::Inspect(inspect) => inspect.execute(),
        Command::Pki(pki) => pki.execute(),
        Command::Traffic(traffic) => traffic.execute(),
        Command::Sign(sign) => sign.execute(),
        Command::Encrypt(encrypt) => encrypt.execute(),
        Command::Decrypt(decrypt) => decrypt.execute(),
        #[cfg(unix)]
        Command::Serve(serve) => serve.execute(),
        #[cfg(unix)]
        Command::Station(station) => station.execute(),
        Command::Papers(papers) => papers.execute(),
        Command::Boards(boards) => boards.execute(),
        Command::Bench { command } => command.execute(),
        Command::Schema(schema) => schema.execute(),
        Command::Manual(manual) => manual.execute(Arguments::command()),
        Command::Completions { shell } => {
            let (mut command, mut script) = (Arguments::command(), Vec::new());
            // Into memory first: the generator panics where it cannot write.
            clap_complete::generate(*shell, &mut command, "waywarden", &mut script);
            let printed = std::io::stdout().lock().write_all(&script);
            printed.map(|()| Answer::Yes).map_err(Failure::from)
        }
    };
    exit::code(answer.or_else(Failure::unless_pipe_closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
