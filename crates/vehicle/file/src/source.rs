//! The text of a vehicle file, and the list of everything that is wrong with it.

use std::cell::{Cell, RefCell};
use std::fmt;

use waywarden_work::Duration;

use super::place::{Located, SourceLocation, Span};
use super::problem::Problem;

/// Limit on listed errors; the rest are counted.
pub const LISTED_ERRORS_MAX: usize = 20;

/// Limit on errors looked for at all, so that a hostile file costs no more than a broken one.
const FOUND_ERRORS_MAX: usize = 1_000;

/// Limit on remembered times at which something is to begin.
const MOMENTS_MAX: usize = 1_000;

/// One thing that is wrong with a vehicle file. Prints as `car.toml:14:8: what; remedy`.
#[derive(Clone, Debug, PartialEq)]
pub struct FileError {
    /// The file, as it was named to the parser.
    pub file: String,
    /// Its place in the file.
    pub place: SourceLocation,
    /// The error, with its remedy.
    pub problem: Problem,
}

/// Everything that is wrong with a vehicle file, in the order of its text: one line each.
#[derive(Clone, Debug, PartialEq)]
pub struct FileErrors {
    listed: Vec<FileError>,
    omitted: usize,
}

/// The text of a vehicle file and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceText {
    file_name: String,
    text: String,
}

/// The errors found so far. Every reader of a part holds a shared reference to them.
pub(super) struct Findings<'s> {
    source: &'s SourceText,
    found: RefCell<Vec<(Span, Problem)>>,
    beyond: Cell<usize>,
    moments: RefCell<Vec<Located<Duration>>>,
}

impl SourceText {
    pub(super) fn new(file_name: &str, text: &str) -> Self {
        SourceText {
            file_name: file_name.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Returns the line and column at which `span` begins.
    #[must_use]
    pub fn place(&self, span: &Span) -> SourceLocation {
        let mut end = span.start.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        SourceLocation {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// Makes an error with the place of `span`.
    #[must_use]
    pub fn error(&self, span: &Span, problem: Problem) -> FileError {
        FileError {
            file: self.file_name.clone(),
            place: self.place(span),
            problem,
        }
    }

    /// Lists the errors in the order of the text, if there are any; `beyond` were not noted.
    fn errors(&self, mut found: Vec<(Span, Problem)>, beyond: usize) -> Option<FileErrors> {
        found.sort_by_key(|(span, _)| span.start);
        let omitted = found.len().saturating_sub(LISTED_ERRORS_MAX) + beyond;
        found.truncate(LISTED_ERRORS_MAX);
        let listed: Vec<FileError> = found
            .into_iter()
            .map(|(span, problem)| self.error(&span, problem))
            .collect();
        (!listed.is_empty()).then_some(FileErrors { listed, omitted })
    }

    /// Lists the actions that begin only after the end of the run, if there are any.
    pub(super) fn too_late(
        &self,
        moments: &[Located<Duration>],
        end: Duration,
    ) -> Option<FileErrors> {
        let late = moments.iter().filter(|moment| moment.value >= end);
        let late = late.map(|moment| {
            let problem = Problem::Relation {
                found: format!(
                    "this is to be at {}, when the run ends at {end}",
                    moment.value
                ),
                remedy: "it will not happen: choose an earlier time, or a longer `duration`",
            };
            (moment.span.clone(), problem)
        });
        self.errors(late.collect(), 0)
    }

    /// Returns the name under which the file was parsed.
    #[must_use]
    pub fn file_name(&self) -> &str {
        &self.file_name
    }
}

impl<'s> Findings<'s> {
    pub(super) fn new(source: &'s SourceText) -> Self {
        Findings {
            source,
            found: RefCell::new(Vec::new()),
            beyond: Cell::new(0),
            moments: RefCell::new(Vec::new()),
        }
    }

    /// The text that is read.
    pub(super) const fn source(&self) -> &'s SourceText {
        self.source
    }

    pub(super) fn add(&self, span: &Span, problem: Problem) {
        let mut found = self.found.borrow_mut();
        if found.len() < FOUND_ERRORS_MAX {
            found.push((span.clone(), problem));
        } else {
            self.beyond.set(self.beyond.get() + 1);
        }
    }

    /// Remembers a time at which something is to begin.
    pub(super) fn await_at(&self, at: &Located<Duration>) {
        let mut moments = self.moments.borrow_mut();
        if moments.len() < MOMENTS_MAX {
            moments.push(at.clone());
        }
    }

    /// Returns the times that were remembered.
    pub(super) fn moments(&self) -> Vec<Located<Duration>> {
        self.moments.take()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    pub(super) fn place(&self, span: &Span) -> SourceLocation {
        self.source.place(span)
    }

    /// Returns the errors in the order of the text, if there are any.
    pub(super) fn into_errors(self) -> Option<FileErrors> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|(span, _)| span.start);
        // Where a list is cut, what refers to the rest of it is not at fault.
        let is_cut = |problem: &Problem| matches!(problem, Problem::TooMany { .. });
        if found.iter().any(|(_, problem)| is_cut(problem)) {
            found.retain(|(_, problem)| is_cut(problem));
            self.beyond.set(0);
        }
        // The grammar repeats itself on its way out of what is nested too deep.
        found.dedup_by(|(_, one), (_, before)| matches!(one, Problem::Syntax(_)) && one == before);
        self.source.errors(found, self.beyond.get())
    }
}

impl FileErrors {
    /// Returns the listed errors, at least one and at most [`LISTED_ERRORS_MAX`].
    #[must_use]
    pub fn listed(&self) -> &[FileError] {
        &self.listed
    }

    /// Returns how many more were found.
    #[must_use]
    pub const fn omitted(&self) -> usize {
        self.omitted
    }
}

impl From<FileError> for FileErrors {
    fn from(error: FileError) -> Self {
        FileErrors {
            listed: vec![error],
            omitted: 0,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.place, self.problem)
    }
}

impl fmt::Display for FileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.listed.iter().enumerate() {
            let line_break = if at == 0 { "" } else { "\n" };
            write!(f, "{line_break}{error}")?;
        }
        match self.omitted {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for FileError {}
impl std::error::Error for FileErrors {}
