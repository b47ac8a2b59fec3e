//! SQLite databases as python-can writes them: the table `messages`, row by row.
//!
//! Read is the file format alone, without SQLite: a table is a tree of pages, and one pass over its
//! leaves has the rows in their order. Changes that wait in a file beside the database
//! (write-ahead log, rollback journal) are not seen here; who opens the file looks for them.

mod row;
mod tree;

use std::fmt;
use std::io::{Read, Seek};

use crate::bytes::u8_at;
use crate::error::{LogError, LogLocation, SqliteCause};
use crate::record::{Channel, Channels, Record};
use crate::seekable::File;
use row::{COLUMNS, Value};
use tree::{Pages, Table, big};

/// The first bytes of a database.
pub(crate) const MARK: &[u8] = b"SQLite format 3\0";

/// The name of the only channel: the table has none.
const CHANNEL: &[u8] = b"can0";

/// Reads the frames of a database.
///
/// A broken row is an error of its own and the caller may go on; so is a broken page.
pub struct Reader<S> {
    file: Result<File<S>, Option<LogError>>,
    table: Option<Frames>,
    channels: Channels,
    padded: u64,
}

/// The table of frames.
#[derive(Debug)]
struct Frames {
    table: Table,
    /// The places of [`COLUMNS`] in a row.
    columns: [usize; 7],
    channel: Channel,
}

impl<S: Read + Seek> Reader<S> {
    /// Makes a reader of a plain file; nothing but its length is asked for yet.
    pub fn new(input: S) -> Self {
        Reader {
            file: File::new(input).map_err(Some),
            table: None,
            channels: Channels::default(),
            padded: 0,
        }
    }

    /// Returns the channels seen so far: one, because the table does not name any.
    #[must_use]
    pub fn channels(&self) -> &Channels {
        &self.channels
    }

    /// Returns how many CAN FD frames so far had a count of bytes that no such frame has, and were
    /// padded with zeros.
    #[must_use]
    pub fn padded(&self) -> u64 {
        self.padded
    }

    fn step(&mut self) -> Option<Result<Record, LogError>> {
        let file = match &mut self.file {
            Ok(file) => file,
            Err(error) => return error.take().map(Err),
        };
        let frames = match &mut self.table {
            Some(frames) => frames,
            None => match open(file, &mut self.channels) {
                Ok(frames) => self.table.insert(frames),
                Err(error) => {
                    self.file = Err(None);
                    return Some(Err(error));
                }
            },
        };
        let found = match frames.table.next(file)? {
            Ok(row) => read_row(&row, &frames.columns, frames.channel, &mut self.padded),
            Err(error) => return Some(Err(error)),
        };
        Some(found.map_err(|cause| fault(frames.table.place(), cause)))
    }
}

impl<S> fmt::Debug for Reader<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}

impl<S: Read + Seek> Iterator for Reader<S> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step()
    }
}

fn read_row(
    row: &tree::Row<'_>,
    columns: &[usize; 7],
    channel: Channel,
    padded: &mut u64,
) -> Result<Record, SqliteCause> {
    let mut values = Vec::with_capacity(COLUMNS.len());
    row::values(&row.bytes, &mut values).ok_or(SqliteCause::Row(row.number))?;
    let value = |index: usize| values.get(index).copied().unwrap_or(Value::Null);
    row::record(row.number, columns.map(value), channel, padded)
}

/// Finds the table of frames and its columns.
fn open<S: Read + Seek>(file: &mut File<S>, channels: &mut Channels) -> Result<Frames, LogError> {
    let length = file.length();
    let header = file.bytes(0, 100)?;
    let size = match big(header, 16, 2) as u32 {
        1 => 65_536,
        size => size,
    };
    let usable = size.saturating_sub(u32::from(u8_at(header, 20)));
    if !size.is_power_of_two() || size < 512 || usable < 480 {
        return Err(fault(16, SqliteCause::PageSize(size)));
    }
    let pages = Pages {
        size: size as usize,
        usable: usable as usize,
        count: u32::try_from(length.div_ceil(u64::from(size))).unwrap_or(u32::MAX),
    };
    let mut schema = Table::new(pages, 1);
    while let Some(row) = schema.next(file) {
        let row = match row {
            Ok(row) => row,
            // Another table may have a longer statement than is read.
            Err(error) if is_row_fault(&error) => continue,
            Err(error) => return Err(error),
        };
        let mut values = Vec::new();
        if row::values(&row.bytes, &mut values).is_none() {
            continue;
        }
        if let [
            Value::Text(b"table"),
            Value::Text(b"messages"),
            _,
            root,
            Value::Text(sql),
        ] = values.as_slice()
        {
            let Value::Integer(root) = root else {
                break;
            };
            let columns = columns(sql).map_err(|cause| fault(0, cause))?;
            let interned = channels.intern(CHANNEL);
            let channel = interned.map_err(|_| fault(0, SqliteCause::NoTable))?;
            return Ok(Frames {
                table: Table::new(pages, u32::try_from(*root).unwrap_or(0)),
                columns,
                channel,
            });
        }
    }
    Err(fault(0, SqliteCause::NoTable))
}

fn is_row_fault(error: &LogError) -> bool {
    use crate::error::LogCause;
    let cause = match &error.cause {
        LogCause::Sqlite(cause) => cause,
        _ => return false,
    };
    matches!(cause, SqliteCause::Row(_) | SqliteCause::RowSize { .. })
}

/// Finds the columns in the statement that made the table.
fn columns(sql: &[u8]) -> Result<[usize; 7], SqliteCause> {
    let sql = String::from_utf8_lossy(sql);
    let inner = sql.split_once('(').map_or("", |(_, inner)| inner);
    let names: Vec<String> = inner
        .split(',')
        .map(|column| {
            let word = column.split_whitespace().next().unwrap_or_default();
            let word = word.trim_matches(|c: char| "\"'`[])".contains(c));
            word.to_ascii_lowercase()
        })
        .collect();
    let mut found = [0; 7];
    for (place, column) in found.iter_mut().zip(COLUMNS) {
        let index = names.iter().position(|name| name == column);
        *place = index.ok_or(SqliteCause::NoColumn(column))?;
    }
    Ok(found)
}

fn fault(at: u64, cause: SqliteCause) -> LogError {
    LogError {
        place: LogLocation::Offset(at),
        cause: cause.into(),
    }
}

#[cfg(test)]
mod tests;
