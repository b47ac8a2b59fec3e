//! The records of a PKI, in one SQLite file that survives a crash at any point.
//!
//! Each change is one transaction, on the medium before the call returns (write-ahead log,
//! `synchronous = FULL`). An answer and the certificates in it are one change: after a crash either
//! both are known or neither is, so no request is answered twice with different certificates.
//!
//! The files are for their owner alone from their first byte. Secrets are encrypted under a data
//! key that is wrapped as the authorities' keys are; see [`DataKey`].

mod batches;
mod consents;
mod copy;
mod error;
mod file;
mod issued;
mod read_only;
mod requests;
mod restored;
mod schema;
mod secrets;
mod stations;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Params, Row, Transaction, TransactionBehavior};

pub use batches::{Batch, BatchState};
pub use consents::Consent;
pub use copy::restore;
pub use error::DatabaseError;
pub use issued::{CertificatePurpose, IssuedCertificate, whole_seconds};
pub use requests::AnsweredRequest;
pub use secrets::{DataKey, SecretKind};
pub use stations::{StationRecord, Status};

/// The name of the database in the folder of a PKI.
pub const DATABASE: &str = "pki.sqlite";

/// Longest wait of a change for that of another process.
const BUSY_MAX: Duration = Duration::from_secs(10);

/// An open database.
pub struct Database {
    connection: Connection,
    path: PathBuf,
    is_read_only: bool,
    /// Held while the database is open, so that no other process replaces the file. None where no
    /// lock can be made.
    _lock: Option<File>,
}

impl Database {
    /// Opens the database at a path, or makes it: checked, and brought to the current schema.
    ///
    /// # Errors
    /// [`DatabaseError`]; nothing is changed then.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        file::check_plain(path)?;
        let lock = file::lock_shared(path)?;
        file::create_if_missing(path)?;
        file::check_private(path)?;
        let mut connection = connect(path)?;
        schema::prepare(&mut connection, path)?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            is_read_only: false,
            _lock: Some(lock),
        })
    }

    /// The same where the database can be written; where its folder is read-only it is opened to be
    /// read, and each change is refused.
    ///
    /// # Errors
    /// [`DatabaseError`]; nothing is changed then.
    pub fn open_to_read(path: &Path) -> Result<Self, DatabaseError> {
        match Self::open(path) {
            Err(error) if error.is_read_only() => {}
            other => return other,
        }
        file::check_plain(path)?;
        let lock = file::lock_to_read(path)?;
        file::check_private(path)?;
        let connection = read_only::connect(path)?;
        schema::check_current(&connection, path)?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            is_read_only: true,
            _lock: lock,
        })
    }

    /// Returns true if the database can only be read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Compares every index with its table and every reference with its target.
    ///
    /// # Errors
    /// [`DatabaseError::Damaged`] with the first fault.
    pub fn check(&self) -> Result<(), DatabaseError> {
        schema::check_whole(&self.connection, &self.path)
    }

    /// Runs a change as one transaction that no other writer interrupts.
    fn change<T>(
        &mut self,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, DatabaseError> {
        let path = &self.path;
        let failed = |error| DatabaseError::of(path, error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        let done = run(&transaction).map_err(|fault| match fault {
            Fault::Sqlite(error) => failed(error),
            Fault::Database(error) => error,
        })?;
        transaction.commit().map_err(failed)?;
        Ok(done)
    }

    /// Returns the rows that a query finds.
    fn rows<T>(
        &self,
        query: &str,
        parameters: impl Params,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, DatabaseError> {
        let run = || {
            let mut statement = self.connection.prepare_cached(query)?;
            let rows = statement.query_map(parameters, read)?;
            rows.collect::<rusqlite::Result<Vec<T>>>()
        };
        run().map_err(|error| DatabaseError::of(&self.path, error))
    }

    /// Returns the row that a query by a key finds.
    fn row<T>(
        &self,
        query: &str,
        parameters: impl Params,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, DatabaseError> {
        Ok(self.rows(query, parameters, read)?.pop())
    }
}

/// A failed change, before the file is named.
enum Fault {
    Sqlite(rusqlite::Error),
    Database(DatabaseError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<DatabaseError> for Fault {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error)
    }
}

/// Connects to a file that is there.
fn connect(path: &Path) -> Result<Connection, DatabaseError> {
    let failed = |error| DatabaseError::of(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    harden(&connection).map_err(failed)?;
    // A write-ahead log lets readers go on while a change is made; FULL puts each change on the
    // medium before it is acknowledged.
    let set = |name: &str, value: &str| connection.pragma_update(None, name, value);
    patiently(|| set("journal_mode", "WAL")).map_err(failed)?;
    set("synchronous", "FULL").map_err(failed)?;
    Ok(connection)
}

/// Waits for others where SQLite does not by itself, as when the first two processes to open a
/// database both begin its log.
fn patiently(run: impl Fn() -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match run() {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < BUSY_MAX =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}

/// Takes nothing on trust that a file from elsewhere brings: no code in its schema, no cells of a
/// wrong size. What is deleted is overwritten.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_MAX)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let set = |name: &str, value: &str| connection.pragma_update(None, name, value);
    set("cell_size_check", "ON")?;
    set("foreign_keys", "ON")?;
    set("secure_delete", "ON")
}
