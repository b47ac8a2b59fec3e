//! The bytes of a data group or of signal data: blocks, lists of them, packed ones, as one stream.

use std::collections::VecDeque;
use std::io::{Read, Seek};

use super::block::{HEADER, Header};
use super::{Mf4Cause, fault};
use crate::bytes::{array_at, u8_at, u32_at, u64_at};
use crate::error::{LogError, LogLocation, Quote};
use crate::seekable::File;

/// The bytes of a block that are read at a time.
const CHUNK: usize = 64 * 1024;

/// Bytes in front of the packed ones.
const PACKED_HEADER: u64 = 24;

/// A stream of bytes that may lie in many blocks.
#[derive(Debug)]
pub(super) struct Data {
    /// The first block, to begin again.
    first: u64,
    /// Links of the list at hand that are not read yet.
    links: VecDeque<u64>,
    next_list: u64,
    /// The part of a plain block that is not read yet.
    plain: Option<(u64, u64)>,
    /// A packed block that is not unpacked yet: its header, the bytes that it states.
    packed: Option<(Header, u64)>,
    buffer: Vec<u8>,
    position: usize,
    /// Place of `position` in the stream.
    offset: u64,
    /// The block that was read last.
    block: u64,
    /// Blocks and bytes that may follow: more would be read twice.
    blocks_left: u64,
    bytes_left: u64,
    limits: Limits,
    scratch: Vec<u8>,
    ended: bool,
}

/// Limits of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The largest packed block, packed and unpacked.
    pub(super) block: u64,
    /// True if the last block goes on to the end of the file, because its length was not completed.
    pub(super) open_end: bool,
}

impl Data {
    pub(super) fn new<S: Read + Seek>(file: &File<S>, first: u64, limits: Limits) -> Self {
        Data {
            first,
            links: (first != 0).then_some(first).into_iter().collect(),
            next_list: 0,
            plain: None,
            packed: None,
            buffer: Vec::new(),
            position: 0,
            offset: 0,
            block: first,
            blocks_left: file.length() / HEADER + 1,
            bytes_left: file.length(),
            limits,
            scratch: Vec::new(),
            ended: false,
        }
    }

    /// Begins again.
    pub(super) fn rewind<S: Read + Seek>(&mut self, file: &File<S>) {
        *self = Data::new(file, self.first, self.limits);
    }

    /// Returns the place of the next byte.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the place of the next byte, for errors.
    pub(super) const fn place(&self) -> LogLocation {
        LogLocation::Unpacked {
            container: self.block,
            offset: self.offset,
        }
    }

    /// Returns so many bytes and steps over them; `None` at the end of the stream.
    ///
    /// # Errors
    /// [`Mf4Cause::Truncated`] where fewer are left, and faults of blocks.
    pub(super) fn take<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
        count: usize,
    ) -> Result<Option<&[u8]>, LogError> {
        while self.buffer.len() - self.position < count {
            if !self.refill(file)? {
                let left = self.buffer.len() - self.position;
                self.ended = true;
                return match left {
                    0 => Ok(None),
                    _ => Err(self.truncated()),
                };
            }
        }
        let from = self.position;
        self.position += count;
        self.offset += count as u64;
        Ok(Some(&self.buffer[from..self.position]))
    }

    /// Returns so many bytes that are certain to be in the buffer, without stepping over them.
    pub(super) fn peek<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
        count: usize,
    ) -> Result<&[u8], LogError> {
        while self.buffer.len() - self.position < count && self.refill(file)? {}
        let end = (self.position + count).min(self.buffer.len());
        Ok(&self.buffer[self.position..end])
    }

    /// Steps over so many bytes, without unpacking blocks that lie between.
    pub(super) fn skip<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
        mut count: u64,
    ) -> Result<(), LogError> {
        loop {
            let there = (self.buffer.len() - self.position) as u64;
            let step = count.min(there);
            self.position += step as usize;
            self.offset += step;
            count -= step;
            if count == 0 {
                return Ok(());
            }
            if let Some((at, left)) = self.plain {
                let step = count.min(left);
                self.plain = (left > step).then_some((at + step, left - step));
                self.offset += step;
                count -= step;
            } else if let Some((_, stated)) = self.packed.filter(|(_, stated)| *stated <= count) {
                self.packed = None;
                self.offset += stated;
                count -= stated;
            } else if !self.refill(file)? {
                self.ended = true;
                return Err(self.truncated());
            }
        }
    }

    fn truncated(&self) -> LogError {
        LogError {
            place: self.place(),
            cause: Mf4Cause::Truncated.into(),
        }
    }

    /// Brings further bytes into the buffer, or a block in front of it; false at the end.
    fn refill<S: Read + Seek>(&mut self, file: &mut File<S>) -> Result<bool, LogError> {
        if self.ended {
            return Ok(false);
        }
        if self.position > 0 && self.position == self.buffer.len() {
            self.buffer.clear();
            self.position = 0;
        } else if self.position >= CHUNK {
            self.buffer.drain(..self.position);
            self.position = 0;
        }
        let step = self.step(file);
        if step.is_err() {
            self.ended = true;
        }
        step
    }

    fn step<S: Read + Seek>(&mut self, file: &mut File<S>) -> Result<bool, LogError> {
        if let Some((at, left)) = self.plain {
            let count = left.min(CHUNK as u64);
            file.append(at, count as usize, &mut self.buffer)?;
            self.plain = (left > count).then_some((at + count, left - count));
            return Ok(true);
        }
        if let Some((header, stated)) = self.packed.take() {
            self.unpack(file, header, stated)?;
            return Ok(true);
        }
        if let Some(link) = self.links.pop_front() {
            self.open(file, link)?;
            return Ok(true);
        }
        match std::mem::take(&mut self.next_list) {
            0 => Ok(false),
            list => {
                self.open(file, list)?;
                Ok(true)
            }
        }
    }

    /// Looks at a block of the stream.
    fn open<S: Read + Seek>(&mut self, file: &mut File<S>, at: u64) -> Result<(), LogError> {
        if at == 0 {
            return Ok(());
        }
        let circle = || fault(at, Mf4Cause::Circle);
        self.blocks_left = self.blocks_left.checked_sub(1).ok_or_else(circle)?;
        let header = Header::read(file, at)?;
        self.block = at;
        match &header.kind {
            b"DT" | b"SD" | b"DV" => {
                let rest = file.length() - header.data_at().min(file.length());
                let is_last = self.links.is_empty() && self.next_list == 0;
                let length = match self.limits.open_end && is_last {
                    true => rest,
                    false => header.data_length(),
                };
                // A block that is cut short is read as far as it goes.
                let length = length.min(rest);
                self.bytes_left = self.bytes_left.checked_sub(length).ok_or_else(circle)?;
                self.plain = (length > 0).then_some((header.data_at(), length));
            }
            b"DZ" => self.open_packed(file, header)?,
            b"HL" => self.next_list = header.body(file, 0)?.link(0),
            b"DL" => {
                let list = header.body(file, 0)?;
                self.next_list = list.link(0);
                self.links.extend(list.links.iter().skip(1));
            }
            b"LD" => return Err(fault(at, super::columns())),
            other => {
                let (expected, found) = ("##DT, ##DZ, ##DL or ##HL", Quote::new(other));
                return Err(fault(at, Mf4Cause::Block { expected, found }));
            }
        }
        Ok(())
    }

    fn open_packed<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
        header: Header,
    ) -> Result<(), LogError> {
        let stated = u64_at(file.bytes(header.data_at(), PACKED_HEADER as usize)?, 8);
        let max = self.limits.block;
        if stated > max || header.length > max {
            let stated = stated.max(header.length);
            return Err(fault(header.at, Mf4Cause::PackedSize { stated, max }));
        }
        let circle = || fault(header.at, Mf4Cause::Circle);
        self.bytes_left = self
            .bytes_left
            .checked_sub(header.length)
            .ok_or_else(circle)?;
        self.packed = Some((header, stated));
        Ok(())
    }

    fn unpack<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
        header: Header,
        stated: u64,
    ) -> Result<(), LogError> {
        let at = header.data_at();
        let head: [u8; PACKED_HEADER as usize] =
            array_at(file.bytes(at, PACKED_HEADER as usize)?, 0);
        let length = u64_at(&head, 16).min(header.data_length().saturating_sub(PACKED_HEADER));
        self.scratch.clear();
        file.append(at + PACKED_HEADER, length as usize, &mut self.scratch)?;
        let from = self.buffer.len();
        let unpacked = flate2::read::ZlibDecoder::new(self.scratch.as_slice())
            .take(stated + 1)
            .read_to_end(&mut self.buffer);
        let found = (self.buffer.len() - from) as u64;
        let cause = match (unpacked, u8_at(&head, 2)) {
            (Err(_), _) => Mf4Cause::PackedData,
            (Ok(_), method @ 2..) => Mf4Cause::Compression(method),
            (Ok(_), _) if found != stated => Mf4Cause::PackedLength { stated, found },
            (Ok(_), 0) => return Ok(()),
            (Ok(_), _) => {
                self.scratch.clear();
                self.scratch.extend_from_slice(&self.buffer[from..]);
                transpose(
                    &self.scratch,
                    u32_at(&head, 4) as usize,
                    &mut self.buffer[from..],
                );
                return Ok(());
            }
        };
        self.buffer.truncate(from);
        Err(fault(header.at, cause))
    }
}

/// Turns columns back into rows of so many bytes; what is left behind them stays.
pub(super) fn transpose(columns: &[u8], width: usize, rows: &mut [u8]) {
    let Some(height) = columns
        .len()
        .checked_div(width)
        .filter(|height| *height > 1)
    else {
        return;
    };
    for (column, values) in columns.chunks_exact(height).take(width).enumerate() {
        for (row, value) in values.iter().enumerate() {
            rows[row * width + column] = *value;
        }
    }
}
