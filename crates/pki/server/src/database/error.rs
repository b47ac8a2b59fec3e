//! Errors of the database.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

/// Remedy for a full medium.
const FREE_SPACE: &str = "; free some space there";

/// An error in opening, reading or changing the database.
#[derive(Debug)]
pub enum DatabaseError {
    /// The operating system refuses a file.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The file is no database of SQLite, or its first page is destroyed.
    NotADatabase(PathBuf),
    /// A database of another program.
    Foreign(PathBuf),
    /// A database of another PKI.
    OtherPki(PathBuf),
    /// The database has a newer schema than this program knows.
    Newer {
        /// Path of the file.
        path: PathBuf,
        /// The version of its schema.
        version: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// The database has an older schema, and cannot be written to bring it up to date.
    Older {
        /// The file.
        path: PathBuf,
        /// The version of its schema.
        version: u32,
        /// The version that this program reads.
        known: u32,
    },
    /// The database contradicts itself.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first fault.
        why: String,
    },
    /// Others than the owner may read or write the file.
    Exposed {
        /// The file.
        path: PathBuf,
        /// The permissions of the file.
        mode: u32,
    },
    /// Another process has the database open.
    InUse(PathBuf),
    /// Another process holds the database for longer than a change waits.
    Busy(PathBuf),
    /// A back-up would take the place of a file of the database itself.
    OwnFile(PathBuf),
    /// There are as many replaced databases, from this one on, as are kept.
    ManyReplaced(PathBuf),
    /// The database can only be read, and not without its log, which is not taken up yet.
    PendingLog(PathBuf),
    /// A certificate with this hash is recorded, and was not to be.
    AlreadyIssued(HashedId8),
    /// The request is answered.
    AlreadyAnswered,
    /// The request is from a time whose answers are forgotten.
    Forgotten,
    /// A station with this canonical identifier is registered.
    AlreadyRegistered(Vec<u8>),
    /// The station with this canonical identifier has the same public key.
    SameKey(Vec<u8>),
    /// No station with this canonical identifier is registered.
    UnknownStation(Vec<u8>),
    /// The pseudonym certificates of this vehicle, period and number are recorded.
    AlreadyInBatch,
    /// The passphrase is not that of the data key, or the key was changed.
    Passphrase(PathBuf),
    /// The data key is encrypted, and no passphrase is given.
    Encrypted(PathBuf),
    /// The data key cannot be made or written.
    DataKey(String),
    /// A secret does not decrypt: it was changed, or moved from another row.
    Secret(PathBuf),
    /// SQLite fails otherwise.
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Error of SQLite.
        error: rusqlite::Error,
    },
}

impl DatabaseError {
    pub(super) fn of(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotADatabase(path),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged {
                path,
                why: error.to_string(),
            },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(path),
            _ => Self::Sqlite { path, error },
        }
    }

    pub(super) fn file(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File {
            path: path.clone(),
            error,
        }
    }

    /// Returns true if a file or folder cannot be written, so that it may still be read.
    pub(super) fn is_read_only(&self) -> bool {
        match self {
            Self::File { error, .. } => matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ),
            Self::Sqlite { error, .. } => matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
            ),
            _ => false,
        }
    }

    /// Returns the text before the colon: the file, where the error is about one.
    fn path(&self) -> Option<&Path> {
        match self {
            Self::NotADatabase(path)
            | Self::Foreign(path)
            | Self::OtherPki(path)
            | Self::InUse(path)
            | Self::Busy(path)
            | Self::OwnFile(path)
            | Self::ManyReplaced(path)
            | Self::PendingLog(path)
            | Self::Passphrase(path)
            | Self::Encrypted(path)
            | Self::Secret(path)
            | Self::File { path, .. }
            | Self::Newer { path, .. }
            | Self::Older { path, .. }
            | Self::Damaged { path, .. }
            | Self::Exposed { path, .. }
            | Self::Sqlite { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path() {
            write!(f, "{}: ", path.display())?;
        }
        match self {
            Self::File { error, .. } => {
                let remedy = match error.kind() {
                    io::ErrorKind::StorageFull => FREE_SPACE,
                    _ => "",
                };
                write!(f, "{error}{remedy}")
            }
            Self::Sqlite { error, .. } => {
                let remedy = match error.sqlite_error_code() {
                    Some(ErrorCode::DiskFull) => FREE_SPACE,
                    _ => "",
                };
                write!(f, "{error}{remedy}")
            }
            Self::NotADatabase(_) => f.write_str(
                "no SQLite database, or its first page is destroyed; restore a back-up with \
                 `waywarden pki restore`",
            ),
            Self::Foreign(_) => f.write_str("a database of another program; move it elsewhere"),
            Self::OtherPki(_) => f.write_str(
                "a back-up of another PKI: it has not the root certificate of this one; give a \
                 back-up that `waywarden pki backup` made of this folder",
            ),
            Self::Newer { version, known, .. } => write!(
                f,
                "version {version} of the database; this program knows versions up to {known}"
            ),
            Self::Older { version, known, .. } => write!(
                f,
                "version {version} of the database, and this program reads version {known}; give \
                 the command once where the folder can be written"
            ),
            Self::Damaged { why, .. } => write!(
                f,
                "the database is damaged ({why}); restore a back-up with `waywarden pki restore`"
            ),
            Self::Exposed { mode, .. } => write!(
                f,
                "mode {mode:03o} lets others than the owner read or write it; consider what it \
                 has as known to them, and correct it with `chmod 600`"
            ),
            Self::InUse(_) => f.write_str("another process has it open; end that process first"),
            Self::Busy(_) => f.write_str("another process is changing it for too long; try again"),
            Self::OwnFile(_) => {
                f.write_str("is kept for the database itself; give the back-up another name")
            }
            Self::ManyReplaced(_) => f.write_str(
                "this one and 99 others are kept of earlier restores; move them elsewhere, or \
                 remove those that nothing needs",
            ),
            Self::PendingLog(_) => f.write_str(
                "cannot be written, and its last changes are in the log beside it (-wal); give the \
                 command once where the folder can be written, or on a copy of the folder",
            ),
            other => other.fmt_content(f),
        }
    }
}

impl DatabaseError {
    /// Writes an error in the records or in the secrets.
    fn fmt_content(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyIssued(id) => {
                write!(f, "the certificate {} is recorded already", digits(&id.0))
            }
            Self::AlreadyAnswered => f.write_str("the request is answered already"),
            Self::Forgotten => {
                f.write_str("the request is from a time whose answers are forgotten")
            }
            Self::AlreadyRegistered(id) => {
                write!(f, "the station {} is registered already", named(id))
            }
            Self::SameKey(id) => write!(
                f,
                "the station {} is registered with this public key; make a key pair for each \
                 station with `waywarden pki keygen`",
                named(id)
            ),
            Self::UnknownStation(id) => write!(
                f,
                "no station {} is registered; register it with `waywarden pki register`, or \
                 correct the identifier",
                named(id)
            ),
            Self::AlreadyInBatch => {
                f.write_str("the pseudonym certificates of this period are recorded already")
            }
            Self::Passphrase(_) => f.write_str(
                "the passphrase is not that of the secrets in it, or it was changed; give the \
                 passphrase of the PKI",
            ),
            Self::Encrypted(_) => f.write_str("its secrets are encrypted; give the passphrase"),
            Self::DataKey(why) => write!(f, "the data key cannot be made: {why}"),
            Self::Secret(_) => f.write_str(
                "a secret in it was changed or moved; restore a back-up with `waywarden pki \
                 restore`",
            ),
            // The file itself is told of before.
            _ => Ok(()),
        }
    }
}

impl std::error::Error for DatabaseError {}

/// A canonical identifier as people write it: text where it is text, else hexadecimal.
fn named(id: &[u8]) -> String {
    match std::str::from_utf8(id) {
        Ok(text) if !text.chars().any(char::is_control) => format!("{text:?}"),
        _ => digits(id),
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
