//! Files, in and out: read whole with an error that names them, written whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use waywarden_boards::{Board, BoardError};
#[cfg(unix)]
use waywarden_host::secret_file;
#[cfg(unix)]
pub use waywarden_input_files::files::refuse_pipes;
use waywarden_input_files::files::{self, open_plain};

use crate::answers;
use crate::exit::Failure;
use crate::messages;
use crate::places::{self, OutputDestination, Readers};
use crate::terminal::plain_lines;

/// The number of bytes at the beginning of a file that tell its kind, unless a comment stands
/// there.
pub const HEAD_MAX: usize = 4_096;

/// Reads a text file.
pub fn text(path: &Path) -> Result<String, Failure> {
    text_of_kind(path, |_| None)
}

/// Reads a text file of a certain kind: `other_kind` gets its bytes, of a file that is too long the
/// first ones, and returns the error for a file that is of another one.
pub fn text_of_kind(
    path: &Path,
    other_kind: impl FnOnce(&[u8]) -> Option<Failure>,
) -> Result<String, Failure> {
    let bytes = bytes_of_kind(path, files::TEXT_MAX, other_kind)?;
    Ok(files::utf_8(path, bytes)?)
}

/// Reads a file of at most `most` bytes.
pub fn bytes(path: &Path, most: usize) -> Result<Vec<u8>, Failure> {
    bytes_of_kind(path, most, |_| None)
}

/// Reads a file of at most `most` bytes and of a certain kind, as [`text_of_kind`] does.
pub fn bytes_of_kind(
    path: &Path,
    most: usize,
    other_kind: impl FnOnce(&[u8]) -> Option<Failure>,
) -> Result<Vec<u8>, Failure> {
    let bytes = files::beginning(path, most)?;
    // First of all: a log is neither too long nor no UTF-8 where no log is expected.
    if let Some(failure) = other_kind(&bytes) {
        return Err(failure);
    }
    files::check_length(path, &bytes, most)?;
    Ok(bytes)
}

/// Reads a board file.
pub fn board(path: &Path) -> Result<Board, Failure> {
    board_of_kind(path, |_| None)
}

/// Reads a board file, as [`text_of_kind`] does.
pub fn board_of_kind(
    path: &Path,
    other_kind: impl FnOnce(&[u8]) -> Option<Failure>,
) -> Result<Board, Failure> {
    let file = path.display().to_string();
    let board = Board::parse(&file, &text_of_kind(path, other_kind)?);
    // Its own name need not end as those of board files do.
    board.map_err(|error| Failure::new(BoardError { file, ..error }))
}

/// Opens a file, which no output may take the place of.
pub fn open(path: &Path) -> Result<File, Failure> {
    open_plain(path).map_err(|error| Failure::file(path.display(), &error))
}

/// Opens a file with a secret; refuses one that others can read or change, or that is another
/// user's. A terminal or other device keeps nothing, and is none.
#[cfg(unix)]
pub fn open_secret(path: &Path) -> Result<File, Failure> {
    let file = open(path)?;
    let metadata = file.metadata();
    let metadata = metadata.map_err(|error| Failure::file(path.display(), &error))?;
    if metadata.is_file() || metadata.file_type().is_fifo() {
        secret_file::judge(path, &metadata, None).map_err(Failure::new)?;
    }
    Ok(file)
}

/// Opens a file with a secret.
#[cfg(not(unix))]
pub fn open_secret(path: &Path) -> Result<File, Failure> {
    open(path)
}

/// Warns of a file with a secret that others can read or change, or that is another user's.
pub fn warn_if_open(path: &Path) {
    #[cfg(unix)]
    if let Ok(metadata) = path.metadata()
        && metadata.is_file()
        && let Err(error) = secret_file::judge(path, &metadata, None)
    {
        messages::warning(plain_lines(&error.to_string()));
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// A file that appears only when it is complete: written beside its place and renamed. Standard
/// output, pipes and devices get each byte as it comes.
pub struct OutputFile {
    /// As the user names it.
    name: PathBuf,
    /// The file that is written until the output is complete, and the file that it replaces then.
    whole: Option<(PathBuf, PathBuf)>,
    readers: Readers,
    writer: Option<BufWriter<Target>>,
}

/// The place that bytes go to.
enum Target {
    File(File),
    Stream(Box<dyn Write + Send>),
}

impl OutputFile {
    /// Begins a file; `-` is standard output.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        Self::create_for(path, Readers::Usual)
    }

    /// The same for what is signed or secret: a symbolic link to a file is refused, so that no
    /// other one than that of this name is replaced. `/dev/stdout` and its like are no such links.
    pub fn create_unlinked(path: &Path, readers: Readers) -> Result<Self, Failure> {
        places::check_unlinked(path)?;
        Self::create_for(path, readers)
    }

    fn create_for(path: &Path, readers: Readers) -> Result<Self, Failure> {
        let fail = |error: io::Error| Failure::file(path.display(), &error);
        let mut whole = None;
        let writer = match places::write(path)? {
            OutputDestination::Standard => Target::Stream(answers::out()),
            // Appending spares what the opener of a file wrote to it before.
            OutputDestination::Through(there) => {
                let opened = OpenOptions::new().append(true).open(there).map_err(fail)?;
                Target::Stream(Box::new(opened))
            }
            OutputDestination::Whole(target) => {
                let mut name = target.file_name().unwrap_or_default().to_os_string();
                name.push(format!(".{}.partial", std::process::id()));
                let partial = target.with_file_name(name);
                let file = places::create(&partial, readers).map_err(fail)?;
                whole = Some((partial, target));
                Target::File(file)
            }
        };
        Ok(OutputFile {
            name: path.to_owned(),
            whole,
            readers,
            writer: Some(BufWriter::with_capacity(1 << 16, writer)),
        })
    }

    /// Returns true for a file of its own, which can be sought in while it is written.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// Names the file in an error, for a caller that knows the writer only.
    fn naming(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.name.display()))
    }

    /// Replaces the first bytes, for a header that is known at the end; returns false for an output
    /// whose beginning is gone, as that of standard output.
    pub fn replace_start(&mut self, bytes: &[u8]) -> io::Result<bool> {
        self.flush()?;
        let Some((partial, _)) = &self.whole else {
            return Ok(false);
        };
        let written = OpenOptions::new()
            .write(true)
            .open(partial)
            .and_then(|mut file| file.write_all(bytes));
        written.map_err(|error| self.naming(&error))?;
        Ok(true)
    }

    /// Puts the complete file in its place, and returns once it and its name are on the medium.
    pub fn finish_durably(mut self) -> Result<(), Failure> {
        self.flush().map_err(Failure::writing)?;
        let target = match &self.whole {
            None => return self.finish(),
            Some((partial, target)) => {
                let synced = File::open(partial).and_then(|file| file.sync_all());
                synced.map_err(|error| Failure::file(self.name.display(), &error))?;
                target.clone()
            }
        };
        let name = self.name.clone();
        self.finish()?;
        let synced = places::sync_name(&target);
        synced.map_err(|error| Failure::file(name.display(), &error))
    }

    /// Puts the complete file in its place.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.flush().map_err(Failure::writing)?;
        self.writer = None;
        if let Some((partial, target)) = self.whole.take() {
            places::complete(&partial, &target, self.readers).map_err(|error| {
                places::give_up(&partial);
                Failure::file(self.name.display(), &error)
            })?;
        }
        Ok(())
    }
}

impl Write for OutputFile {
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

/// Works in a file of its own only: see [`OutputFile::is_whole`].
impl Seek for OutputFile {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        let sought = self.writer.as_mut().map(|writer| writer.seek(place));
        sought
            .unwrap_or(Err(io::ErrorKind::Unsupported.into()))
            .map_err(|error| self.naming(&error))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(file) => file.write(bytes),
            Target::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(file) => file.flush(),
            Target::Stream(stream) => stream.flush(),
        }
    }
}

impl Seek for Target {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        match self {
            Target::File(file) => file.seek(place),
            Target::Stream(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        self.writer = None;
        if let Some((partial, _)) = self.whole.take() {
            places::give_up(&partial);
        }
    }
}
