//! Logs whose parts refer to each other by their place: they are opened as files.

use std::io::{Read, SeekFrom};

use super::{Inner, LogFormat, LogReader, detect, open};
use crate::error::{InputCause, LogError, LogLocation};
use crate::input::log_error;
use crate::seekable::ReadSeek;
use crate::{mf4, sqlite};

/// The bytes by which a format that is read at any place is recognized.
const HEAD: u64 = 64;

impl LogFormat {
    /// Returns the name of a format that is read at any place of a file; none of those that are
    /// read from beginning to end, as a pipe has them.
    #[must_use]
    pub const fn read_at_any_place(self) -> Option<&'static str> {
        match self {
            LogFormat::Mf4 => Some("MF4"),
            LogFormat::Sqlite => Some("SQLite"),
            _ => None,
        }
    }
}

/// Opens a log in a file. Of formats that are read from beginning to end `as_stream` makes the
/// reader, as for [`open()`].
///
/// # Errors
/// Like [`open()`].
pub fn open_at_any_place<S, R>(
    mut source: S,
    as_stream: impl FnOnce(S) -> R,
) -> Result<LogReader<R>, LogError>
where
    S: ReadSeek + 'static,
    R: Read,
{
    // A pipe has no place, and goes from beginning to end.
    if source.stream_position().is_err() {
        return open(as_stream(source));
    }
    let mut head = Vec::new();
    let read = Read::take(&mut source, HEAD).read_to_end(&mut head);
    read.and_then(|_| source.seek(SeekFrom::Start(0)))
        .map_err(|error| log_error(&error, 0))?;
    let inner = match detect(&head) {
        Some(LogFormat::Mf4) => Inner::Mf4(Box::new(mf4::Reader::new(Box::new(source)))),
        Some(LogFormat::Sqlite) => Inner::Sqlite(Box::new(sqlite::Reader::new(Box::new(source)))),
        _ => return open(as_stream(source)),
    };
    Ok(LogReader {
        is_gzip: false,
        inner,
    })
}

/// The error of such a format where the bytes come one after the other.
pub(super) fn refusal(format: LogFormat) -> LogError {
    LogError {
        place: LogLocation::Offset(0),
        cause: InputCause::NotSeekable(format.read_at_any_place().unwrap_or_default()).into(),
    }
}
