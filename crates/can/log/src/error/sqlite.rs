//! Reasons why a SQLite database or a row of it cannot be read.

use waywarden_can::{FrameError, IdError};

use super::Quote;

/// Reason why a database of frames cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SqliteCause {
    /// A header that no version of SQLite writes.
    #[error("a SQLite database with pages of {0} bytes; right would be a power of two up to 65536")]
    PageSize(u32),
    /// The database has no table of frames.
    #[error(
        "the database has no table \"messages\", into which python-can writes frames; give one"
    )]
    NoTable,
    /// A column that frames need is missing.
    #[error(
        "table \"messages\" has no column {0}; python-can writes ts, arbitration_id, extended, \
         remote, error, dlc and data"
    )]
    NoColumn(&'static str),
    /// A page that lies behind the end of the file.
    #[error(
        "page {page} lies behind the end of the file, which has {pages}; a complete copy is \
             needed"
    )]
    PageRange {
        /// Number of the page, from 1.
        page: u32,
        /// Number of pages.
        pages: u32,
    },
    /// A page of another kind than a table has.
    #[error("page {page} is of kind {kind}; a table has 5 and 13; a sound copy is needed")]
    PageKind {
        /// Number of the page, from 1.
        page: u32,
        /// The kind.
        kind: u8,
    },
    /// Pages that refer to each other in a circle.
    #[error("pages of the table refer to each other in a circle; a sound copy is needed")]
    Circle,
    /// A row that does not fit its page or contradicts itself.
    #[error("row {0} is broken: its sizes do not fit each other; a sound copy is needed")]
    Row(u64),
    /// A row that is too long for a frame.
    #[error("row {row} has {size} bytes; at most {max} are read, as no frame has more")]
    RowSize {
        /// The row.
        row: u64,
        /// Its size.
        size: u64,
        /// The bound.
        max: u64,
    },
    /// A value of the wrong type or out of range.
    #[error("row {row}: {column} is {value}; right would be {expected}")]
    Value {
        /// The row.
        row: u64,
        /// The column.
        column: &'static str,
        /// The value.
        value: Quote,
        /// The values that are read.
        expected: &'static str,
    },
    /// The stated length and the data disagree.
    #[error("row {row}: dlc is {stated} and data has {found} bytes; correct one of them")]
    ByteCount {
        /// The row.
        row: u64,
        /// The stated length.
        stated: u64,
        /// The length of the data.
        found: usize,
    },
    /// An identifier out of range.
    #[error("row {row}: {cause}")]
    IdRange {
        /// The row.
        row: u64,
        /// The reason.
        cause: IdError,
    },
    /// A length that its frame format cannot have.
    #[error("row {row}: {cause}")]
    Frame {
        /// The row.
        row: u64,
        /// The reason.
        cause: FrameError,
    },
}
