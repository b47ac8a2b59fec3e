//! The `waywarden` command: one file a noun, all input and output in one place.
#![forbid(unsafe_code)]

mod auth;
mod boards;
mod bus;
mod check;
mod compare;
mod demo;
#[cfg(unix)]
mod extcap;
mod features;
mod fit;
mod fmu;
mod init;
mod keep;
mod keys;
#[cfg(not(all(
    feature = "v2x",
    feature = "pki",
    feature = "traffic",
    feature = "papers"
)))]
mod lacking;
mod man;
mod parallel;
mod relocated;
mod report_table;
#[cfg(feature = "traffic")]
mod road;
mod run;
mod schema;
mod start_up;

use std::ffi::OsString;
use std::io::Write;

use clap::{CommandFactory, Parser, Subcommand};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::program::{self, GlobalOptions, Program};
#[cfg(feature = "papers")]
use waywarden_command_papers::{bench, papers};
#[cfg(feature = "pki")]
use waywarden_command_pki::pki;
#[cfg(feature = "traffic")]
use waywarden_command_traffic::traffic;
#[cfg(feature = "v2x")]
use waywarden_command_v2x::{decrypt, encode, encrypt, sign};
use waywarden_command_v2x::{inspect, misbehaviour, verify};
#[cfg(all(unix, feature = "v2x"))]
use waywarden_command_v2x::{serve, station};

/// An open security stack for vehicles: inside them (CAN, CAN FD) and between them (V2X).
///
/// Exit codes: 0 the command did what you asked; 1 it ran and the answer is no (a missed
/// requirement, a refused message); 2 bad input.
#[derive(Debug, Parser)]
#[command(name = "waywarden", max_term_width = 100)]
#[command(version = VERSION, long_version = features::LONG_VERSION.as_str())]
#[command(after_help = features::named())]
struct Arguments {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

impl Command {
    /// Returns true if the command may read private keys or passphrases: its memory is protected
    /// before it reads anything. A new command has to be decided on here.
    fn holds_keys(&self) -> bool {
        match self {
            Self::Auth { .. }
            | Self::Pki(_)
            | Self::Sign(_)
            | Self::Encrypt(_)
            | Self::Decrypt(_) => true,
            #[cfg(unix)]
            Self::Serve(_) | Self::Station(_) => true,
            Self::Demo(_)
            | Self::Init(_)
            | Self::Run(_)
            | Self::Check(_)
            | Self::Keys(_)
            | Self::Compare(_)
            | Self::Fit(_)
            | Self::Fmu(_)
            | Self::StartUp(_)
            | Self::Bus { .. }
            | Self::Verify(_)
            | Self::Inspect(_)
            | Self::Misbehaviour(_)
            | Self::Encode(_)
            | Self::Traffic(_)
            | Self::Road(_)
            | Self::Papers(_)
            | Self::Boards(_)
            | Self::Bench { .. }
            | Self::Schema(_)
            | Self::Manual(_)
            | Self::Completions { .. } => false,
            #[cfg(unix)]
            Self::Extcap(_) => false,
        }
    }
}

/// The version and the commit that it is built from.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("WAYWARDEN_COMMIT_TEXT"));

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Demo),
    Init(init::Init),
    Run(run::Run),
    Check(check::Check),
    Keys(keys::Keys),
    Compare(compare::Compare),
    Fit(Box<fit::FitCommand>),
    StartUp(start_up::StartUpCommand),
    Fmu(fmu::Fmu),
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
    Verify(verify::VerifyCommand),
    Inspect(inspect::Inspect),
    Misbehaviour(misbehaviour::MisbehaviourCommand),
    #[cfg(feature = "pki")]
    Pki(pki::Pki),
    /// Not in this build: needs the feature pki.
    #[cfg(not(feature = "pki"))]
    Pki(lacking::Lacking),
    #[cfg(feature = "v2x")]
    Encode(encode::EncodeCommand),
    /// Not in this build: needs the feature v2x.
    #[cfg(not(feature = "v2x"))]
    Encode(lacking::Lacking),
    #[cfg(feature = "v2x")]
    Sign(Box<sign::SignCommand>),
    /// Not in this build: needs the feature v2x.
    #[cfg(not(feature = "v2x"))]
    Sign(lacking::Lacking),
    #[cfg(feature = "v2x")]
    Encrypt(encrypt::EncryptCommand),
    /// Not in this build: needs the feature v2x.
    #[cfg(not(feature = "v2x"))]
    Encrypt(lacking::Lacking),
    #[cfg(feature = "v2x")]
    Decrypt(decrypt::DecryptCommand),
    /// Not in this build: needs the feature v2x.
    #[cfg(not(feature = "v2x"))]
    Decrypt(lacking::Lacking),
    #[cfg(all(unix, feature = "v2x"))]
    Serve(serve::Serve),
    /// Not in this build: needs the feature v2x.
    #[cfg(all(unix, not(feature = "v2x")))]
    Serve(lacking::Lacking),
    #[cfg(all(unix, feature = "v2x"))]
    Station(Box<station::StationCommand>),
    /// Not in this build: needs the feature v2x.
    #[cfg(all(unix, not(feature = "v2x")))]
    Station(lacking::Lacking),
    #[cfg(feature = "traffic")]
    Traffic(traffic::Traffic),
    /// Not in this build: needs the feature traffic.
    #[cfg(not(feature = "traffic"))]
    Traffic(lacking::Lacking),
    #[cfg(feature = "traffic")]
    Road(road::Road),
    /// Not in this build: needs the feature traffic.
    #[cfg(not(feature = "traffic"))]
    Road(lacking::Lacking),
    #[cfg(feature = "papers")]
    /// Compare the papers' numbers with ours, and say why some differ.
    Papers(papers::Papers),
    /// Not in this build: needs the feature papers.
    #[cfg(not(feature = "papers"))]
    Papers(lacking::Lacking),
    Boards(boards::Boards),
    #[cfg(feature = "papers")]
    /// Measure this machine.
    Bench {
        #[command(subcommand)]
        command: bench::BenchCommand,
    },
    /// Not in this build: needs the feature papers.
    #[cfg(not(feature = "papers"))]
    Bench(lacking::Lacking),
    #[cfg(unix)]
    Extcap(Box<extcap::Extcap>),
    Schema(schema::SchemaCommand),
    #[command(name = "man")]
    Manual(man::Manual),
    /// Print a completion script for a shell.
    Completions {
        /// The shell to complete for.
        shell: clap_complete::Shell,
    },
}

/// Runs the command with these arguments, its name first, as its process does: it writes to the
/// standard streams. Returns the exit code that the process is to end with.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    program::run_with::<Arguments>(arguments.into_iter())
}

impl Program for Arguments {
    fn global_options(&self) -> &GlobalOptions {
        &self.global
    }

    fn holds_keys(&self) -> bool {
        self.command.holds_keys()
    }

    fn execute(&self) -> Result<Answer, Failure> {
        match &self.command {
            Command::Demo(demo) => demo.execute(),
            Command::Init(init) => init.execute(),
            Command::Run(run) => run.execute(),
            Command::Check(check) => check.execute(),
            Command::Keys(keys) => keys.execute(),
            Command::Compare(compare) => compare.execute(),
            Command::Fit(fit) => fit.execute(),
            Command::StartUp(start_up) => start_up.execute(),
            Command::Fmu(fmu) => fmu.execute(),
            Command::Bus { command } => command.execute(),
            Command::Auth { command } => command.execute(),
            Command::Verify(verify) => verify.execute(),
            Command::Inspect(inspect) => inspect.execute(),
            Command::Misbehaviour(misbehaviour) => misbehaviour.execute(),
            #[cfg(feature = "pki")]
            Command::Pki(pki) => pki.execute(),
            #[cfg(not(feature = "pki"))]
            Command::Pki(_) => lacking::Lacking::refuse("pki", "pki"),
            #[cfg(feature = "traffic")]
            Command::Traffic(traffic) => traffic.execute(),
            #[cfg(not(feature = "traffic"))]
            Command::Traffic(_) => lacking::Lacking::refuse("traffic", "traffic"),
            #[cfg(feature = "traffic")]
            Command::Road(road) => road.execute(),
            #[cfg(not(feature = "traffic"))]
            Command::Road(_) => lacking::Lacking::refuse("road", "traffic"),
            #[cfg(feature = "v2x")]
            Command::Encode(encode) => encode.execute(),
            #[cfg(not(feature = "v2x"))]
            Command::Encode(_) => lacking::Lacking::refuse("encode", "v2x"),
            #[cfg(feature = "v2x")]
            Command::Sign(sign) => sign.execute(),
            #[cfg(not(feature = "v2x"))]
            Command::Sign(_) => lacking::Lacking::refuse("sign", "v2x"),
            #[cfg(feature = "v2x")]
            Command::Encrypt(encrypt) => encrypt.execute(),
            #[cfg(not(feature = "v2x"))]
            Command::Encrypt(_) => lacking::Lacking::refuse("encrypt", "v2x"),
            #[cfg(feature = "v2x")]
            Command::Decrypt(decrypt) => decrypt.execute(),
            #[cfg(not(feature = "v2x"))]
            Command::Decrypt(_) => lacking::Lacking::refuse("decrypt", "v2x"),
            #[cfg(all(unix, feature = "v2x"))]
            Command::Serve(serve) => serve.execute(),
            #[cfg(all(unix, not(feature = "v2x")))]
            Command::Serve(_) => lacking::Lacking::refuse("serve", "v2x"),
            #[cfg(all(unix, feature = "v2x"))]
            Command::Station(station) => station.execute(),
            #[cfg(all(unix, not(feature = "v2x")))]
            Command::Station(_) => lacking::Lacking::refuse("station", "v2x"),
            #[cfg(feature = "papers")]
            Command::Papers(papers) => papers.execute(),
            #[cfg(not(feature = "papers"))]
            Command::Papers(_) => lacking::Lacking::refuse("papers", "papers"),
            Command::Boards(boards) => boards.execute(),
            #[cfg(feature = "papers")]
            Command::Bench { command } => command.execute(),
            #[cfg(not(feature = "papers"))]
            Command::Bench(_) => lacking::Lacking::refuse("bench", "papers"),
            #[cfg(unix)]
            Command::Extcap(extcap) => extcap.execute(),
            Command::Schema(schema) => schema.execute(),
            Command::Manual(manual) => manual.execute(Arguments::command()),
            Command::Completions { shell } => completions(*shell),
        }
    }
}

/// Prints a script that completes commands in a shell.
fn completions(shell: clap_complete::Shell) -> Result<Answer, Failure> {
    let (mut command, mut script) = (Arguments::command(), Vec::new());
    // Into memory first: the generator panics where it cannot write.
    clap_complete::generate(shell, &mut command, "waywarden", &mut script);
    let printed = std::io::stdout().lock().write_all(&script);
    printed.map(|()| Answer::Yes).map_err(Failure::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
