//! Record of the files that this process reads and writes: no output takes the place of an input or
//! of another output, and nothing half written is left when a signal ends the process.
//!
//! One record for the whole process: who opens a file cannot forget to say so. Files are
//! distinguished by device and inode, not by their paths, for links and `..` give one file many
//! paths.

use std::fs::{self, Metadata};
use std::io;
use std::mem;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::exit::Failure;
use crate::signals;

/// Maximum number of symbolic links that are followed from one to the next, as on Linux.
const LINKS_MAX: usize = 40;

static PLACES: Mutex<Places> = Mutex::new(Places {
    read: Vec::new(),
    written: Vec::new(),
    partial: Vec::new(),
});

struct Places {
    read: Vec<(Identity, PathBuf)>,
    written: Vec<(Identity, PathBuf)>,
    /// Files that disappear if the process ends before they are complete.
    partial: Vec<PathBuf>,
}

/// Identity of a file, the same for all its paths.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    Standard,
    #[cfg(unix)]
    Inode {
        device: u64,
        inode: u64,
    },
    /// A file that is not there yet, or any on a system without inodes: its path without links.
    Path(PathBuf),
}

/// Way in which an output is written.
#[derive(Debug, PartialEq, Eq)]
pub enum OutputDestination {
    /// To standard output.
    Standard,
    /// Into what stands there: a pipe or a device is no file that another can replace.
    Through(PathBuf),
    /// As a new file that replaces what stands at this path, links resolved.
    Whole(PathBuf),
}

/// Permission to read a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The rights that the umask leaves, or those of the file that it replaces.
    Usual,
    /// Its owner: what it has is secret.
    Owner,
}

/// Returns true if a path stands for standard output.
pub fn is_standard(path: &Path) -> bool {
    let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    names.iter().any(|name| path == Path::new(name))
}

/// Records that a file is read.
pub fn read(path: &Path, metadata: &Metadata) {
    if let Some(identity) = Identity::of(path, metadata) {
        record().read.push((identity, path.to_owned()));
    }
}

/// Refuses a symbolic link, unless it stands for what the process has open.
pub fn check_unlinked(path: &Path) -> Result<(), Failure> {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink());
    match is_link && !is_standard(path) && !is_opened(path) {
        false => Ok(()),
        true => Err(Failure::new(format_args!(
            "{}: is a symbolic link, and what it leads to is not replaced; give the name of a \
             file, or remove the link",
            path.display()
        ))),
    }
}

/// Returns true if a path is a link by name only: to open it is to get what the process has open.
fn is_opened(path: &Path) -> bool {
    let opened = ["/dev/fd", "/dev/stderr", "/proc"];
    opened.iter().any(|folder| path.starts_with(folder))
}

/// Records that a file is to be written and tells how; refuses one that is an input or another
/// output.
pub fn write(path: &Path) -> Result<OutputDestination, Failure> {
    let fail = |error: io::Error| Failure::file(path.display(), &error);
    let (destination, identity) = destination(path).map_err(fail)?;
    let Some(identity) = identity else {
        return Ok(destination);
    };
    let mut places = record();
    let same = |places: &[(Identity, PathBuf)]| {
        let one = places.iter().find(|(one, _)| *one == identity);
        one.map(|(_, path)| path.display().to_string())
    };
    let path = path.display();
    if let Some(input) = same(&places.read) {
        return Err(Failure::new(format_args!(
            "{path}: would take the place of the input {input}; give the output another name"
        )));
    }
    if let Some(output) = same(&places.written) {
        return Err(Failure::new(format_args!(
            "{path}: is the place of the output {output} too; give each a name of its own"
        )));
    }
    places
        .written
        .push((identity, PathBuf::from(path.to_string())));
    Ok(destination)
}

/// Creates a file that disappears if the process ends before it is [`complete`].
pub fn create(partial: &Path, readers: Readers) -> io::Result<fs::File> {
    remove_partial_files_on_a_signal();
    // A signal waits for the lock, so that no file escapes it.
    let mut places = record();
    let file = opened(partial, readers)?;
    places.partial.push(partial.to_owned());
    Ok(file)
}

/// Puts a complete file in its place.
pub fn complete(partial: &Path, target: &Path, readers: Readers) -> io::Result<()> {
    let mut places = record();
    if readers == Readers::Usual
        && let Ok(replaced) = fs::metadata(target)
    {
        fs::set_permissions(partial, replaced.permissions())?;
    }
    fs::rename(partial, target)?;
    places.partial.retain(|one| one != partial);
    Ok(())
}

/// Has the name of a file written to the medium.
#[cfg(unix)]
pub(crate) fn sync_name(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|one| !one.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Elsewhere folders cannot be opened.
#[cfg(not(unix))]
pub(crate) fn sync_name(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Opens a new file, or one of before, to write it from its begin on.
#[cfg(unix)]
fn opened(partial: &Path, readers: Readers) -> io::Result<fs::File> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    if readers == Readers::Usual {
        return options.open(partial);
    }
    let file = options.mode(0o600).open(partial)?;
    // A file that a killed process of the same number left has its mode.
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    Ok(file)
}

#[cfg(not(unix))]
fn opened(partial: &Path, _: Readers) -> io::Result<fs::File> {
    fs::File::create(partial)
}

/// Removes a file that will not be complete. If even that fails, the program can do no more.
pub fn give_up(partial: &Path) {
    let mut places = record();
    let _ = fs::remove_file(partial);
    places.partial.retain(|one| one != partial);
}

/// Forgets what was read and written, before another command in this process.
pub(crate) fn forget() {
    let mut places = record();
    places.read.clear();
    places.written.clear();
}

fn record() -> MutexGuard<'static, Places> {
    PLACES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Follows an output's links to where it is written.
fn destination(path: &Path) -> io::Result<(OutputDestination, Option<Identity>)> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        if is_standard(&path) {
            return Ok((OutputDestination::Standard, Some(Identity::Standard)));
        }
        let is_opened = is_opened(&path);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() && !is_opened => {
                path = path.with_file_name(fs::read_link(&path)?);
            }
            Ok(_) => {
                let metadata = fs::metadata(&path)?;
                let identity = Identity::of(&path, &metadata);
                let whole = metadata.is_file() && !is_opened;
                let destination = match whole {
                    true => OutputDestination::Whole(fs::canonicalize(&path)?),
                    false => OutputDestination::Through(path),
                };
                return Ok((destination, identity));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let target = new(&path)?;
                return Ok((
                    OutputDestination::Whole(target.clone()),
                    Some(Identity::Path(target)),
                ));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Returns the path, without links, of a file that is not there yet.
fn new(path: &Path) -> io::Result<PathBuf> {
    let Some(Component::Normal(name)) = path.components().next_back() else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Ok(fs::canonicalize(folder)?.join(name))
}

impl Identity {
    /// Tells a file's identity; terminals, `/dev/null` and their like may be used again and again.
    #[cfg(unix)]
    fn of(_path: &Path, metadata: &Metadata) -> Option<Identity> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        (!metadata.file_type().is_char_device()).then(|| Identity::Inode {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }

    #[cfg(not(unix))]
    fn of(path: &Path, _metadata: &Metadata) -> Option<Identity> {
        fs::canonicalize(path).ok().map(Identity::Path)
    }
}

/// Removes what is half written when a signal ends the process.
fn remove_partial_files_on_a_signal() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        signals::clean_up_with(|| {
            let places = record();
            for partial in &places.partial {
                let _ = fs::remove_file(partial);
            }
            // Until the end of the process, so that no other file is made meanwhile.
            mem::forget(places);
        });
    });
}
