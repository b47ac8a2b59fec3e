//! The files of a database: for their owner alone, locked, and on the medium.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::DatabaseError;

/// A file beside another one: its name with an ending.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}

/// Returns true if a name is reserved for the files of a database in the same folder.
pub(super) fn is_of(path: &Path, database: &Path) -> bool {
    let folder = |path: &Path| fs::canonicalize(parent(path)).ok();
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.as_encoded_bytes().to_vec())
    };
    let (Some(name), Some(own)) = (name(path), name(database)) else {
        return true;
    };
    name.starts_with(&own) && folder(path) == folder(database)
}

/// Returns true if both names are of one file.
#[cfg(unix)]
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let inode = |path: &Path| {
        let found = fs::symlink_metadata(path).ok()?;
        Some((found.dev(), found.ino()))
    };
    inode(one).is_some_and(|found| Some(found) == inode(other))
}

#[cfg(not(unix))]
pub(super) fn is_same(_: &Path, _: &Path) -> bool {
    false
}

/// The folder in which a file is.
fn parent(path: &Path) -> &Path {
    let parent = path.parent().filter(|one| !one.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Makes an empty file that only its owner may read, where there is none.
///
/// SQLite gives its log, its index of the log and its journal the permissions of the database.
pub(super) fn create_private(path: &Path) -> Result<(), DatabaseError> {
    let created = options().create_new(true).open(path);
    created
        .and_then(|_| sync_folder(path))
        .map_err(DatabaseError::file(path))
}

/// The same, unless there is one.
pub(super) fn create_if_missing(path: &Path) -> Result<(), DatabaseError> {
    match create_private(path) {
        Err(DatabaseError::File { error, .. }) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(())
        }
        other => other,
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

/// The endings of the files that SQLite and the lock have beside a database.
const ENDINGS: [&str; 4] = ["-wal", "-shm", "-journal", ".lock"];

/// Refuses links: a folder from elsewhere must not have files outside of it written.
pub(super) fn check_plain(path: &Path) -> Result<(), DatabaseError> {
    for ending in [""].iter().chain(&ENDINGS) {
        let path = beside(path, ending);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => {
                let error = io::Error::other("is no plain file; remove it");
                return Err(DatabaseError::file(&path)(error));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(DatabaseError::file(&path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a file that others may read or write.
pub(super) fn check_private(path: &Path) -> Result<(), DatabaseError> {
    let found = fs::symlink_metadata(path).map_err(DatabaseError::file(path))?;
    #[cfg(not(unix))]
    let _ = found;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = found.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let path = path.to_owned();
            return Err(DatabaseError::Exposed { path, mode });
        }
    }
    Ok(())
}

/// Keeps others from replacing a database while it is open.
pub(super) fn lock_shared(path: &Path) -> Result<File, DatabaseError> {
    let (file, name) = lock_file(path)?;
    file.try_lock_shared().map_err(locked(path, &name))?;
    Ok(file)
}

/// Takes a database for its replacement alone.
pub(super) fn lock_exclusive(path: &Path) -> Result<File, DatabaseError> {
    let (file, name) = lock_file(path)?;
    file.try_lock().map_err(locked(path, &name))?;
    Ok(file)
}

/// The lock is a file beside the database: SQLite has locks of its own on the database, which a
/// process loses when it closes the file a second time.
fn lock_file(path: &Path) -> Result<(File, PathBuf), DatabaseError> {
    let name = beside(path, ".lock");
    let file = options().create(true).truncate(false).open(&name);
    let file = file.map_err(DatabaseError::file(&name))?;
    Ok((file, name))
}

/// Keeps others from replacing a database that is read; without a lock where there is none and none
/// can be made.
pub(super) fn lock_to_read(path: &Path) -> Result<Option<File>, DatabaseError> {
    let name = beside(path, ".lock");
    let file = match File::open(&name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(DatabaseError::file(&name))?,
    };
    file.try_lock_shared().map_err(locked(path, &name))?;
    Ok(Some(file))
}

fn locked<'p>(path: &'p Path, name: &'p Path) -> impl Fn(TryLockError) -> DatabaseError + 'p {
    move |error| match error {
        TryLockError::WouldBlock => DatabaseError::InUse(path.to_owned()),
        TryLockError::Error(error) => DatabaseError::file(name)(error),
    }
}

/// Removes a file if it is there.
pub(super) fn remove(path: &Path) -> Result<(), DatabaseError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(DatabaseError::file(path)(error))
        }
        _ => Ok(()),
    }
}

/// Puts a complete file in its place: its bytes and its name are on the medium then.
pub(super) fn place(partial: &Path, target: &Path) -> Result<(), DatabaseError> {
    let synced = File::open(partial).and_then(|file| file.sync_all());
    synced.map_err(DatabaseError::file(partial))?;
    fs::rename(partial, target).map_err(DatabaseError::file(target))?;
    sync_folder(target).map_err(DatabaseError::file(target))
}

/// Has the names in the folder of a file written to the medium.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(parent(path))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
