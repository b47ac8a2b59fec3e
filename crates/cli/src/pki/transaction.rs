//! Files of a PKI written together: all of them or none, whenever the process ends.
//!
//! A redo log. The new files are written and synchronised in `.staging`; renaming it to `.commit`
//! is the moment at which they count. Then each is moved to its place, and the index last. What
//! finds `.commit` moves the rest; what finds `.staging` removes it. Readers look at the index
//! alone, which names only files that are in their places.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::index::{INDEX, Index, KEYS};
use crate::exit::Failure;

const STAGING: &str = ".staging";
const COMMIT: &str = ".commit";

/// A file to be written.
pub(crate) struct NewFile {
    /// Below the folder of the PKI.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    /// Whether only the owner may read it.
    pub(crate) is_secret: bool,
}

/// Adds files to an existing PKI, whose folder is locked.
pub(crate) fn commit(folder: &Path, files: &[NewFile], index: &Index) -> Result<(), Failure> {
    let staging = folder.join(STAGING);
    let text = index.text()?;
    let done = stage(&staging, files, &text).and_then(|()| {
        fs::rename(&staging, folder.join(COMMIT))?;
        sync(folder)
    });
    if let Err(error) = done {
        let _ = fs::remove_dir_all(&staging);
        return Err(failed(folder, &error));
    }
    redo(folder).map_err(|error| failed(folder, &error))
}

/// Makes the folder of a new PKI, of which the parent is locked.
pub(crate) fn create(folder: &Path, files: &[NewFile], index: &Index) -> Result<(), Failure> {
    let partial = partial(folder);
    let text = index.text()?;
    let done = remove(&partial)
        .and_then(|()| stage(&partial, files, &text))
        .and_then(|()| {
            // The name of an empty folder may be taken, and that of no other.
            fs::rename(&partial, folder)?;
            sync(parent(folder))
        });
    done.map_err(|error| {
        let _ = fs::remove_dir_all(&partial);
        failed(folder, &error)
    })
}

/// Whether a process was ended between the moment at which files count and their moving.
pub(crate) fn is_interrupted(folder: &Path) -> bool {
    folder.join(COMMIT).exists()
}

/// Finishes, or undoes, what a process began that was ended.
pub(crate) fn recover(folder: &Path) -> Result<(), Failure> {
    remove(&folder.join(STAGING))
        .and_then(|()| redo(folder))
        .map_err(|error| failed(folder, &error))
}

/// Locks a folder against other processes of this program, until the file is dropped.
#[cfg(unix)]
pub(crate) fn lock(folder: &Path) -> Result<Option<File>, Failure> {
    let file = File::open(folder).and_then(|file| file.lock().map(|()| file));
    file.map(Some)
        .map_err(|error| Failure::file(folder.display(), &error))
}

/// Elsewhere folders cannot be locked: run one command at a time.
#[cfg(not(unix))]
pub(crate) fn lock(_: &Path) -> Result<Option<File>, Failure> {
    Ok(None)
}

/// The folder in which another is.
pub(crate) fn parent(folder: &Path) -> &Path {
    match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Where a new PKI is written until it is whole.
fn partial(folder: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(folder.file_name().unwrap_or_default());
    name.push(".partial");
    folder.with_file_name(name)
}

fn failed(folder: &Path, error: &io::Error) -> Failure {
    let folder = folder.display();
    Failure::new(format_args!(
        "{folder}: {error}; what was there before is there as it was"
    ))
}

/// Removes what another process left.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Writes files and an index into a new folder, to the medium.
fn stage(staging: &Path, files: &[NewFile], index: &str) -> io::Result<()> {
    remove(staging)?;
    fs::create_dir(staging)?;
    let mut folders = vec![staging.to_owned()];
    for file in files {
        let path = staging.join(&file.path);
        let folder = parent(&path).to_owned();
        if !folders.contains(&folder) {
            create_folder(&folder, file.is_secret)?;
            folders.extend(folder.parent().map(Path::to_owned));
            folders.push(folder);
        }
        write(&path, &file.bytes, file.is_secret)?;
    }
    write(&staging.join(INDEX), index.as_bytes(), false)?;
    folders.iter().try_for_each(|folder| sync(folder))
}

fn create_folder(folder: &Path, is_secret: bool) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if is_secret {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    #[cfg(not(unix))]
    let _ = is_secret;
    builder.create(folder)
}

fn write(path: &Path, bytes: &[u8], is_secret: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_secret {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = is_secret;
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Has the names in a folder written to the medium.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Moves what counts to its places, the index last.
fn redo(folder: &Path) -> io::Result<()> {
    let commit = folder.join(COMMIT);
    if !commit.exists() {
        return Ok(());
    }
    let mut files = Vec::new();
    list(&commit, &mut files)?;
    for file in files.iter().filter(|file| *file != &commit.join(INDEX)) {
        let below = file.strip_prefix(&commit).map_err(io::Error::other)?;
        let target = folder.join(below);
        let place = parent(&target);
        // The keys' folder is the only one that is closed to others.
        create_folder(place, below.starts_with(KEYS))?;
        fs::rename(file, &target)?;
        sync(place)?;
    }
    sync(folder)?;
    match fs::rename(commit.join(INDEX), folder.join(INDEX)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => sync(folder)?,
    }
    fs::remove_dir_all(&commit)
}

/// Lists the files below a folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => list(&entry.path(), files)?,
            false => files.push(entry.path()),
        }
    }
    Ok(())
}
