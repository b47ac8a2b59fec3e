//! The table of leap seconds from a file.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use waywarden_host::regular_file;
use waywarden_v2x_security::time::{FILE_BYTES_MAX, LeapSeconds, LeapSecondsError};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// Time before its expiry when a table is to be replaced, in microseconds: 60 days. The IERS
/// publishes the next one about five months before.
pub const NOTICE: u64 = 60 * 86_400 * 1_000_000;

/// An error in a file of leap seconds.
#[derive(Debug)]
pub enum LeapFileError {
    /// It cannot be read.
    Read(PathBuf, io::Error),
    /// Its contents are refused.
    Contents(PathBuf, LeapSecondsError),
}

impl fmt::Display for LeapFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(
                f,
                "{}: {error}; give the path of a leap-seconds.list that the service may read",
                path.display()
            ),
            Self::Contents(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for LeapFileError {}

/// Reads a file `leap-seconds.list`: at most 64 KiB.
///
/// # Errors
///
/// [`LeapFileError`] names the file, and the line.
pub fn load(path: &Path) -> Result<LeapSeconds, LeapFileError> {
    let mut bytes = Vec::new();
    let read = |file: File| {
        // One byte more shows that the file is too long.
        file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)
    };
    regular_file::open(path)
        .and_then(read)
        .map_err(|error| LeapFileError::Read(path.to_owned(), error))?;
    LeapSeconds::parse(&bytes).map_err(|error| LeapFileError::Contents(path.to_owned(), error))
}

/// Returns the expiry of a table of leap seconds, if that is in the next 60 days ([`NOTICE`]) or
/// was before `now`.
#[must_use]
pub fn expires_soon(leap_seconds: &LeapSeconds, now: Time64) -> Option<Time64> {
    let expiry = leap_seconds.from_unix(leap_seconds.expiry().saturating_mul(1_000_000))?;
    (now.0.saturating_add(NOTICE) >= expiry.0).then_some(expiry)
}
