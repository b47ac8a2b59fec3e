//! Errors of a board file, with the place and the remedy.

use thiserror::Error;

/// A board file could not be used.
///
/// Prints as `file:line:column: what is wrong; what would be right`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}:{column}: {cause}")]
pub struct BoardError {
    /// The file, as its caller named it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The error and its remedy.
    pub cause: BoardErrorCause,
}

/// Cause of an error in a board file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoardErrorCause {
    /// The file is larger than a board file may be.
    #[error("a board file of {bytes} bytes; at most {limit} are read")]
    TooLarge {
        /// Size of the file in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Not TOML, an unknown or missing key, or a value of the wrong type.
    #[error("{message}; docs/boards.md has a whole file to start from")]
    Form {
        /// The message of the format's reader, with what it expected.
        message: String,
    },
    /// `operation` names no kind of operation.
    #[error("unknown operation `{name}`; one of: {known}")]
    UnknownOperation {
        /// The name in the file.
        name: String,
        /// Every known name.
        known: String,
    },
    /// `algorithm` names no algorithm.
    #[error("unknown algorithm `{name}`; one of: {known}")]
    UnknownAlgorithm {
        /// The name in the file.
        name: String,
        /// Every known name.
        known: String,
    },
    /// A value with a unit cannot be read.
    #[error("`{key} = \"{text}\"` cannot be read; it should be {expected}")]
    Quantity {
        /// The key.
        key: &'static str,
        /// The text in the file.
        text: String,
        /// The expected form.
        expected: &'static str,
    },
    /// A number is outside its range.
    #[error("`{key} = {value}` is out of range; it should be {expected}")]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// The value in the file.
        value: String,
        /// The expected range.
        expected: &'static str,
    },
    /// A figure has neither a duration nor cycles, or both.
    #[error("a figure needs exactly one of `duration` and `cycles`, this one has {found}")]
    CostForm {
        /// The keys found.
        found: &'static str,
    },
    /// The keys for a cost that grows with the message do not fit together.
    #[error(
        "a cost that grows with the message needs `{slope}` and `unit` together; \
         `padding` may be added"
    )]
    GrowthForm {
        /// The slope key that goes with this figure's cost.
        slope: &'static str,
    },
    /// A figure or the characteristics have no provenance, or more than one.
    #[error(
        "exactly one of `paper`, `measured`, `scaled`, `assumed` must say where this comes from, \
         found {found}; for a guess write `assumed = \"why\"`"
    )]
    ProvenanceForm {
        /// Number of provenances found.
        found: usize,
    },
    /// Two figures for the same operation, algorithm and message length.
    #[error(
        "a second figure for {operation} with {algorithm} at the same `bytes`; \
         remove one of the two"
    )]
    Duplicate {
        /// The operation's name.
        operation: &'static str,
        /// The algorithm's name.
        algorithm: &'static str,
    },
    /// A security module has a figure for one message length only, so that some messages of a
    /// stream would be computed on it and others on a core, and overtake each other.
    #[error(
        "a figure of a security module is for all lengths; leave `bytes` out and let the cost grow \
         with `cycles_per_unit` or `duration_per_unit`"
    )]
    ModuleLength,
    /// An algorithm that a security module has a figure for is in no engine or in several.
    #[error("{algorithm} is in {found} of the `engines`; name it in exactly one")]
    ModuleEngine {
        /// The algorithm's name.
        algorithm: &'static str,
        /// Number of engines that have it.
        found: usize,
    },
    /// `bases` names no base table.
    #[error("unknown base table `{name}`; one of: {known}")]
    UnknownBase {
        /// The name in the file.
        name: String,
        /// Every known name.
        known: String,
    },
}
