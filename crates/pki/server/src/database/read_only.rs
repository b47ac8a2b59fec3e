//! Connections to a database that cannot be written: on a read-only medium, or of another user.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::error::DatabaseError;
use super::{file, harden};

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Connects to a database to read it.
///
/// SQLite reads a database with a write-ahead log only where it can make the index of the log. If
/// all changes are in the database itself, it is read without one, as a file that does not change.
pub(super) fn connect(path: &Path) -> Result<Connection, DatabaseError> {
    let failed = |error| DatabaseError::of(path, error);
    match open(path, false).map_err(failed) {
        Err(error) if error.is_read_only() => {}
        other => return other,
    }
    let log = file::beside(path, "-wal").metadata();
    if log.is_ok_and(|log| log.len() > 0) {
        return Err(DatabaseError::PendingLog(path.to_owned()));
    }
    open(path, true).map_err(failed)
}

fn open(path: &Path, is_immutable: bool) -> rusqlite::Result<Connection> {
    let connection = match is_immutable {
        false => Connection::open_with_flags(path, FLAGS)?,
        true => Connection::open_with_flags(uri(path), FLAGS | OpenFlags::SQLITE_OPEN_URI)?,
    };
    harden(&connection)?;
    // The first question opens the log.
    connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))?;
    Ok(connection)
}

/// A path as SQLite reads it with parameters: each byte that may mean something is escaped.
fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}
