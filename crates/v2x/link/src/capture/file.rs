//! A file that ends with a whole block, whatever the disk does.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::pcapng::beginning;

/// Captures say where vehicles were: others than the file's group do not read them.
const MODE: u32 = 0o640;

/// A capture's file, and the blocks that wait to be written to it.
pub(super) struct CaptureFile {
    path: PathBuf,
    interface: String,
    file: File,
    /// Number of the file's bytes that are whole blocks.
    length: u64,
    /// True if part of a block may stand behind them.
    is_torn: bool,
    waiting: Vec<u8>,
    /// Length of each block in `waiting`, in bytes.
    blocks: VecDeque<usize>,
}

/// The result of a write.
pub(super) struct Progress {
    /// Number of frames that the write added to the file.
    pub(super) frames: u64,
    /// Number of bytes that no longer wait.
    pub(super) bytes: usize,
    /// Reason why not all of them were written.
    pub(super) fault: Option<io::Error>,
}

impl CaptureFile {
    /// Makes the file, which must not exist, and writes its beginning.
    pub(super) fn create(path: &Path, interface: &str) -> io::Result<Self> {
        let mut capture = Self {
            path: path.to_owned(),
            interface: interface.to_owned(),
            file: create(path)?,
            length: 0,
            is_torn: false,
            waiting: Vec::new(),
            blocks: VecDeque::new(),
        };
        if let Err(error) = capture.begin() {
            // It has no frame, and would keep the next try from making it.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(capture)
    }

    /// Adds the block of a frame to those that wait.
    pub(super) fn add(&mut self, block: &[u8]) {
        self.waiting.extend(block);
        self.blocks.push_back(block.len());
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Writes what waits. After a fault the file ends with the last block that it took whole, and
    /// the others wait.
    pub(super) fn write(&mut self) -> Progress {
        let mut progress = Progress {
            frames: 0,
            bytes: 0,
            fault: None,
        };
        if let Err(error) = self.prepare() {
            progress.fault = Some(error);
            return progress;
        }
        let (written, fault) = write(&mut self.file, &self.waiting);
        while let Some(block) = self.blocks.front().copied()
            && progress.bytes + block <= written
        {
            self.blocks.pop_front();
            progress.bytes += block;
            progress.frames += 1;
        }
        self.waiting.drain(..progress.bytes);
        self.length += progress.bytes as u64;
        if fault.is_some() {
            self.is_torn = true;
            // If this fails, too, the next write tries it first.
            let _ = self.mend();
        }
        progress.fault = fault;
        progress
    }

    /// Throws away what waits; returns how many frames.
    pub(super) fn abandon(&mut self) -> u64 {
        self.waiting.clear();
        let frames = self.blocks.len() as u64;
        self.blocks.clear();
        frames
    }

    fn begin(&mut self) -> io::Result<()> {
        let bytes = beginning(&self.interface);
        self.file.write_all(&bytes)?;
        self.length = bytes.len() as u64;
        Ok(())
    }

    /// Makes the file ready to go on: behind its last whole block, or from its beginning.
    fn prepare(&mut self) -> io::Result<()> {
        if self.file.metadata()?.nlink() == 0 {
            // What is written to a removed file is lost when it is closed.
            self.file = create(&self.path)?;
            self.length = 0;
            self.is_torn = false;
        }
        if self.is_torn {
            self.mend()?;
        }
        if self.length == 0 {
            self.is_torn = true;
            self.begin()?;
            self.is_torn = false;
        }
        Ok(())
    }

    /// Cuts the file behind its last whole block.
    fn mend(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.is_torn = false;
        Ok(())
    }
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(MODE).open(path)
}

/// Writes as much as goes; returns how much, and why not all.
fn write(file: &mut File, bytes: &[u8]) -> (usize, Option<io::Error>) {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match file.write(rest) {
            Ok(0) => return (written, Some(io::ErrorKind::WriteZero.into())),
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Some(error)),
        }
    }
    (written, None)
}
