//! End of the command: its exit codes and its errors.

use std::fmt;
use std::io;

use waywarden_input_files::{Problem, path_error};

use crate::messages;
use crate::terminal::plain_lines;

/// Result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It did what was asked.
    Yes,
    /// It ran, and the answer is no: a missed requirement, a mismatch.
    No,
    /// It ran, and nothing of the input is what it was asked about: probably another input or
    /// another key.
    Unrelated,
}

/// Reason why a command failed: bad input, or a place that cannot be written.
///
/// Each line names the file, the place in it, what is wrong and what would be right.
#[derive(Debug)]
pub struct Failure {
    lines: Vec<String>,
    pipe_closed: bool,
}

impl Failure {
    /// One thing is wrong.
    pub fn new(line: impl fmt::Display) -> Self {
        Failure {
            lines: vec![line.to_string()],
            pipe_closed: false,
        }
    }

    /// Several things are wrong.
    pub fn all(lines: impl IntoIterator<Item = String>) -> Self {
        Failure {
            lines: lines.into_iter().collect(),
            pipe_closed: false,
        }
    }

    /// Puts several failures together, if there are any.
    pub fn if_any(failures: Vec<Self>) -> Result<(), Self> {
        if failures.is_empty() {
            return Ok(());
        }
        Err(Failure {
            pipe_closed: failures.iter().any(|one| one.pipe_closed),
            lines: failures.into_iter().flat_map(|one| one.lines).collect(),
        })
    }

    /// A file could not be read or written.
    pub fn file(path: impl fmt::Display, error: &io::Error) -> Self {
        let path = path.to_string();
        let explained = path_error::explained(&path, error, None);
        Failure::new(format_args!("{path}: {explained}"))
    }

    /// A file that another one names could not be read; `base` says where its path begins.
    pub fn named_file(path: impl fmt::Display, error: &io::Error, base: &str) -> Self {
        let path = path.to_string();
        let explained = path_error::explained(&path, error, Some(base));
        Failure::new(format_args!("{path}: {explained}"))
    }

    /// An output could not be written; the error names it.
    pub fn writing(error: io::Error) -> Self {
        let pipe_closed = error.kind() == io::ErrorKind::BrokenPipe;
        let failure = match remedy(&error) {
            "" => Failure::new(error),
            remedy => Failure::new(format_args!("{error}{remedy}")),
        };
        Failure {
            pipe_closed,
            ..failure
        }
    }

    /// Puts the place that all of it is about before each line.
    pub fn prefixed(self, place: &str) -> Self {
        let lines = self.lines.iter();
        Failure {
            lines: lines.map(|line| format!("{place}{line}")).collect(),
            ..self
        }
    }

    /// Returns what is wrong, one thing a line.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The reader of our output stopped reading: no failure.
    pub fn unless_pipe_closed(self) -> Result<Answer, Failure> {
        if self.pipe_closed {
            Ok(Answer::Yes)
        } else {
            Err(self)
        }
    }
}

/// Returns the remedy for an error of the operating system that says only what is wrong.
pub fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "; free some space there, or write elsewhere",
        io::ErrorKind::QuotaExceeded => "; free some of your space there, or write elsewhere",
        _ => "",
    }
}

/// A problem of the input that a library found.
impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure::all(problem.into_lines())
    }
}

/// A failure to write to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let kind = error.kind();
        Failure::writing(io::Error::new(kind, format!("standard output: {error}")))
    }
}

/// Turns the outcome into the process's exit code, and says what went wrong.
pub fn code(answer: Result<Answer, Failure>) -> u8 {
    match answer {
        Ok(Answer::Yes) => 0,
        Ok(Answer::No) => 1,
        Ok(Answer::Unrelated) => 3,
        Err(failure) => {
            for line in failure.lines {
                messages::error(plain_lines(&line));
            }
            2
        }
    }
}
