//! Bytes on their way in: unpacked, with lines counted and their length bounded.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;

/// The longest line, and the longest piece of markup, in bytes.
pub const LINE_MAX: usize = 1 << 20;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Unpacks what begins like a gzip file, and leaves the rest as it is.
///
/// # Errors
/// Of the reader.
pub fn decompressed<'a>(mut input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    match input.fill_buf()?.starts_with(&GZIP_MAGIC) {
        true => Ok(Box::new(BufReader::new(MultiGzDecoder::new(input)))),
        false => Ok(Box::new(input)),
    }
}

/// The fault that ended compressed data, and the line that it came in.
pub(crate) type CutOff = Rc<RefCell<Option<(u64, io::Error)>>>;

/// Ends where compressed data end early or are damaged, so that what came before can be read.
pub(crate) struct UpToCut<R> {
    inner: R,
    lines: u64,
    cut: CutOff,
}

impl<R: Read> UpToCut<R> {
    pub(crate) fn new(inner: R) -> (Self, CutOff) {
        let (lines, cut) = (0, CutOff::default());
        let own = Self {
            inner,
            lines,
            cut: Rc::clone(&cut),
        };
        (own, cut)
    }
}

impl<R: Read> Read for UpToCut<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        if self.cut.borrow().is_some() {
            return Ok(0);
        }
        match self.inner.read(buffer) {
            Ok(read) => {
                let read_bytes = buffer.get(..read).unwrap_or_default();
                self.lines += read_bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
                Ok(read)
            }
            Err(error) if matches!(error.kind(), UnexpectedEof | InvalidData | InvalidInput) => {
                self.cut.replace(Some((self.lines + 1, error)));
                Ok(0)
            }
            Err(error) => Err(error),
        }
    }
}

/// Counts lines, and refuses what takes more than [`LINE_MAX`] bytes without a pause.
pub(crate) struct Counted<R> {
    inner: R,
    lines: u64,
    taken: usize,
}

impl<R: BufRead> Counted<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self {
            inner,
            lines: 0,
            taken: 0,
        }
    }

    /// The line that is read, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.lines + 1
    }

    /// A piece begins.
    pub(crate) fn pause(&mut self) {
        self.taken = 0;
    }

    /// Reads a line without its end into `line`; returns whether there was one.
    pub(crate) fn read_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        self.pause();
        line.clear();
        let read = self.read_until(b'\n', line)?;
        while line.last().is_some_and(|end| b"\r\n".contains(end)) {
            line.pop();
        }
        Ok(read > 0)
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        buffer[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken > LINE_MAX {
            let why = format!("a piece of more than {LINE_MAX} bytes without an end");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        // What is consumed was filled: no error, and no new bytes.
        if let Ok(filled) = self.inner.fill_buf() {
            let consumed = &filled[..length.min(filled.len())];
            self.lines += consumed.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
        self.taken = self.taken.saturating_add(length);
        self.inner.consume(length);
    }
}
