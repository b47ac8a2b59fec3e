//! The bytes of a BLF file: its header, and the headers of objects one after the other.

use std::io::Read;

use super::{
    CONTAINER_HEADER, CONTAINER_MAX, OBJECT_HEADER, OBJECT_MARK, ObjectHeader, PADDING_MAX,
    TYPE_CONTAINER, blf_error, find_mark,
};
use crate::bytes::{u16_at, u32_at};
use crate::error::{BlfCause, LogError, LogLocation, Quote};
use crate::input::log_error;
use crate::text::Date;

const FILE_MARK: &[u8] = b"LOGG";

/// The part of the file header that means something; writers pad it to 144.
const FILE_HEADER: u32 = 72;
const FILE_HEADER_MAX: u32 = 65_536;

/// The bytes of the file with the place in it.
#[derive(Debug)]
pub(super) struct File<R> {
    input: R,
    pub(super) offset: u64,
    /// The beginning of an object's header that has been read, shorter than a whole one or as long.
    ahead: Vec<u8>,
}

impl<R: Read> File<R> {
    pub(super) fn new(input: R) -> Self {
        File {
            input,
            offset: 0,
            ahead: Vec::new(),
        }
    }

    /// Reads the file header and returns the start of the measurement.
    pub(super) fn header(&mut self) -> Result<Option<u64>, LogError> {
        let at_start = |cause| blf_error(LogLocation::Offset(0), cause);
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
    pub(super) fn object_header(&mut self) -> Result<Option<(ObjectHeader, Vec<u8>)>, LogError> {
        let mut header = std::mem::take(&mut self.ahead);
        header.extend(self.up_to(OBJECT_HEADER - header.len() as u32)?);
        if header.iter().all(|&byte| byte == 0) && header.len() <= PADDING_MAX {
            return Ok(None);
        }
        let start = self.offset - header.len() as u64;
        let Some(padding) = find_mark(&header) else {
            let shown = &header[..header.len().min(8)];
            let cause = BlfCause::ObjectMark(Quote::new(shown));
            let error = blf_error(LogLocation::Offset(start), cause);
            self.skip_to_mark(header)?;
            return Err(error);
        };
        header.drain(..padding);
        header.extend(self.up_to(padding as u32)?);
        let at = |cause| blf_error(LogLocation::Offset(start + padding as u64), cause);
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
    pub(super) fn exactly(&mut self, size: u32) -> Result<Vec<u8>, LogError> {
        let bytes = self.up_to(size)?;
        match u64::from(size) - bytes.len() as u64 {
            0 => Ok(bytes),
            missing => Err(blf_error(
                LogLocation::Offset(self.offset),
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
