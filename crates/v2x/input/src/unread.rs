//! Reasons why a file of messages cannot be read, or not to its end: the file, the place, the error
//! and the remedy.

use std::error::Error;
use std::fmt;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use waywarden_input_files::Problem;
use waywarden_input_files::plain::plain;

/// Place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLocation {
    /// In all of it.
    Whole,
    /// In a line, counted from 1.
    Line(usize),
    /// In lines, the first and the last.
    Lines(usize, usize),
    /// In a packet, counted from 1; 0 is what stands before the first one.
    Packet(usize),
    /// In a record of a log, counted from 1.
    Record(usize),
}

/// File that cannot be read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnreadFile {
    /// The file; empty: what is wrong is not with one of those that are read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Place in the file, unless it is all of it.
    #[schemars(with = "Option<String>")]
    #[serde(
        serialize_with = "in_words",
        skip_serializing_if = "FileLocation::is_whole"
    )]
    pub place: FileLocation,
    /// Error at this place.
    pub error: String,
    /// Remedy for the error.
    pub remedy: &'static str,
}

/// Notes on a file that was read to its end.
#[derive(Debug, Default)]
#[must_use]
pub struct ReadFile {
    /// A remark for the user.
    pub note: Option<String>,
    /// Lines that could not be read: the first [`WRONG_MAX`], and how many more there are.
    pub wrong: Vec<UnreadFile>,
}

/// Maximum number of lines that cannot be read and are reported one by one; of a file with nothing
/// else, three.
pub const WRONG_MAX: usize = 100;
const WRONG_MAX_ALONE: usize = 3;

/// Lines of a file that cannot be read.
#[derive(Default)]
pub(super) struct WrongLines {
    /// True if others can.
    pub(super) is_read: bool,
    first: Vec<UnreadFile>,
    more: usize,
}

impl WrongLines {
    pub(super) fn push(&mut self, unread: UnreadFile) {
        match self.first.len() < WRONG_MAX {
            true => self.first.push(unread),
            false => self.more += 1,
        }
    }

    /// Returns the first ones, and one that says how many there are beyond.
    pub(super) fn finish(mut self, file: &str) -> Vec<UnreadFile> {
        if !self.is_read {
            self.more += self.first.len().saturating_sub(WRONG_MAX_ALONE);
            self.first.truncate(WRONG_MAX_ALONE);
        }
        if self.more > 0 {
            self.first.push(UnreadFile {
                file: file.to_owned(),
                place: FileLocation::Whole,
                error: format!("{} more lines cannot be read", self.more),
                remedy: "correct those above first",
            });
        }
        self.first
    }
}

impl UnreadFile {
    /// Nothing can be read, for a reason that names what it is about.
    pub fn all(error: &str) -> Self {
        Self {
            file: String::new(),
            place: FileLocation::Whole,
            error: error.to_owned(),
            remedy: "correct that: nothing was verified",
        }
    }

    /// Turns it into the failure of a caller.
    #[must_use]
    pub fn into_failure<F: From<Problem>>(self) -> F {
        Problem::from(self).into()
    }

    /// The file cannot be read, or not from here on.
    pub fn of(file: &str, place: FileLocation, error: &io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, IsADirectory, NotFound, PermissionDenied};
        let remedy = match error.kind() {
            NotFound => "check the path",
            PermissionDenied => "make it readable",
            IsADirectory => "give the files in it",
            FileTooLarge => "unpack it and give what comes out, which may be of any length",
            _ => "what stands before was read; unpack or copy the file again",
        };
        Self {
            file: file.to_owned(),
            place,
            error: error.to_string(),
            remedy,
        }
    }
}

impl FileLocation {
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }

    /// Names it as a place of a file.
    pub fn of(self, file: &str) -> String {
        match self {
            Self::Whole => file.to_owned(),
            Self::Line(number) => format!("{file}:{number}"),
            Self::Lines(first, last) => format!("{file}:{first}-{last}"),
            Self::Packet(number) => format!("{file}, packet {number}"),
            Self::Record(number) => format!("{file}, record {number}"),
        }
    }
}

fn in_words<S: serde::Serializer>(place: &FileLocation, serializer: S) -> Result<S::Ok, S::Error> {
    match place {
        FileLocation::Whole => serializer.serialize_none(),
        FileLocation::Line(number) => serializer.collect_str(&format_args!("line {number}")),
        FileLocation::Lines(first, last) => {
            serializer.collect_str(&format_args!("lines {first} to {last}"))
        }
        FileLocation::Packet(number) => serializer.collect_str(&format_args!("packet {number}")),
        FileLocation::Record(number) => serializer.collect_str(&format_args!("record {number}")),
    }
}

impl fmt::Display for UnreadFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.of(&self.file);
        let (place, error, remedy) = (plain(&place), plain(&self.error), self.remedy);
        write!(formatter, "{place}: {error} ({remedy})")
    }
}

impl Error for UnreadFile {}

impl From<UnreadFile> for Problem {
    fn from(unread: UnreadFile) -> Self {
        let place = unread.place.of(&unread.file);
        Problem::new("file-not-read", unread).at(place)
    }
}

/// Reason why the reading of a file stopped; `F` is the failure of the caller.
#[derive(Debug)]
pub enum StopReason<F = Problem> {
    /// The file cannot be read.
    Unread(UnreadFile),
    /// The caller's work on a record failed.
    Failed(F),
}

impl<F> From<UnreadFile> for StopReason<F> {
    fn from(unread: UnreadFile) -> Self {
        Self::Unread(unread)
    }
}

impl<F> StopReason<F> {
    /// The caller's work on a record failed.
    pub fn failed(failure: impl Into<F>) -> Self {
        Self::Failed(failure.into())
    }
}

impl<F: From<Problem>> StopReason<F> {
    /// Turns it into the failure of the caller.
    #[must_use]
    pub fn into_failure(self) -> F {
        match self {
            Self::Unread(unread) => unread.into_failure(),
            Self::Failed(failure) => failure,
        }
    }
}
