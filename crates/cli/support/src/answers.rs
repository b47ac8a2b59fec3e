//! The output of commands: on standard output and error, or for a caller in the same process.

use std::cell::RefCell;
use std::io::{self, Write};

thread_local! {
    /// The output of this thread's commands, while a caller takes it.
    static TAKEN: RefCell<Option<PrintedOutput>> = const { RefCell::new(None) };
}

/// The output of commands.
#[derive(Debug, Default)]
pub struct PrintedOutput {
    /// Answers, which programs read.
    pub answers: Vec<u8>,
    /// Warnings and notes, which people read, a line each.
    pub complaints: String,
}

/// Returns the writer for answers of a command that this thread runs.
#[must_use]
pub fn out() -> Box<dyn Write + Send> {
    match TAKEN.with_borrow(Option::is_some) {
        true => Box::new(Taken),
        false => Box::new(io::stdout()),
    }
}

/// Prints a line for people.
pub(crate) fn complain(line: &str) {
    let is_taken = TAKEN.with_borrow_mut(|taken| match taken {
        Some(printed) => {
            printed.complaints.push_str(line);
            printed.complaints.push('\n');
            true
        }
        None => false,
    });
    if !is_taken {
        eprintln!("{line}");
    }
}

/// Runs commands, and returns what they print instead of printing it.
pub fn take<T>(run: impl FnOnce() -> T) -> (T, PrintedOutput) {
    TAKEN.set(Some(PrintedOutput::default()));
    let result = run();
    (result, TAKEN.take().unwrap_or_default())
}

/// The writer for answers that a caller takes.
struct Taken;

impl Write for Taken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        TAKEN.with_borrow_mut(|taken| taken.get_or_insert_default().answers.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_goes_to_the_caller_that_takes_it_and_to_no_other() {
        let ((), first) = take(|| write!(out(), "one {}", 1).unwrap());
        let ((), second) = take(|| {
            let other = || assert!(TAKEN.with_borrow(Option::is_none));
            std::thread::spawn(other).join().unwrap();
            out().write_all(b"two").unwrap();
            complain("three");
        });
        assert_eq!(first.answers, b"one 1");
        assert_eq!(
            (&second.answers[..], &*second.complaints),
            (&b"two"[..], "three\n")
        );
        assert!(TAKEN.with_borrow(Option::is_none));
    }
}
