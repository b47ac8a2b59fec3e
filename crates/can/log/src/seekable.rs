//! Bytes of a file that is read at any place: its length, and a window over it.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use crate::error::LogError;
use crate::input::log_error;

/// Length of the window, in bytes.
const WINDOW: usize = 64 * 1024;

/// A source of bytes that can be read at any place, such as a file.
pub trait ReadSeek: Read + Seek + Send + Sync {}

impl<S: Read + Seek + Send + Sync> ReadSeek for S {}

/// A file that is read at any place.
pub(crate) struct File<S> {
    input: S,
    length: u64,
    window: Vec<u8>,
    start: u64,
}

impl<S: Read + Seek> File<S> {
    /// Finds the length of the file.
    pub(crate) fn new(mut input: S) -> Result<Self, LogError> {
        let length = input.seek(SeekFrom::End(0));
        Ok(File {
            length: length.map_err(|error| log_error(&error, 0))?,
            input,
            window: Vec::new(),
            start: 0,
        })
    }

    /// Returns the length of the file, in bytes.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Returns so many bytes of a place, fewer at the end of the file and at most [`WINDOW`].
    pub(crate) fn bytes(&mut self, at: u64, count: usize) -> Result<&[u8], LogError> {
        let count = count.min(WINDOW);
        let inside = at
            .checked_sub(self.start)
            .and_then(|from| usize::try_from(from).ok());
        let inside = inside.filter(|from| from + count <= self.window.len());
        let from = match inside {
            Some(from) => from,
            None => {
                let mut window = std::mem::take(&mut self.window);
                window.clear();
                self.append(at, WINDOW, &mut window)?;
                (self.window, self.start) = (window, at);
                0
            }
        };
        let end = (from + count).min(self.window.len());
        Ok(&self.window[from..end])
    }

    /// Appends so many bytes of a place, fewer at the end of the file; the window stays.
    pub(crate) fn append(
        &mut self,
        at: u64,
        count: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<(), LogError> {
        let left = self.length.saturating_sub(at).min(count as u64);
        let mut read = || -> io::Result<()> {
            self.input.seek(SeekFrom::Start(at))?;
            Read::take(&mut self.input, left).read_to_end(bytes)?;
            Ok(())
        };
        read().map_err(|error| log_error(&error, at))
    }
}

impl<S> fmt::Debug for File<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}
