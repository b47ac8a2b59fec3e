//! Files, in and out: read whole with an error that names them, written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use waywarden_can::Frame;
use waywarden_can_log::{LogError, LogReader};

use crate::exit::Failure;

/// The largest text file that is read (vehicle and board files): 16 MiB.
const TEXT_MAX: u64 = 16 << 20;

/// Reads a text file.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    let fail = |error: &io::Error| Failure::file(path.display(), error);
    let length = fs::metadata(path).map_err(|error| fail(&error))?.len();
    if length > TEXT_MAX {
        let path = path.display();
        return Err(Failure::new(format_args!(
            "{path}: {length} bytes; a file of this kind has at most {TEXT_MAX}"
        )));
    }
    fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => {
            Failure::new(format_args!("{}: not UTF-8 text", path.display()))
        }
        _ => fail(&error),
    })
}

/// Opens a bus log, plain or gzip, of any format.
pub(crate) fn log(path: &Path) -> Result<LogReader<BufReader<File>>, Failure> {
    let file = File::open(path).map_err(|error| Failure::file(path.display(), &error))?;
    waywarden_can_log::open(BufReader::new(file)).map_err(|error| log_fault(path, &error))
}

/// Names the log in an error of its reader.
pub(crate) fn log_fault(path: &Path, error: &LogError) -> Failure {
    Failure::new(format_args!("{}:{error}", path.display()))
}

/// Reads the frames of a log: channel, nanoseconds, frame. The first fault ends it.
pub(crate) fn log_frames(path: &Path) -> Result<Vec<(String, u64, Frame)>, Failure> {
    let mut reader = log(path)?;
    let mut frames = Vec::new();
    while let Some(record) = reader.next() {
        let record = record.map_err(|error| log_fault(path, &error))?;
        if let Some(frame) = record.entry.frame() {
            let channel = reader.channels().name(record.channel).to_owned();
            frames.push((channel, record.at_ns, *frame));
        }
    }
    Ok(frames)
}

/// A file that appears only when it is complete: written beside its place and renamed.
pub(crate) struct Output {
    target: PathBuf,
    partial: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl Output {
    /// Begins a file.
    pub(crate) fn create(target: &Path) -> Result<Self, Failure> {
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.partial", std::process::id()));
        let partial = target.with_file_name(name);
        let file =
            File::create(&partial).map_err(|error| Failure::file(target.display(), &error))?;
        let writer = Some(BufWriter::with_capacity(1 << 16, file));
        Ok(Output {
            target: target.to_owned(),
            partial,
            writer,
        })
    }

    /// Names the file in an error, for whoever knows the writer only.
    fn naming(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.target.display()))
    }

    /// Puts the complete file in its place.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let fail = |error: &io::Error| Failure::file(self.target.display(), error);
        let Some(mut writer) = self.writer.take() else {
            return Ok(());
        };
        let renamed = writer
            .flush()
            .and_then(|()| fs::rename(&self.partial, &self.target));
        renamed.map_err(|error| {
            let _ = fs::remove_file(&self.partial);
            fail(&error)
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.as_mut().map(|writer| writer.write(bytes));
        written
            .unwrap_or(Ok(bytes.len()))
            .map_err(|error| self.naming(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.writer.as_mut().map(Write::flush);
        flushed
            .unwrap_or(Ok(()))
            .map_err(|error| self.naming(&error))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            // Given up on the way: nothing half written stays. If even that fails, nobody can help.
            let _ = fs::remove_file(&self.partial);
        }
    }
}
