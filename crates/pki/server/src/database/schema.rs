//! The tables, and how those of earlier versions become those of today.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::DatabaseError;

/// Marks a file as a database of this program: "WWPK".
const APPLICATION_ID: i32 = 0x5757_504B;

/// The version of the tables that this program reads and writes.
const VERSION: u32 = MIGRATIONS.len() as u32;

/// From each version to the next one, from an empty file on. What stands here never changes: files
/// of that version are in use.
const MIGRATIONS: [&str; 3] = [VERSION_1, VERSION_2, VERSION_3];

/// Times are Time32: seconds of TAI since 2004-01-01T00:00:00 UTC.
const VERSION_1: &str = "
CREATE TABLE station (
    id INTEGER PRIMARY KEY,
    canonical_id BLOB NOT NULL UNIQUE,
    public_key BLOB NOT NULL,
    profile TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'blocked')),
    registered INTEGER NOT NULL
) STRICT;
CREATE TABLE request (
    hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
    received INTEGER NOT NULL,
    response BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX request_received ON request (received);
CREATE TABLE issued (
    hashed_id_8 BLOB PRIMARY KEY CHECK (length(hashed_id_8) = 8),
    hashed_id_10 BLOB NOT NULL CHECK (length(hashed_id_10) = 10),
    issuer BLOB CHECK (length(issuer) = 8),
    kind TEXT NOT NULL,
    holder TEXT NOT NULL,
    station INTEGER REFERENCES station (id),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    certificate BLOB NOT NULL
) STRICT;
CREATE INDEX issued_station ON issued (station);
CREATE TABLE data_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    wrapped BLOB NOT NULL,
    proof BLOB NOT NULL
) STRICT;
CREATE TABLE secret (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name BLOB NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (kind, name)
) STRICT;
";

const VERSION_2: &str = "
CREATE TABLE batch (
    vehicle BLOB NOT NULL,
    i INTEGER NOT NULL,
    j INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('requested', 'issued', 'delivered')),
    response BLOB,
    PRIMARY KEY (vehicle, i, j)
) STRICT, WITHOUT ROWID;
CREATE TABLE consent (
    id INTEGER PRIMARY KEY,
    station INTEGER NOT NULL REFERENCES station (id),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL
) STRICT;
CREATE INDEX consent_station ON consent (station, end);
CREATE INDEX issued_hashed_id_10 ON issued (hashed_id_10);
";

/// `generated` and `until` are Time64: microseconds. An answer of before has the latest generation
/// time that its request may have: two seconds ahead of the end of the second of its reception.
const VERSION_3: &str = "
ALTER TABLE request ADD COLUMN generated INTEGER NOT NULL DEFAULT 0;
UPDATE request SET generated = (received + 3) * 1000000;
CREATE TABLE forgotten (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    until INTEGER NOT NULL
) STRICT;
CREATE TABLE restored (
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    last_secret INTEGER NOT NULL
) STRICT;
";

/// Checks a database, and brings its tables to the current version in one transaction.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), DatabaseError> {
    let failed = |error| DatabaseError::of(path, error);
    let version = {
        // One snapshot: another process may make the tables between two questions.
        let snapshot = connection.transaction().map_err(failed)?;
        let version = check_origin(&snapshot, path)?;
        check(&snapshot, path, "quick_check(1)")?;
        version
    };
    if version == VERSION {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have done it meanwhile.
    let version = check_origin(&transaction, path)?;
    for migration in MIGRATIONS.iter().skip(version as usize) {
        transaction.execute_batch(migration).map_err(failed)?;
    }
    let set = |name: &str, value: i64| transaction.pragma_update(None, name, value);
    set("application_id", i64::from(APPLICATION_ID)).map_err(failed)?;
    set("user_version", i64::from(VERSION)).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Checks a database that is only read: its tables must be of the current version.
pub(super) fn check_current(connection: &Connection, path: &Path) -> Result<(), DatabaseError> {
    let version = check_origin(connection, path)?;
    check(connection, path, "quick_check(1)")?;
    match version == VERSION {
        true => Ok(()),
        false => Err(DatabaseError::Older {
            path: path.to_owned(),
            version,
            known: VERSION,
        }),
    }
}

/// Checks that a database is of this program, or empty; returns its version.
pub(super) fn check_origin(connection: &Connection, path: &Path) -> Result<u32, DatabaseError> {
    let failed = |error| DatabaseError::of(path, error);
    let number = |name: &str| {
        let value = connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        value.map_err(failed)
    };
    let (id, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    match (id == i64::from(APPLICATION_ID), u32::try_from(version)) {
        (false, Ok(0)) if id == 0 && tables == 0 => Ok(0),
        (false, _) => Err(DatabaseError::Foreign(path.to_owned())),
        (true, Ok(version)) if version <= VERSION => Ok(version),
        (true, other) => Err(DatabaseError::Newer {
            path: path.to_owned(),
            version: other.unwrap_or(u32::MAX),
            known: VERSION,
        }),
    }
}

/// Compares every index with its table, and every reference with its target.
pub(super) fn check_whole(connection: &Connection, path: &Path) -> Result<(), DatabaseError> {
    check(connection, path, "integrity_check(1)")?;
    let failed = |error| DatabaseError::of(path, error);
    let mut statement = connection
        .prepare("PRAGMA foreign_key_check")
        .map_err(failed)?;
    let dangling = statement.exists([]).map_err(failed)?;
    match dangling {
        false => Ok(()),
        true => Err(DatabaseError::Damaged {
            path: path.to_owned(),
            why: "a row is of a station that is missing".to_owned(),
        }),
    }
}

fn check(connection: &Connection, path: &Path, pragma: &str) -> Result<(), DatabaseError> {
    let query = format!("PRAGMA {pragma}");
    let found: String = connection
        .query_row(&query, [], |row| row.get(0))
        .map_err(|error| DatabaseError::of(path, error))?;
    match found.as_str() {
        "ok" => Ok(()),
        _ => Err(DatabaseError::Damaged {
            path: path.to_owned(),
            why: found.lines().last().unwrap_or_default().to_owned(),
        }),
    }
}
