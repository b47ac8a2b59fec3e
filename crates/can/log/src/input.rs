//! Bytes in: gzip found and unpacked on the way, text cut into bounded lines.
//!
//! Opens nothing; the caller hands in a reader. Memory stays bounded whatever comes.

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use memchr::memchr;

use crate::error::{InputCause, LineCause, LogError, LogLocation};

/// The longest line read, in bytes. A 64-byte CAN FD line of ASC stays under 500.
pub const LINE_MAX: usize = 4096;

/// The mark that editors put before UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Length of the beginning of a log by which its format is recognized, in bytes.
const HEAD: usize = 4096;

const BUFFER: usize = 64 * 1024;

type Raw<R> = BufReader<Counted<Chain<Cursor<Vec<u8>>, R>>>;

/// An input whose first bytes have been read ahead.
pub(crate) type Whole<R> = Chain<Cursor<Vec<u8>>, LogInput<R>>;

/// A log's bytes, unpacked if they came as gzip.
///
/// Where gzip data is broken or ends too soon, reading fails with an error the readers of this
/// crate turn into [`InputCause::GzipCorrupt`] or [`InputCause::GzipTruncated`] with its place.
#[derive(Debug)]
pub struct LogInput<R: Read> {
    source: BufReader<Source<R>>,
    /// A fault met while looking ahead, to be met again in its place.
    fault: Option<io::Error>,
}

#[derive(Debug)]
enum Source<R: Read> {
    Plain(Raw<R>),
    Gzip(Box<MultiGzDecoder<Raw<R>>>),
}

#[derive(Debug)]
struct Counted<R> {
    inner: R,
    count: u64,
}

/// An error of gzip, carried through [`io::Error`].
#[derive(Debug)]
struct GzipFault {
    offset: u64,
    cause: InputCause,
}

impl<R: Read> LogInput<R> {
    /// Looks at the first two bytes and unpacks if they are gzip's.
    ///
    /// # Errors
    /// [`InputCause::Read`] if the reader fails.
    pub fn new(mut reader: R) -> Result<Self, LogError> {
        let magic = read_up_to(&mut reader, 2).map_err(|error| log_error(&error, 0))?;
        let gzip = magic == [0x1F, 0x8B];
        let raw = BufReader::new(Counted {
            inner: Cursor::new(magic).chain(reader),
            count: 0,
        });
        let source = if gzip {
            Source::Gzip(Box::new(MultiGzDecoder::new(raw)))
        } else {
            Source::Plain(raw)
        };
        Ok(LogInput {
            source: BufReader::with_capacity(BUFFER, source),
            fault: None,
        })
    }

    /// Returns true if the bytes came as gzip.
    #[must_use]
    pub fn is_gzip(&self) -> bool {
        matches!(self.source.get_ref(), Source::Gzip(_))
    }

    /// Takes the first bytes to look at them, and gives them back in front of the rest: no more
    /// than `is_enough` asks for, because a pipe may not have more for long. A fault within them is
    /// left for the reader to meet in its place.
    pub(crate) fn with_head(mut self, is_enough: impl Fn(&[u8]) -> bool) -> (Vec<u8>, Whole<R>) {
        let mut head = Vec::with_capacity(HEAD);
        let mut chunk = [0; 512];
        while head.len() < HEAD && !is_enough(&head) {
            match self.source.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => head.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.fault = Some(error);
                    break;
                }
            }
        }
        (head.clone(), Cursor::new(head).chain(self))
    }

    /// Takes the fault met while looking ahead, if there was one.
    pub(crate) fn take_fault(&mut self) -> Option<LogError> {
        let fault = self.fault.take()?;
        Some(log_error(&fault, 0))
    }
}

impl<R: Read> Read for LogInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => self.source.read(buffer),
        }
    }
}

impl<R: Read> BufRead for LogInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => self.source.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        self.source.consume(amount);
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let decoder = match self {
            Source::Plain(raw) => return raw.read(buffer),
            Source::Gzip(decoder) => decoder,
        };
        decoder.read(buffer).map_err(|error| {
            let cause = match error.kind() {
                io::ErrorKind::Interrupted => return error,
                io::ErrorKind::UnexpectedEof => InputCause::GzipTruncated,
                io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => InputCause::GzipCorrupt,
                _ => return error,
            };
            let raw = decoder.get_ref();
            let offset = raw.get_ref().count - raw.buffer().len() as u64;
            io::Error::new(error.kind(), GzipFault { offset, cause })
        })
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count += n as u64;
        Ok(n)
    }
}

impl fmt::Display for GzipFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.cause)
    }
}

impl Error for GzipFault {}

/// Reads until `limit` bytes are there or the input ends.
fn read_up_to(reader: &mut impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(limit);
    reader.take(limit as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Turns a failed read into the error of log readers. `offset` is the reader's position.
pub(crate) fn log_error(error: &io::Error, offset: u64) -> LogError {
    match error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<GzipFault>())
    {
        Some(fault) => LogError {
            place: LogLocation::Offset(fault.offset),
            cause: fault.cause.clone().into(),
        },
        None => LogError {
            place: LogLocation::Offset(offset),
            cause: InputCause::Read(error.kind()).into(),
        },
    }
}

/// Cuts a text into lines of at most [`LINE_MAX`] bytes; one buffer serves all of them.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// The bytes so far of a line whose rest is not there yet, and its end mark.
    begun: Option<u64>,
    number: u64,
    /// Bytes of the line returned last that lie in the input's own buffer yet.
    lent: usize,
    offset: u64,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines {
            input,
            line: Vec::new(),
            begun: None,
            number: 0,
            lent: 0,
            offset: 0,
            ended: false,
        }
    }

    /// Returns the number of the line last returned, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next line without its end mark. A failed read ends the text, except one that
    /// would block, after which the next call goes on; a line that is too long is an error, and the
    /// next call goes on behind it.
    pub(crate) fn next(&mut self) -> Option<Result<&[u8], LogError>> {
        self.input.consume(std::mem::take(&mut self.lent));
        if self.ended {
            return None;
        }
        let (mut length, mut first) = match self.begun.take() {
            Some(length) => (length, None),
            None => {
                self.number += 1;
                match self.line_in_buffer() {
                    Ok(Some(end)) => return Some(Ok(self.lend(end))),
                    Ok(None) => (0, None),
                    Err(error) => (0, Some(error)),
                }
            }
        };
        if length == 0 {
            self.line.clear();
        }
        loop {
            let chunk = match first.take() {
                Some(error) => Err(error),
                None => self.input.fill_buf(),
            };
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    match error.kind() {
                        io::ErrorKind::WouldBlock => self.begun = Some(length),
                        _ => self.ended = true,
                    }
                    return Some(Err(log_error(&error, self.offset)));
                }
            };
            if chunk.is_empty() {
                self.ended = true;
                if length == 0 {
                    return None;
                }
                break;
            }
            let end = memchr(b'\n', chunk);
            let text = &chunk[..end.unwrap_or(chunk.len())];
            let room = (LINE_MAX + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&text[..text.len().min(room)]);
            let taken = text.len() + usize::from(end.is_some());
            self.input.consume(taken);
            self.offset += taken as u64;
            length += taken as u64;
            if end.is_some() {
                break;
            }
        }
        if self.line.len() > LINE_MAX {
            return Some(Err(LogError {
                place: LogLocation::Line(self.number),
                cause: LineCause::TooLong { max: LINE_MAX }.into(),
            }));
        }
        Some(Ok(unmarked(&self.line, self.number)))
    }

    /// Returns the length of the next line if the whole of it is in the input's buffer.
    fn line_in_buffer(&mut self) -> io::Result<Option<usize>> {
        let end = memchr(b'\n', self.input.fill_buf()?);
        Ok(end.filter(|end| *end <= LINE_MAX))
    }

    /// Returns the line of a length that lies in the input's buffer, without a copy of it.
    fn lend(&mut self, end: usize) -> &[u8] {
        self.lent = end + 1;
        self.offset += self.lent as u64;
        // The buffer is there, so that this reads nothing.
        let buffer = self.input.fill_buf().unwrap_or_default();
        unmarked(buffer.get(..end).unwrap_or_default(), self.number)
    }
}

/// Takes the mark of UTF-8 off the first line.
fn unmarked(line: &[u8], number: u64) -> &[u8] {
    let rest = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| number == 1);
    rest.unwrap_or(line)
}

#[cfg(test)]
mod tests;
