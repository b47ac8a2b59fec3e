//! Vector's BLF binary logs, read.
//!
//! A file header (`LOGG`), then containers (`LOBJ` of type 10), whose content, plain or zlib and
//! joined, is a row of further objects that may lie across container borders. Read are CAN_MESSAGE,
//! CAN_MESSAGE2, CAN_FD_MESSAGE, CAN_FD_MESSAGE_64, CAN_ERROR, CAN_ERROR_EXT and CAN_FD_ERROR_64,
//! within containers and beside them; other objects are skipped and counted. There is no public standard; `docs/log-formats.md` has
//! the layout as used here.

use std::io::{self, Read};

use crate::error::{BlfCause, Cause, LogError, Place, Quote};
use crate::input::log_error;
use crate::numbered::NumberedChannels;
use crate::record::{Channels, Record};
use crate::text::Date;

mod bytes;
mod object;
mod skipped;

use bytes::{u16_at, u32_at};
use skipped::Skipped;
pub use skipped::{TYPES_MAX, type_name};

/// The largest container, packed and unpacked, in bytes. Vector's writers stay at 128 KiB.
pub const CONTAINER_MAX: u32 = 8 << 20;

/// The largest object inside containers, in bytes.
pub const OBJECT_MAX: u32 = 4 << 20;

const FILE_MARK: &[u8] = b"LOGG";
const OBJECT_MARK: &[u8] = b"LOBJ";

/// The part of the file header that means something; writers pad it to 144.
const FILE_HEADER: u32 = 72;
const FILE_HEADER_MAX: u32 = 65_536;

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
    /// Where `content` starts in the joined content of all containers.
    content_offset: u64,
    /// Where in the file the container starts that was unpacked last.
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

/// The bytes of the file with the place in it.
#[derive(Debug)]
struct File<R> {
    input: R,
    offset: u64,
    /// The beginning of an object's header that has been read, shorter than a whole one or as long.
    ahead: Vec<u8>,
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
            file: File {
                input,
                offset: 0,
                ahead: Vec::new(),
            },
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
                let object = object::read(bytes, &mut self.channels);
                match object.map_err(|cause| blf_error(place, cause))? {
                    Some(record) => return Ok(Some(record)),
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
        if matches!(error.cause, Cause::Input(_)) {
            self.state = State::Ended;
        }
    }

    /// Steps over so many bytes and on to the next mark of an object, or to what may be its
    /// beginning at the end of the content.
    fn skip_to_mark(&mut self, over: usize) {
        let from = (self.position + over).min(self.content.len());
        let marks = self.content[from..].windows(OBJECT_MARK.len());
        let found = marks.enumerate().find(|(_, bytes)| *bytes == OBJECT_MARK);
        let end = self.content.len().saturating_sub(OBJECT_MARK.len() - 1);
        self.position = found.map_or(end.max(from), |(at, _)| from + at);
    }

    /// Reads the file's next object: a container's content is appended, and an object that stands
    /// beside containers. Returns whether there was one.
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
                    Err(blf_error(Place::Offset(start), cause))
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
                return Err(blf_error(Place::Offset(start), cause));
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

    fn place(&self, position: usize) -> Place {
        Place::Unpacked {
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

impl<R: Read> File<R> {
    /// Reads the file header and returns the start of the measurement.
    fn header(&mut self) -> Result<Option<u64>, LogError> {
        let at_start = |cause| blf_error(Place::Offset(0), cause);
        let short = |found: usize, needed: u32| BlfCause::HeaderTruncated {
            found: found as u64,
            needed: u64::from(needed),
        };
        let header = self.up_to(FILE_HEADER)?;
        if !header.starts_with(FILE_MARK) {
            return Err(at_start(BlfCause::FileMark));
        }
        if header.len() < FILE_HEADER as usize {
            return Err(at_start(short(header.len(), FILE_HEADER)));
        }
        let size = u32_at(&header, 4);
        if !(FILE_HEADER..=FILE_HEADER_MAX).contains(&size) {
            return Err(at_start(BlfCause::HeaderSize(size)));
        }
        let rest = self.up_to(size - FILE_HEADER)?;
        if rest.len() < (size - FILE_HEADER) as usize {
            return Err(at_start(short(header.len() + rest.len(), size)));
        }
        Ok(system_time(&header[40..56]))
    }

    /// Reads the header of the next object, over padding, with its bytes; `None` at the end of the
    /// file. After a fault the file goes on at the next mark.
    fn object_header(&mut self) -> Result<Option<(ObjectHeader, Vec<u8>)>, LogError> {
        let mut header = std::mem::take(&mut self.ahead);
        header.extend(self.up_to(OBJECT_HEADER - header.len() as u32)?);
        if header.iter().all(|&byte| byte == 0) && header.len() <= PADDING_MAX {
            return Ok(None);
        }
        let start = self.offset - header.len() as u64;
        let Some(padding) = find_mark(&header) else {
            let shown = &header[..header.len().min(8)];
            let cause = BlfCause::ObjectMark(Quote::new(shown));
            let error = blf_error(Place::Offset(start), cause);
            self.skip_to_mark(header)?;
            return Err(error);
        };
        header.drain(..padding);
        header.extend(self.up_to(padding as u32)?);
        let at = |cause| blf_error(Place::Offset(start + padding as u64), cause);
        if header.len() < OBJECT_HEADER as usize {
            let missing = u64::from(OBJECT_HEADER) - header.len() as u64;
            return Err(at(BlfCause::Truncated { missing }));
        }
        let min = match u32_at(&header, 12) {
            TYPE_CONTAINER => CONTAINER_HEADER,
            _ => OBJECT_HEADER,
        };
        match ObjectHeader::new(&header, min, CONTAINER_MAX) {
            Ok(read) => Ok(Some((read, header))),
            Err(cause) => {
                let behind_mark = header.split_off(OBJECT_MARK.len());
                self.skip_to_mark(behind_mark)?;
                Err(at(cause))
            }
        }
    }

    /// Reads on to the next mark of an object, which then lies ahead, or to the end.
    fn skip_to_mark(&mut self, mut bytes: Vec<u8>) -> Result<(), LogError> {
        loop {
            let marks = bytes.windows(OBJECT_MARK.len());
            if let Some(at) = marks.into_iter().position(|found| found == OBJECT_MARK) {
                self.ahead = bytes.split_off(at);
                return Ok(());
            }
            bytes.drain(..bytes.len().saturating_sub(OBJECT_MARK.len() - 1));
            // No more than a header at once: what is ahead is one's beginning.
            let more = self.up_to(OBJECT_HEADER - bytes.len() as u32)?;
            if more.is_empty() {
                return Ok(());
            }
            bytes.extend(more);
        }
    }

    /// Reads that many bytes.
    fn exactly(&mut self, size: u32) -> Result<Vec<u8>, LogError> {
        let bytes = self.up_to(size)?;
        match u64::from(size) - bytes.len() as u64 {
            0 => Ok(bytes),
            missing => Err(blf_error(
                Place::Offset(self.offset),
                BlfCause::Truncated { missing },
            )),
        }
    }

    /// Reads that many bytes or all there are. Memory grows with what arrives, not with `size`.
    fn up_to(&mut self, size: u32) -> Result<Vec<u8>, LogError> {
        let mut bytes = Vec::new();
        let result = self
            .input
            .by_ref()
            .take(u64::from(size))
            .read_to_end(&mut bytes);
        result.map_err(|error| log_error(&error, self.offset + bytes.len() as u64))?;
        self.offset += bytes.len() as u64;
        Ok(bytes)
    }
}

/// Appends what a container holds: method (u16), 6 bytes, unpacked size (u32), 4 bytes, data.
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

/// Reads a Windows SYSTEMTIME: year, month, day of the week, day, hour, minute, second and
/// millisecond, each a u16; all zero where there is none.
fn system_time(bytes: &[u8]) -> Option<u64> {
    let part = |index: usize| u64::from(u16_at(bytes, 2 * index));
    let millis = ((part(4) * 60 + part(5)) * 60 + part(6)) * 1000 + part(7);
    Date {
        year: part(0) as u16,
        month: part(1).try_into().ok()?,
        day: part(3).try_into().ok()?,
        nanos: millis * 1_000_000,
    }
    .unix_ns()
}

fn blf_error(place: Place, cause: BlfCause) -> LogError {
    LogError {
        place,
        cause: Cause::Blf(cause),
    }
}

#[cfg(test)]
mod tests;
