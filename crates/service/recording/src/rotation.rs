//! A series of files, `PREFIX-000001.EXTENSION` and so on: the next one is made, old ones go.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::settings::{RecordFormat, RecordingSettings};
use super::{json_lines, mcap};

/// Most files of a series in a folder. A series with more is not written.
const LISTED_MAX: usize = 100_000;
/// Most numbers to try if another process takes them at the same time.
const TRIES: u64 = 100;
/// Least number of digits in a name.
const DIGITS: usize = 6;
/// Recordings say where vehicles were: others than the service's group do not read them.
const MODE: u32 = 0o640;
/// Number of leading bytes by which a recording is recognized.
const BEGINNING_BYTES: u64 = 64;

/// The files of one recording.
#[derive(Debug)]
pub(super) struct Series {
    directory: PathBuf,
    prefix: String,
    format: RecordFormat,
    /// Number of files kept beside the current one.
    older_max: usize,
    /// Number of bytes kept beside the current file.
    older_bytes_max: u64,
}

/// A file that was begun.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) path: PathBuf,
    /// Locked for as long as it is open, where the file system has locks.
    pub(super) file: File,
    /// Number of old files that were removed.
    pub(super) removed: u64,
}

/// A file of the series, older than the next one.
struct Older {
    number: u64,
    path: PathBuf,
    bytes: u64,
}

impl Series {
    pub(super) fn new(settings: &RecordingSettings) -> Self {
        Self {
            directory: settings.directory.clone(),
            prefix: settings.prefix.clone(),
            format: settings.format,
            older_max: settings.files_max.saturating_sub(1),
            older_bytes_max: settings
                .total_bytes_max
                .saturating_sub(settings.file_bytes_max),
        }
    }

    /// Returns the folder.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Removes the oldest files beyond what is kept, and makes the next one. Nothing is
    /// overwritten, and nothing is removed but recordings.
    pub(super) fn begin(&self) -> io::Result<Begun> {
        let older = self.list()?;
        let last = older.last().map_or(0, |file| file.number);
        let first = self.after(last)?;
        let removed = self.prune(&older);
        let (path, file) = self.create(first)?;
        // A file system without locks does without: the lock only keeps others from removing it.
        let _ = file.try_lock();
        Ok(Begun {
            path,
            file,
            removed,
        })
    }

    /// Returns the number after one, which has to be there for the series to go on.
    fn after(&self, number: u64) -> io::Result<u64> {
        number.checked_add(1).ok_or_else(|| {
            io::Error::other(format!(
                "{}: no number is left after this one; move it away",
                self.path(number).display()
            ))
        })
    }

    fn create(&self, first: u64) -> io::Result<(PathBuf, File)> {
        let mut number = first;
        loop {
            let path = self.path(number);
            let mut options = OpenOptions::new();
            match options.write(true).create_new(true).mode(MODE).open(&path) {
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && number - first < TRIES =>
                {
                    number = self.after(number)?;
                }
                file => return Ok((path, file?)),
            }
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        let (prefix, extension) = (&self.prefix, self.format.extension());
        let name = format!("{prefix}-{number:0DIGITS$}.{extension}");
        self.directory.join(name)
    }

    /// Lists the files with names of the series, the oldest first.
    fn list(&self) -> io::Result<Vec<Older>> {
        let mut older = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let Some(number) = entry
                .file_name()
                .to_str()
                .and_then(|name| self.number(name))
            else {
                continue;
            };
            if older.len() == LISTED_MAX {
                return Err(io::Error::other(format!(
                    "the folder has more than {LISTED_MAX} recordings; move some away"
                )));
            }
            let path = entry.path();
            // Another process may have removed it since.
            let bytes = path.symlink_metadata().map_or(0, |meta| meta.len());
            older.push(Older {
                number,
                path,
                bytes,
            });
        }
        older.sort_unstable_by_key(|file| file.number);
        Ok(older)
    }

    fn number(&self, name: &str) -> Option<u64> {
        let rest = name.strip_prefix(&self.prefix)?.strip_prefix('-')?;
        let digits = rest
            .strip_suffix(self.format.extension())?
            .strip_suffix('.')?;
        let is_number =
            digits.len() >= DIGITS && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    }

    /// Removes files beyond what is kept. Returns how many.
    fn prune(&self, older: &[Older]) -> u64 {
        let (mut kept, mut kept_bytes, mut removed) = (0_usize, 0_u64, 0);
        for file in older.iter().rev() {
            kept += 1;
            kept_bytes = kept_bytes.saturating_add(file.bytes);
            if kept <= self.older_max && kept_bytes <= self.older_bytes_max {
                continue;
            }
            match self.remove(&file.path) {
                Ok(true) => removed += 1,
                Ok(false) => {}
                Err(error) => tracing::warn!(
                    file = %file.path.display(),
                    cause = %error,
                    "an old recording cannot be removed"
                ),
            }
        }
        removed
    }

    /// Removes a file if it is a recording that no process writes. Returns whether it was.
    fn remove(&self, path: &Path) -> io::Result<bool> {
        // A link or a device is not ours, whatever it leads to.
        if !path.symlink_metadata()?.is_file() {
            return Ok(false);
        }
        let mut file = File::open(path)?;
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return Ok(false);
        }
        let mut beginning = Vec::new();
        Read::by_ref(&mut file)
            .take(BEGINNING_BYTES)
            .read_to_end(&mut beginning)?;
        let is_recording = match self.format {
            RecordFormat::JsonLines => beginning.starts_with(json_lines::BEGINNING),
            RecordFormat::Mcap => mcap::is_beginning(&beginning),
        };
        // An empty file is one that a killed service had begun.
        if !is_recording && !beginning.is_empty() {
            return Ok(false);
        }
        fs::remove_file(path).map(|()| true)
    }
}
