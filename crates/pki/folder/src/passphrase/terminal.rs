//! Questions at the terminal of the process, without echo.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::mem;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use signal_hook::consts::SIGINT;
use signal_hook::low_level::emulate_default_handler;

use super::{Kind, Passphrase, line};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::signals;

/// The terminal that has no echo now, and its settings before.
static SILENT: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// A terminal without echo, which comes back when this is dropped, or when a signal ends the
/// process before.
struct Silent;

impl Silent {
    /// Switches from the settings `before` to those of `silent`.
    fn new(terminal: &File, before: Termios, silent: &Termios) -> io::Result<Self> {
        static WATCH: Once = Once::new();
        WATCH.call_once(|| {
            signals::clean_up_with(|| {
                let mut current = current();
                restore(&mut current);
                // Until the end of the process, so that the echo stays.
                mem::forget(current);
            });
        });
        let mut current = current();
        *current = Some((terminal.try_clone()?, before));
        let switched = tcsetattr(terminal, OptionalActions::Flush, silent);
        switched.inspect_err(|_| restore(&mut current))?;
        Ok(Self)
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        restore(&mut current());
    }
}

fn current() -> MutexGuard<'static, Option<(File, Termios)>> {
    SILENT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn restore(current: &mut Option<(File, Termios)>) {
    if let Some((terminal, before)) = current.take() {
        let _ = tcsetattr(&terminal, OptionalActions::Now, &before);
    }
}

/// Input from a terminal that gives the interrupt key as a byte.
pub(super) struct Typed<R> {
    pub(super) input: R,
    /// The byte of the interrupt key; 0 if the terminal has none.
    pub(super) interrupt: u8,
    pub(super) is_interrupted: bool,
}

impl<R: Read> Read for Typed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        let is_key = |byte: &u8| self.interrupt != 0 && *byte == self.interrupt;
        if buffer[..length].iter().any(is_key) {
            self.is_interrupted = true;
            return Err(io::Error::other("interrupted"));
        }
        Ok(length)
    }
}

/// Asks each question once. The interrupt key ends the process as SIGINT does, once the
/// terminal has its echo again.
pub(super) fn ask<const N: usize>(
    questions: [&str; N],
    kind: Kind,
) -> Result<[Passphrase; N], Failure> {
    let failed = |error: io::Error| {
        Failure::new(format_args!(
            "no terminal to ask for the {} ({error}); give --{option}-file or --{option}-fd",
            kind.name,
            option = kind.option
        ))
    };
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
    let terminal = terminal.map_err(failed)?;
    let before = tcgetattr(&terminal).map_err(|error| failed(error.into()))?;
    let mut silent = before.clone();
    // As a byte that ends a line the key is read like an answer.
    let interrupt = before.special_codes[SpecialCodeIndex::VINTR];
    silent.local_modes -= LocalModes::ECHO | LocalModes::ISIG;
    silent.special_codes[SpecialCodeIndex::VEOL] = interrupt;
    let restored = Silent::new(&terminal, before, &silent).map_err(failed)?;
    let mut answers = Vec::with_capacity(N);
    for question in questions {
        (&terminal).write_all(question.as_bytes()).map_err(failed)?;
        let mut typed = Typed {
            input: &terminal,
            interrupt,
            is_interrupted: false,
        };
        let answer = line(&mut typed, "terminal", kind);
        (&terminal).write_all(b"\n").map_err(failed)?;
        if typed.is_interrupted {
            drop((restored, answers));
            let _ = emulate_default_handler(SIGINT);
            return Err(Failure::new("interrupted"));
        }
        answers.push(answer?);
    }
    let answers = answers.try_into();
    answers.map_err(|_| Failure::new("terminal: a question has no answer"))
}
