//! Permission to use a folder, checked without writing to it.

use std::io;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD};

/// Checks that a path is a folder in which this process may do what `access` says.
///
/// # Errors
/// That of the operating system; `NotADirectory` for another file.
pub fn check(path: &Path, access: Access) -> io::Result<()> {
    if !path.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    // With the effective user: the kernel asks for the real one otherwise.
    rustix::fs::accessat(CWD, path, access, AtFlags::EACCESS)?;
    Ok(())
}
