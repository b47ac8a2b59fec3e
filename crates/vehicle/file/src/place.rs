//! Places in the text of a vehicle file, and values that remember theirs.

use std::fmt;
use std::ops::Range;

/// A range of byte offsets in the text of the vehicle file.
pub type Span = Range<usize>;

/// A value and where it stands in the vehicle file, for errors that are only seen later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its place in the text.
    pub span: Span,
}

/// A line and a column, both counted from 1; the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl<T> Located<T> {
    /// Puts a value at a place.
    pub(super) fn new(value: T, span: Span) -> Self {
        Located { value, span }
    }

    /// Returns the same place with another value.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Located<U> {
        Located::new(change(self.value), self.span)
    }
}

impl<T> std::ops::Deref for Located<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
