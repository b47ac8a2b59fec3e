//! A program of commands: arguments are read, messages set up, the command carried out.

use std::ffi::OsString;
use std::io::Write as _;
use std::panic;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::Parser;
#[cfg(unix)]
use waywarden_host::memory;
use waywarden_input_files::files;

use crate::answers;
use crate::exit::{self, Answer, Failure};
use crate::messages::{self, Color};
use crate::places;
use crate::signals;
use crate::terminal;

/// Options that every command takes.
#[derive(Debug, clap::Args)]
pub struct GlobalOptions {
    /// Print no warnings, notes and progress; errors and the answer stay.
    #[arg(long, short, global = true, help_heading = "Global options")]
    quiet: bool,
    /// The use of colours in output.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        global = true,
        help_heading = "Global options"
    )]
    color: Color,
}

/// A program with commands.
pub trait Program: Parser {
    /// Returns the options that hold for every command.
    fn global_options(&self) -> &GlobalOptions;

    /// Returns true if the command may read private keys or passphrases: its memory is protected
    /// before it reads anything.
    fn holds_keys(&self) -> bool;

    /// Does what was asked.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for what the operating system refuses.
    fn execute(&self) -> Result<Answer, Failure>;
}

/// Runs a program with the arguments of the process; returns its exit code.
#[must_use]
pub fn run<P: Program>() -> ExitCode {
    ExitCode::from(run_with::<P>(
        std::env::args_os().collect::<Vec<_>>().into_iter(),
    ))
}

/// Runs a program with these arguments, its name first, as a process of its own would: it writes to
/// the standard streams. Returns the exit code that the process is to end with.
#[must_use]
pub fn run_with<P: Program>(arguments: impl Iterator<Item = OsString> + Clone) -> u8 {
    files::observe(places::read);
    signals::own_process();
    let program = match P::try_parse_from(arguments.clone()) {
        Ok(program) => program,
        Err(error) => return terminal::refused_arguments(&error, arguments),
    };
    let global = program.global_options();
    messages::configure(global.quiet, global.color);
    #[cfg(unix)]
    if program.holds_keys()
        && let Err(error) = memory::protect_memory()
    {
        return exit::code(Err(Failure::new(error)));
    }
    exit::code(program.execute().or_else(Failure::unless_pipe_closed))
}

/// The end of a command that ran in the process of its caller.
#[derive(Debug)]
pub struct Finished {
    /// The exit code that a process would have.
    pub code: u8,
    /// Standard output of a process.
    pub out: String,
    /// Standard error of a process.
    pub complaint: String,
}

/// The stack of a process's first thread, for which programs are built.
const STACK: usize = 8 << 20;

/// Runs a program in this process, for tests of other commands; `arguments` begins with its name.
/// Commands of several threads run one after the other.
///
/// The memory of the process is not protected.
pub fn run_here<P: Program>(arguments: Vec<OsString>) -> Finished {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // Places of earlier commands would be refused to this one.
    places::forget();
    files::observe(places::read);
    thread::scope(|scope| {
        let own = thread::Builder::new().stack_size(STACK);
        let run = own.spawn_scoped(scope, || finished::<P>(arguments));
        let ended = run.expect("a thread").join();
        ended.unwrap_or_else(|cause| panic::resume_unwind(cause))
    })
}

fn finished<P: Program>(arguments: Vec<OsString>) -> Finished {
    let run = || match P::try_parse_from(arguments) {
        Ok(program) => program.execute(),
        Err(error) if error.use_stderr() => Err(Failure::new(error)),
        Err(help) => {
            write!(answers::out(), "{help}")?;
            Ok(Answer::Yes)
        }
    };
    let (answer, printed) = answers::take(run);
    let mut complaint = printed.complaints;
    let code = match answer {
        Ok(Answer::Yes) => 0,
        Ok(Answer::No) => 1,
        Ok(Answer::Unrelated) => 3,
        Err(failure) => {
            complaint.extend(failure.lines().iter().map(|line| format!("{line}\n")));
            2
        }
    };
    Finished {
        code,
        out: String::from_utf8_lossy(&printed.answers).into_owned(),
        complaint,
    }
}
