//! Blocks: the mark, the length, the links and the data of each.

use std::io::{Read, Seek};

use super::Mf4Cause;
use super::fault;
use crate::bytes::u64_at;
use crate::error::{LogError, Quote};
use crate::seekable::File;

/// Mark, reserved, length, number of links.
pub(super) const HEADER: u64 = 24;

/// The most links of one block that are read: a list of data blocks has one for each.
const LINKS_MAX: u64 = 1 << 16;

/// A block of description, as much of it as is read.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) links: Vec<u64>,
    pub(super) data: Vec<u8>,
}

/// The beginning of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) at: u64,
    /// The two letters behind `##`.
    pub(super) kind: [u8; 2],
    pub(super) length: u64,
    pub(super) links: u64,
}

impl Header {
    /// Reads the beginning of a block.
    pub(super) fn read<S: Read + Seek>(file: &mut File<S>, at: u64) -> Result<Self, LogError> {
        let length = file.length();
        if at < HEADER || at.checked_add(HEADER).is_none_or(|end| end > length) {
            return Err(fault(at.min(length), Mf4Cause::Link { link: at, length }));
        }
        let bytes = file.bytes(at, HEADER as usize)?;
        let &[b'#', b'#', first, second, ..] = bytes else {
            let found = Quote::new(&bytes[..4.min(bytes.len())]);
            let expected = "that starts with ##";
            return Err(fault(at, Mf4Cause::Block { expected, found }));
        };
        let header = Header {
            at,
            kind: [first, second],
            length: u64_at(bytes, 8),
            links: u64_at(bytes, 16),
        };
        let needed = header
            .links
            .checked_mul(8)
            .and_then(|links| links.checked_add(HEADER));
        // The length of a data block may be unknown in a file that was not completed.
        let is_data = matches!(&header.kind, b"DT" | b"SD" | b"DV" | b"RD");
        match needed.is_some_and(|needed| needed <= header.length) || (is_data && header.links == 0)
        {
            true => Ok(header),
            false => Err(fault(
                at,
                Mf4Cause::BlockSize {
                    kind: Quote::new(&header.kind),
                    length: header.length,
                    links: header.links,
                },
            )),
        }
    }

    /// Returns the place of the data behind the links.
    pub(super) const fn data_at(&self) -> u64 {
        self.at + HEADER + 8 * self.links
    }

    /// Returns the length of the data as stated.
    pub(super) const fn data_length(&self) -> u64 {
        self.length.saturating_sub(HEADER + 8 * self.links)
    }

    /// Reads the links and the first `most` bytes of data.
    pub(super) fn body<S: Read + Seek>(
        &self,
        file: &mut File<S>,
        most: usize,
    ) -> Result<Block, LogError> {
        if self.links > LINKS_MAX || self.data_at() > file.length() {
            let kind = Quote::new(&self.kind);
            let (length, links) = (self.length, self.links);
            return Err(fault(
                self.at,
                Mf4Cause::BlockSize {
                    kind,
                    length,
                    links,
                },
            ));
        }
        let mut bytes = Vec::new();
        file.append(self.at + HEADER, 8 * self.links as usize, &mut bytes)?;
        let links = bytes.chunks_exact(8).map(|link| u64_at(link, 0)).collect();
        let count = self.data_length().min(most as u64) as usize;
        let data = file.bytes(self.data_at(), count)?.to_vec();
        Ok(Block { links, data })
    }
}

impl Block {
    /// Returns a link, 0 for none.
    pub(super) fn link(&self, index: usize) -> u64 {
        self.links.get(index).copied().unwrap_or(0)
    }
}
