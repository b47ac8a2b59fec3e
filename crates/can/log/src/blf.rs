//! Vector's BLF binary logs, read; [`Writer`] writes them.
//!
//! A file header (`LOGG`), then containers (`LOBJ` of type 10), whose content, plain or zlib and
//! joined, is a row of further objects that may lie across container borders. Read are CAN_MESSAGE,
//! CAN_MESSAGE2, CAN_FD_MESSAGE, CAN_FD_MESSAGE_64, CAN_ERROR, CAN_ERROR_EXT and CAN_FD_ERROR_64,
//! within containers and beside them; other objects are skipped and counted. There is no public
//! standard; `docs/log-formats.md` has the layout as used here.

use std::io::{self, Read};

use crate::error::{BlfCause, LogCause, LogError, LogLocation, Quote};
use crate::numbered::NumberedChannels;
use crate::record::{Channels, Record};

mod file;
mod object;
mod skipped;
mod write;

use crate::bytes::{u16_at, u32_at};
use file::File;
use skipped::Skipped;
pub use skipped::{TYPES_MAX, type_name};
pub use write::{FinishedLog, HEADER_SIZE, Writer};

/// The largest container, packed and unpacked, in bytes. Vector's writers stay at 128 KiB.
pub const CONTAINER_MAX: u32 = 8 << 20;

/// The largest object inside containers, in bytes.
pub const OBJECT_MAX: u32 = 4 << 20;

const OBJECT_MARK: &[u8] = b"LOBJ";

/// Mark, header size, header version, object size, object type.
const OBJECT_HEADER: u32 = 16;
const CONTAINER_HEADER: u32 = OBJECT_HEADER + 16;

/// Between objects lie up to this many bytes of padding; the rule differs by writer.
const PADDING_MAX: usize = 4;

const TYPE_CONTAINER: u32 = 10;

/// Reads a BLF file record by record.
///
/// A broken message is an error of its own and the caller may go on. So is a broken container or
/// object header: the log goes on at the next mark of an object.
#[derive(Debug)]
pub struct Reader<R> {
    file: File<R>,
    /// Unpacked bytes of the containers so far, from the object at `position` on.
    content: Vec<u8>,
    position: usize,
    /// Start of `content` in the joined content of all containers, in bytes.
    content_offset: u64,
    /// Start in the file of the container that was unpacked last, in bytes.
    container: u64,
    channels: NumberedChannels,
    start_ns: Option<u64>,
    skipped: Skipped,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Objects,
    Ended,
}

/// The frame of an object: its bytes start with a header of [`OBJECT_HEADER`] bytes.
struct ObjectHeader {
    size: u32,
    kind: u32,
}

impl<R: Read> Reader<R> {
    /// Makes a reader of a plain file; see [`crate::open()`] for gzip and unknown formats.
    pub fn new(input: R) -> Self {
        Reader {
            file: File::new(input),
            content: Vec::new(),
            position: 0,
            content_offset: 0,
            container: 0,
            channels: NumberedChannels::new(),
            start_ns: None,
            skipped: Skipped::default(),
            state: State::Start,
        }
    }

    /// Returns the channels seen so far: channel 1 as `can0`, 2 as `can1` and so on.
    #[must_use]
    pub fn channels(&self) -> &Channels {
        self.channels.channels()
    }

    /// Returns the start of the measurement in nanoseconds since the Unix epoch, where the header
    /// states a date; it is taken as UTC. Known once the first item has been read.
    #[must_use]
    pub fn start_ns(&self) -> Option<u64> {
        self.start_ns
    }

    /// Returns how many objects so far were no frames on the bus and so left out.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped.count()
    }

    /// Returns how many objects of which type so far were left out, by type: the first
    /// [`TYPES_MAX`] types that came. [`type_name`] has their names.
    #[must_use]
    pub fn skipped_types(&self) -> &[(u32, u64)] {
        self.skipped.types()
    }

    fn step(&mut self) -> Result<Option<Record>, LogError> {
        if self.state == State::Start {
            // Whatever happens in the header: reading it twice makes no sense.
            self.state = State::Ended;
            self.start_ns = self.file.header()?;
            self.state = State::Objects;
        }
        while self.state == State::Objects {
            if let Some(range) = self.next_object()? {
                let place = self.place(range.start);
                let bytes = &self.content[range];
                let comment = |bytes| object::comment(bytes).unwrap_or_default();
                let object = object::read(bytes, &mut self.channels);
                match object.map_err(|cause| blf_error(place, cause))? {
                    Some(record) => return Ok(Some(record)),
                    None if self.channels.read_note(comment(bytes)) => {}
                    None => self.skipped.add(u32_at(bytes, 12)),
                }
            } else if !self.refill().inspect_err(|error| self.end_after(error))? {
                self.state = State::Ended;
            }
        }
        Ok(None)
    }

    /// Returns where the next whole object of the content lies, and steps over it; `None` if more
    /// content is needed.
    fn next_object(&mut self) -> Result<Option<std::ops::Range<usize>>, LogError> {
        let rest = &self.content[self.position..];
        let Some(padding) = find_mark(rest) else {
            if rest.len() < PADDING_MAX + OBJECT_MARK.len() {
                return Ok(None);
            }
            let cause = BlfCause::ObjectMark(Quote::new(&rest[..8]));
            let error = blf_error(self.place(self.position), cause);
            self.skip_to_mark(1);
            return Err(error);
        };
        self.position += padding;
        let rest = &self.content[self.position..];
        if rest.len() < OBJECT_HEADER as usize {
            return Ok(None);
        }
        let header = match ObjectHeader::new(rest, OBJECT_HEADER, OBJECT_MAX) {
            Ok(header) => header,
            Err(cause) => {
                let error = blf_error(self.place(self.position), cause);
                self.skip_to_mark(OBJECT_MARK.len());
                return Err(error);
            }
        };
        if rest.len() < header.size as usize {
            return Ok(None);
        }
        let start = self.position;
        self.position += header.size as usize;
        Ok(Some(start..self.position))
    }

    /// Ends the log where the bytes do not arrive at all.
    fn end_after(&mut self, error: &LogError) {
        if matches!(error.cause, LogCause::Input(_)) {
            self.state = State::Ended;
        }
    }

    /// Skips `over` bytes and goes on to the next mark of an object, or to the possible beginning
    /// of one at the end of the content.
    fn skip_to_mark(&mut self, over: usize) {
        let from = (self.position + over).min(self.content.len());
        let marks = self.content[from..].windows(OBJECT_MARK.len());
        let found = marks.enumerate().find(|(_, bytes)| *bytes == OBJECT_MARK);
        let end = self.content.len().saturating_sub(OBJECT_MARK.len() - 1);
        self.position = found.map_or(end.max(from), |(at, _)| from + at);
    }

    /// Reads the file's next object: appends a container's content, or an object beside containers.
    /// Returns whether there was one.
    fn refill(&mut self) -> Result<bool, LogError> {
        self.content.drain(..self.position);
        self.content_offset += self.position as u64;
        self.position = 0;
        let Some((header, bytes)) = self.file.object_header()? else {
            self.state = State::Ended;
            return match self.content.iter().all(|&byte| byte == 0) {
                true => Ok(false),
                false => Err(self.cut_short()),
            };
        };
        let start = self.file.offset - u64::from(OBJECT_HEADER);
        let body = self
            .file
            .exactly(header.size - OBJECT_HEADER)
            .inspect_err(|_| self.state = State::Ended)?;
        self.container = start;
        if header.kind == TYPE_CONTAINER {
            return match unpack(&body, &mut self.content) {
                Ok(()) => Ok(true),
                Err(cause) => {
                    // The first half of an object in it is lost with the second.
                    self.content_offset += self.content.len() as u64;
                    self.content.clear();
                    Err(blf_error(LogLocation::Offset(start), cause))
                }
            };
        }
        // Between two containers there may be the first half of an object: another one would tear
        // it apart.
        let is_apart = self.content.iter().all(|&byte| byte == 0);
        match header.size <= OBJECT_MAX {
            true if is_apart => {
                self.content_offset += self.content.len() as u64;
                self.content.clear();
                self.content.extend(bytes);
                self.content.extend(body);
            }
            _ if object::is_frame(header.kind) => {
                let cause = BlfCause::WithinObject { kind: header.kind };
                return Err(blf_error(LogLocation::Offset(start), cause));
            }
            _ => self.skipped.add(header.kind),
        }
        Ok(true)
    }

    /// The error of a file that ends within the object at the start of the content.
    fn cut_short(&self) -> LogError {
        let there = self.content.len() as u64;
        let needed = match ObjectHeader::new(&self.content, OBJECT_HEADER, OBJECT_MAX) {
            Ok(header) if self.content.len() >= OBJECT_HEADER as usize => u64::from(header.size),
            _ => u64::from(OBJECT_HEADER),
        };
        let missing = needed.saturating_sub(there);
        blf_error(self.place(0), BlfCause::Truncated { missing })
    }

    fn place(&self, position: usize) -> LogLocation {
        LogLocation::Unpacked {
            container: self.container,
            offset: self.content_offset + position as u64,
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

impl ObjectHeader {
    /// Reads the header at the start of an object; the mark has been seen. A slice shorter than
    /// the header reads as zeros.
    fn new(object: &[u8], min: u32, max: u32) -> Result<Self, BlfCause> {
        let (size, kind) = (u32_at(object, 8), u32_at(object, 12));
        if !(min..=max).contains(&size) {
            return Err(BlfCause::ObjectSize {
                kind,
                size,
                min,
                max,
            });
        }
        Ok(ObjectHeader { size, kind })
    }
}

/// Appends the content of a container: method (u16), 6 bytes, unpacked size (u32), 4 bytes, data.
fn unpack(body: &[u8], content: &mut Vec<u8>) -> Result<(), BlfCause> {
    const HEADER: usize = (CONTAINER_HEADER - OBJECT_HEADER) as usize;
    let (method, stated) = (u16_at(body, 0), u32_at(body, 8));
    let data = body.get(HEADER..).unwrap_or_default();
    let before = content.len();
    match method {
        0 => content.extend_from_slice(data),
        2 if stated > CONTAINER_MAX => {
            return Err(BlfCause::ContainerSize {
                stated,
                max: CONTAINER_MAX,
            });
        }
        2 => {
            let bound = u64::from(stated) + 1;
            let result = flate2::read::ZlibDecoder::new(data)
                .take(bound)
                .read_to_end(content);
            result.map_err(|_: io::Error| BlfCause::ContainerData)?;
        }
        other => return Err(BlfCause::Compression(other)),
    }
    let found = (content.len() - before) as u32;
    match found == stated {
        true => Ok(()),
        false => Err(BlfCause::ContainerLength { stated, found }),
    }
}

/// Returns the place of the next object's mark, at most [`PADDING_MAX`] bytes on.
fn find_mark(bytes: &[u8]) -> Option<usize> {
    (0..=PADDING_MAX).find(|&padding| {
        bytes
            .get(padding..)
            .is_some_and(|rest| rest.starts_with(OBJECT_MARK))
    })
}

fn blf_error(place: LogLocation, cause: BlfCause) -> LogError {
    LogError {
        place,
        cause: LogCause::Blf(cause),
    }
}

#[cfg(test)]
mod tests;
