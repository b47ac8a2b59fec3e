//! Opening and reading: nothing in the place of a file makes a service wait, and each error names
//! the file.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
use waywarden_host::regular_file;

use crate::Problem;

/// The largest text file that is read (vehicle and board files, tables of frames): 16 MiB.
pub const TEXT_MAX: usize = 16 << 20;

/// True if pipes and devices are refused.
static REGULAR_ONLY: AtomicBool = AtomicBool::new(false);

/// Told of each file that is opened.
static OBSERVER: OnceLock<fn(&Path, &Metadata)> = OnceLock::new();

/// Has every file that is opened from now on be a regular one: a service never waits for the writer
/// of a pipe. One switch for the whole process: who opens a file cannot forget it.
#[cfg(unix)]
pub fn refuse_pipes() {
    REGULAR_ONLY.store(true, Ordering::Relaxed);
}

/// Has files of every kind be opened again: a command in a terminal reads from pipes.
pub fn accept_pipes() {
    REGULAR_ONLY.store(false, Ordering::Relaxed);
}

/// Has `observer` called with each file that is opened from now on. The first one stays.
pub fn observe(observer: fn(&Path, &Metadata)) {
    OBSERVER.get_or_init(|| observer);
}

#[cfg(unix)]
fn open_regular(path: &Path) -> io::Result<File> {
    regular_file::open(path)
}

/// Only a service asks for it, which other systems do not have.
#[cfg(not(unix))]
fn open_regular(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens a file, for a caller that tells by itself what is wrong.
///
/// # Errors
/// The error of the operating system; `IsADirectory` for a folder.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let file = match REGULAR_ONLY.load(Ordering::Relaxed) {
        true => open_regular(path)?,
        false => File::open(path)?,
    };
    let metadata = file.metadata()?;
    // Here and not at the first read, which names no file.
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if let Some(observer) = OBSERVER.get() {
        observer(path, &metadata);
    }
    Ok(file)
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// A file that cannot be read, or is longer.
pub fn bytes(path: &Path, most: usize) -> Result<Vec<u8>, Problem> {
    let bytes = beginning(path, most)?;
    check_length(path, &bytes, most)?;
    Ok(bytes)
}

/// Reads a text file of at most [`TEXT_MAX`] bytes.
///
/// # Errors
/// A file that cannot be read, is longer, or is not UTF-8.
pub fn text(path: &Path) -> Result<String, Problem> {
    utf_8(path, bytes(path, TEXT_MAX)?)
}

/// Reads a file up to one byte more than `most`, by which the caller sees that it is longer.
///
/// # Errors
/// A file that cannot be read.
pub fn beginning(path: &Path, most: usize) -> Result<Vec<u8>, Problem> {
    let failed = |error: io::Error| Problem::file(path.display(), &error);
    let mut bytes = Vec::new();
    // Read no further than the bound, for a device tells no length and may have no end.
    let file = open_plain(path).map_err(failed)?;
    let read = file.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(failed)?;
    Ok(bytes)
}

/// Refuses what [`beginning`] read of a file that is longer than `most` bytes.
///
/// # Errors
/// The file is longer.
pub fn check_length(path: &Path, bytes: &[u8], most: usize) -> Result<(), Problem> {
    let path = path.display();
    match bytes.len() > most {
        false => Ok(()),
        true => Err(Problem::new(
            "file-too-long",
            format_args!(
                "{path}: longer than {most} bytes, the most that a file of this kind may have"
            ),
        )
        .at(path)),
    }
}

/// Takes the bytes of a text file as text.
///
/// # Errors
/// They are not UTF-8.
pub fn utf_8(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let (bytes, at) = (error.as_bytes(), error.utf8_error().valid_up_to());
        let (before, wrong) = (&bytes[..at], bytes[at]);
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let path = path.display();
        Problem::new(
            "text-not-utf-8",
            format_args!(
                "{path}:{line}: byte 0x{wrong:02X} (number {at} of the file) is not UTF-8; save \
                 the file as UTF-8 text"
            ),
        )
        .at(format_args!("{path}:{line}"))
    })
}
