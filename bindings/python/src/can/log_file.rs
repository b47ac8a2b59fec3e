//! A log as a file: opened in any format, its damage skipped and told.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use waywarden_can_log::damage::{Damage, Unskippable};
use waywarden_can_log::{Channels, LogFormat, LogReader, Record, open_at_any_place};
use waywarden_input_files::files::open_plain;

use super::file_object::FileObject;
use crate::error::Failure;

/// Bytes of a log.
enum Source {
    File(File),
    Object(FileObject),
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => file.read(buffer),
            Source::Object(object) => object.read(buffer),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Source::File(file) => file.seek(to),
            Source::Object(object) => object.seek(to),
        }
    }
}

/// A log being read.
pub(crate) struct LogFile {
    path: PathBuf,
    reader: LogReader<BufReader<Source>>,
    is_strict: bool,
    damage: Damage,
    shown: Vec<String>,
    records: u64,
}

impl LogFile {
    /// Opens a log, plain or gzip, of any format.
    pub(crate) fn open(path: &Path, is_strict: bool) -> Result<Self, Failure> {
        let failure = |why: &dyn std::fmt::Display| failure(path, why);
        let file = open_plain(path).map_err(|error| match path.is_dir() {
            true => failure(&"is a folder; name a log in it"),
            false => failure(&error),
        })?;
        Self::read(path, Source::File(file), is_strict)
    }

    /// Opens the log of a file object of Python; `path` names it in messages.
    pub(crate) fn of_object(
        path: &Path,
        object: FileObject,
        is_strict: bool,
    ) -> Result<Self, Failure> {
        Self::read(path, Source::Object(object), is_strict)
    }

    fn read(path: &Path, source: Source, is_strict: bool) -> Result<Self, Failure> {
        let is_file = matches!(source, Source::File(_));
        let as_stream = |source| BufReader::with_capacity(1 << 16, source);
        let reader = open_at_any_place(source, as_stream);
        let reader = reader.map_err(|error| {
            let message = format!("{}:{error}", path.display());
            Failure::new("LogError", message).place(error.place.to_string())
        })?;
        if is_file && reader.format() == LogFormat::Sqlite {
            check_whole(path)?;
        }
        Ok(LogFile {
            path: path.to_owned(),
            reader,
            is_strict,
            damage: Damage::default(),
            shown: Vec::new(),
            records: 0,
        })
    }

    /// Returns the next record; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, Failure> {
        loop {
            let error = match self.reader.next() {
                Some(Ok(record)) => {
                    self.records += 1;
                    return Ok(Some(record));
                }
                Some(Err(error)) => error,
                None => return Ok(None),
            };
            let line = format!("{}:{error}", self.path.display());
            let remedy = match self.damage.skip(&error, self.is_strict) {
                Ok(is_shown) => {
                    self.shown.extend(is_shown.then_some(line));
                    continue;
                }
                Err(Unskippable::Always) => {
                    "everything before it was read; to go on, correct the log there or cut it off"
                }
                Err(Unskippable::Strict) => {
                    "correct the log there, or skip what is damaged: strict=False"
                }
            };
            let failure = Failure::new("LogError", format_args!("{line} ({remedy})"));
            return Err(failure.place(error.place.to_string()).remedy(remedy));
        }
    }

    /// Returns the channels seen so far.
    pub(crate) fn channels(&self) -> &Channels {
        self.reader.channels()
    }

    /// Returns the date from which the records count, where the log has one in its header; known
    /// once the first record is read.
    pub(crate) fn start_ns(&self) -> Option<u64> {
        self.reader.start_ns()
    }

    /// Returns how many damaged lines, and how many events that are no frames, were skipped.
    pub(crate) fn skipped(&self) -> (u64, u64) {
        (self.damage.lines(), self.reader.skipped())
    }

    /// Returns true if nothing was in the log, neither read nor skipped.
    pub(crate) fn is_empty(&self) -> bool {
        self.records == 0 && self.skipped() == (0, 0)
    }

    /// Returns the name of the log with what is wrong with the record that was read last.
    pub(crate) fn fault(&self, why: impl std::fmt::Display) -> Failure {
        let path = self.path.display();
        let place = match self.reader.line() {
            Some(line) => format!("{line}"),
            None => format!("record {}", self.records),
        };
        Failure::new("LogError", format_args!("{path}:{place}: {why}")).place(place)
    }

    /// Returns an error about the log as a whole.
    pub(crate) fn about(&self, why: impl std::fmt::Display) -> Failure {
        failure(&self.path, &why)
    }

    /// Returns what was left out, one sentence each.
    ///
    /// # Errors
    /// For a log without a frame.
    pub(crate) fn remarks(&self) -> Result<Vec<String>, Failure> {
        let remarks = self.damage.remarks(&self.reader, self.records);
        let remarks = remarks.map_err(|why| self.about(why))?;
        let path = self.path.display();
        let said = remarks.iter().map(|one| format!("{path}: {}", one.text));
        Ok(self.shown.iter().cloned().chain(said).collect())
    }
}

/// Returns an error about a file as a whole.
pub(crate) fn failure(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::new("LogError", format_args!("{}: {why}", path.display()))
}

/// Warns of what was left out, by one warning of the interpreter's own kind.
pub(crate) fn warn(py: Python<'_>, remarks: &[String]) -> PyResult<()> {
    if remarks.is_empty() {
        return Ok(());
    }
    let category = py.get_type::<PyUserWarning>();
    let text = remarks.join("\n").replace('\0', "\u{FFFD}");
    PyErr::warn(py, &category, &std::ffi::CString::new(text)?, 1)
}

/// Refuses a database of which a part lies in a file beside it: its frames would be missing.
fn check_whole(path: &Path) -> Result<(), Failure> {
    for ending in ["-wal", "-journal"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(ending);
        let beside = Path::new(&beside);
        if beside.metadata().is_ok_and(|there| there.len() > 0) {
            let why = format!(
                "the database is open or was not closed: {} has changes that are not in it yet; \
                 close the program that writes it",
                beside.display()
            );
            return Err(failure(path, &why));
        }
    }
    Ok(())
}
