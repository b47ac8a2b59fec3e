//! Faults of message matrices.

use std::fmt;

use waywarden_can_dbc::DbcError;

use crate::{DEPTH_MAX, ELEMENTS_MAX, TEXT_MAX};

/// A fault for which a file is refused as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixError {
    /// The file is longer than [`TEXT_MAX`].
    TooLong {
        /// Its length in bytes.
        found: usize,
    },
    /// A DBC file, or a file of no known format, that is refused.
    Dbc(DbcError),
    /// The file is of no format that is read: XML with another outermost element.
    Format {
        /// The outermost element.
        root: String,
    },
    /// The text is no well-formed XML.
    Xml {
        /// The line, from 1.
        line: usize,
        /// The fault.
        cause: String,
    },
    /// Elements lie deeper within each other than [`DEPTH_MAX`].
    TooDeep {
        /// The line, from 1.
        line: usize,
    },
    /// There are more elements than [`ELEMENTS_MAX`].
    TooManyElements {
        /// The line, from 1.
        line: usize,
    },
    /// A part without which there is no matrix is missing or not readable.
    Content {
        /// The line, from 1.
        line: usize,
        /// The element or the statement.
        place: String,
        /// The fault and its remedy.
        cause: String,
    },
}

/// A part of a file that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedPart {
    /// The message, the element with its path, or the statement.
    pub what: String,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// The reason, and what would be right.
    pub reason: String,
    /// True for an identifier that would have 29 bits with bit 31 set: see
    /// [`crate::ReadOptions::unflagged_are_extended`].
    pub may_be_extended: bool,
}

impl MatrixError {
    /// Returns the line, from 1, where it is known.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        match self {
            MatrixError::TooLong { .. } => None,
            MatrixError::Format { .. } => Some(1),
            MatrixError::Dbc(error) => error.line(),
            MatrixError::Xml { line, .. }
            | MatrixError::TooDeep { line }
            | MatrixError::TooManyElements { line }
            | MatrixError::Content { line, .. } => Some(*line),
        }
    }
}

/// Prints what is wrong and what would be right, without the line.
impl fmt::Display for MatrixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatrixError::TooLong { found } => write!(
                f,
                "{found} bytes are too many for a message matrix (at most {TEXT_MAX}); export the \
                 communication of the buses alone"
            ),
            MatrixError::Dbc(error) => error.fmt(f),
            MatrixError::Format { root } => write!(
                f,
                "XML of <{root}>, which is no message matrix; ARXML begins with <AUTOSAR>, KCD \
                 with <NetworkDefinition>"
            ),
            MatrixError::Xml { cause, .. } => {
                write!(f, "no well-formed XML: {cause}; export the file again")
            }
            MatrixError::TooDeep { .. } => write!(
                f,
                "elements lie more than {DEPTH_MAX} deep within each other, which no matrix needs; \
                 export the file again"
            ),
            MatrixError::TooManyElements { .. } => write!(
                f,
                "more than {ELEMENTS_MAX} elements; export the communication of the buses alone"
            ),
            MatrixError::Content { place, cause, .. } => write!(f, "{place}: {cause}"),
        }
    }
}

impl std::error::Error for MatrixError {}

impl From<DbcError> for MatrixError {
    fn from(error: DbcError) -> Self {
        MatrixError::Dbc(error)
    }
}

/// Prints what is skipped and why, without the line.
impl fmt::Display for SkippedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is skipped: {}", self.what, self.reason)
    }
}
