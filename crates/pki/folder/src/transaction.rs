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

use super::index::{INDEX, Index, KEYS, STATIONS, TRUST};
use waywarden_command_line::exit::{Failure, remedy};

const STAGING: &str = ".staging";
const COMMIT: &str = ".commit";

/// The folders of a PKI in which files go.
const PLACES: [&str; 3] = [TRUST, STATIONS, KEYS];

/// A file to be written.
pub struct NewFile {
    /// Path below the folder of the PKI.
    pub path: PathBuf,
    /// Contents of the file.
    pub bytes: Zeroizing<Vec<u8>>,
    /// True if only the owner may read it.
    pub is_secret: bool,
}

/// Adds files to an existing PKI, whose folder is locked.
pub fn commit(folder: &Path, files: &[NewFile], index: &Index) -> Result<(), Failure> {
    let staging = folder.join(STAGING);
    let text = index.text()?;
    let done = check_targets(folder, files)
        .and_then(|()| stage(&staging, files, &text))
        .and_then(|()| fs::rename(&staging, folder.join(COMMIT)));
    if let Err(error) = done {
        let _ = fs::remove_dir_all(&staging);
        return Err(failed(folder, &error));
    }
    sync(folder).map_err(|error| undone(folder, &error))?;
    redo(folder)
}

/// Makes the folder of a new PKI, of which the parent is locked.
pub fn create(folder: &Path, files: &[NewFile], index: &Index) -> Result<(), Failure> {
    let text = index.text()?;
    let partial = partial(folder)?;
    let staging = partial.join(STAGING);
    let done = create_folder(&partial, false)
        .and_then(|()| stage(&staging, files, &text))
        // The name of an empty folder may be taken, and that of no other.
        .and_then(|()| fs::rename(&staging, folder));
    let _ = fs::remove_dir_all(&staging);
    let _ = fs::remove_dir(&partial);
    done.map_err(|error| failed(folder, &error))?;
    sync(parent(folder)).map_err(|error| {
        let folder = folder.display();
        Failure::new(format_args!(
            "{folder}: {error}; it is made, and a power failure may undo it"
        ))
    })
}

/// Returns true if a process was ended after the commit and before all files were moved.
pub fn is_interrupted(folder: &Path) -> bool {
    // A link counts, too, even one to nothing: it is refused and not passed over.
    fs::symlink_metadata(folder.join(COMMIT)).is_ok()
}

/// Finishes, or undoes, what a process began that was ended.
pub fn recover(folder: &Path) -> Result<(), Failure> {
    remove(&folder.join(STAGING)).map_err(|error| failed(folder, &error))?;
    redo(folder)
}

/// The folder in which another is.
pub fn parent(folder: &Path) -> &Path {
    match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The folder in which a new PKI is written until it is whole.
///
/// One that is there is taken only if it has nothing but what an earlier process began.
fn partial(folder: &Path) -> Result<PathBuf, Failure> {
    let partial = partial_name(folder);
    let kind = match fs::symlink_metadata(&partial) {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(partial),
        Err(error) => return Err(failed(&partial, &error)),
    };
    let is_begun =
        |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|one| one.file_name() == STAGING);
    let is_own =
        kind.is_dir() && fs::read_dir(&partial).is_ok_and(|mut entries| entries.all(is_begun));
    match is_own {
        true => Ok(partial),
        false => Err(Failure::new(format_args!(
            "{}: is in the way, and `waywarden pki init` did not make it: move it elsewhere",
            partial.display()
        ))),
    }
}

fn failed(folder: &Path, error: &io::Error) -> Failure {
    let folder = folder.display();
    Failure::new(format_args!(
        "{folder}: {error}{}; what was there before is there as it was",
        remedy(error)
    ))
}

/// Files count, and not all of them are in their places.
fn undone(folder: &Path, error: &io::Error) -> Failure {
    let folder = folder.display();
    Failure::new(format_args!(
        "{folder}: {error}{}; the change is decided: the next command finishes it once this is \
         corrected",
        remedy(error)
    ))
}

/// Names a place in an error.
fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
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
    create_folder(staging, false)?;
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

/// Others may read what is no secret, and only the owner may write, whatever the process's mask.
pub fn create_folder(folder: &Path, is_secret: bool) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(if is_secret { 0o700 } else { 0o755 });
    }
    #[cfg(not(unix))]
    let _ = is_secret;
    builder.create(folder)
}

fn write(path: &Path, bytes: &[u8], is_secret: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(if is_secret { 0o600 } else { 0o644 });
    }
    #[cfg(not(unix))]
    let _ = is_secret;
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Replaces a file by one rename. The folder is the caller's to have written to the medium.
pub fn replace(path: &Path, bytes: &[u8], is_secret: bool) -> io::Result<()> {
    let partial = partial_name(path);
    match fs::remove_file(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => write(&partial, bytes, is_secret)?,
    }
    fs::rename(&partial, path)
}

/// Returns the path of a file until it is complete.
pub fn partial_name(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".partial");
    path.with_file_name(name)
}

/// Has the names in a folder written to the medium.
#[cfg(unix)]
pub fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Moves what counts to its places, the index last.
///
/// The folder may be from elsewhere, so only what the new index lists is moved.
fn redo(folder: &Path) -> Result<(), Failure> {
    let commit = folder.join(COMMIT);
    if !is_interrupted(folder) {
        return Ok(());
    }
    let files = decided(&commit)?;
    for file in &files {
        place(folder, file).map_err(|error| undone(folder, &error))?;
    }
    finish(folder, &commit).map_err(|error| undone(folder, &error))
}

/// Lists the files of `.commit`, below it and without the index, if this program wrote them.
fn decided(commit: &Path) -> Result<Vec<PathBuf>, Failure> {
    let foreign = |path: &Path, why: &str| {
        let (path, commit) = (path.display(), commit.display());
        Failure::new(format_args!(
            "{path}: {why}; `waywarden pki` did not write it: remove {commit}"
        ))
    };
    let kind = |path: &Path| fs::symlink_metadata(path).map(|found| found.file_type());
    if !kind(commit).is_ok_and(|kind| kind.is_dir()) {
        return Err(foreign(commit, "is not a folder"));
    }
    let mut files = Vec::new();
    list(commit, &mut files).map_err(|error| Failure::file(commit.display(), &error))?;
    let index = commit.join(INDEX);
    // Once the index is in its place, only empty folders are left.
    let listed = match kind(&index) {
        Ok(kind) if kind.is_file() => Some(Index::read(commit)?),
        Ok(_) => return Err(foreign(&index, "is not a file")),
        Err(_) => None,
    };
    let mut below = Vec::new();
    for file in files.iter().filter(|file| **file != index) {
        let path = file.strip_prefix(commit).map_err(Failure::new)?;
        let is_listed = listed.as_ref().is_some_and(|index| index.lists(path));
        if !is_listed || !PLACES.iter().any(|place| path.starts_with(place)) {
            return Err(foreign(
                file,
                "is not a file that the index beside it lists",
            ));
        }
        if !kind(file).is_ok_and(|kind| kind.is_file()) {
            return Err(foreign(file, "is not a file"));
        }
        below.push(path.to_owned());
    }
    Ok(below)
}

/// Moves a file of `.commit` to its place.
fn place(folder: &Path, below: &Path) -> io::Result<()> {
    let target = folder.join(below);
    check_folders(folder, below)?;
    let place = parent(&target);
    // The keys' folder is the only one that is closed to others.
    create_folder(place, below.starts_with(KEYS)).map_err(|error| naming(place, &error))?;
    let moved = fs::rename(folder.join(COMMIT).join(below), &target);
    moved.map_err(|error| naming(&target, &error))?;
    sync(place)
}

/// Moves the index of `.commit` to its place, and removes the rest.
fn finish(folder: &Path, commit: &Path) -> io::Result<()> {
    sync(folder)?;
    match fs::rename(commit.join(INDEX), folder.join(INDEX)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => sync(folder)?,
    }
    fs::remove_dir_all(commit)
}

/// Checks before a change is decided that each file can be moved to its place.
fn check_targets(folder: &Path, files: &[NewFile]) -> io::Result<()> {
    for file in files {
        check_folders(folder, &file.path)?;
        let target = folder.join(&file.path);
        if fs::symlink_metadata(&target).is_ok() {
            let error = io::Error::from(io::ErrorKind::AlreadyExists);
            return Err(naming(&target, &error));
        }
        let mut above = target.ancestors().skip(1);
        if let Some(place) = above.find(|place| place.exists()) {
            check_writable(place).map_err(|error| naming(place, &error))?;
        }
    }
    check_writable(folder)
}

/// Checks that files can be made in a folder.
#[cfg(unix)]
fn check_writable(folder: &Path) -> io::Result<()> {
    use rustix::fs::{Access, access};
    Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?)
}

#[cfg(not(unix))]
fn check_writable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Checks that the folders in which a file goes are folders, and no links out of the PKI.
fn check_folders(folder: &Path, below: &Path) -> io::Result<()> {
    let mut above: Vec<&Path> = below.ancestors().skip(1).collect();
    // The last is the folder of the PKI, which the user named and which may be a link.
    above.pop();
    for place in above.iter().rev().map(|place| folder.join(place)) {
        match fs::symlink_metadata(&place) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                let error = io::Error::from(io::ErrorKind::NotADirectory);
                return Err(naming(&place, &error));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(naming(&place, &error)),
        }
    }
    Ok(())
}

/// Lists the files below a folder, and links as files.
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
