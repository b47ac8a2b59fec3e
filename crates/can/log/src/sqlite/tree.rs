//! The tree of pages of a table, leaf by leaf from the first row to the last.

use std::io::{Read, Seek};

use super::{SqliteCause, fault};
use crate::error::LogError;
use crate::seekable::File;

/// The most bytes of a row: one with a frame has some hundred.
pub(super) const ROW_MAX: u64 = 4096;

/// The most levels of a tree: four billion pages have fewer.
const LEVELS_MAX: usize = 24;

const INTERIOR: u8 = 5;
const LEAF: u8 = 13;

/// The pages of a database.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages {
    pub(super) size: usize,
    /// Bytes of a page without those that are reserved at its end.
    pub(super) usable: usize,
    pub(super) count: u32,
}

/// A table being read.
#[derive(Debug)]
pub(super) struct Table {
    pages: Pages,
    /// Children that are not read yet, by level.
    levels: Vec<std::vec::IntoIter<u32>>,
    /// The leaf at hand and the next cell in it.
    leaf: Vec<u8>,
    number: u32,
    cell: usize,
    cells: usize,
    left: u32,
}

/// A row: its number, and its bytes.
pub(super) struct Row<'a> {
    pub(super) number: u64,
    pub(super) bytes: std::borrow::Cow<'a, [u8]>,
}

impl Table {
    pub(super) fn new(pages: Pages, root: u32) -> Self {
        Table {
            pages,
            levels: vec![vec![root].into_iter()],
            leaf: Vec::new(),
            number: root,
            cell: 0,
            cells: 0,
            left: pages.count,
        }
    }

    /// Returns the place of the row read last, for errors.
    pub(super) fn place(&self) -> u64 {
        let page = u64::from(self.number.saturating_sub(1)) * self.pages.size as u64;
        let pointer = self.header() + 8 + 2 * self.cell.saturating_sub(1);
        page + big(&self.leaf, pointer, 2)
    }

    /// Returns the next row; a broken row is an error of its own.
    pub(super) fn next<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
    ) -> Option<Result<Row<'_>, LogError>> {
        while self.cell == self.cells {
            match self.next_leaf(file) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        let pointer = self.header() + 8 + 2 * self.cell;
        self.cell += 1;
        Some(self.row(file, big(&self.leaf, pointer, 2) as usize))
    }

    /// Returns the place of the page's header in it: the first page begins with that of the file.
    const fn header(&self) -> usize {
        if self.number == 1 { 100 } else { 0 }
    }

    /// Goes on to the next leaf; false at the end.
    fn next_leaf<S: Read + Seek>(&mut self, file: &mut File<S>) -> Result<bool, LogError> {
        (self.cell, self.cells) = (0, 0);
        loop {
            let Some(level) = self.levels.last_mut() else {
                return Ok(false);
            };
            let Some(page) = level.next() else {
                self.levels.pop();
                continue;
            };
            let at = u64::from(page.saturating_sub(1)) * self.pages.size as u64;
            let circle = || fault(at, SqliteCause::Circle);
            self.left = self.left.checked_sub(1).ok_or_else(circle)?;
            self.number = page;
            let mut leaf = std::mem::take(&mut self.leaf);
            leaf.clear();
            let read = self.pages.read(file, page, &mut leaf);
            self.leaf = leaf;
            read?;
            let header = self.header();
            let cells = big(&self.leaf, header + 3, 2) as usize;
            match self.leaf.get(header) {
                Some(&LEAF) => {
                    self.cells = cells.min(self.pages.size / 2);
                    return Ok(true);
                }
                Some(&INTERIOR) if self.levels.len() < LEVELS_MAX => {
                    let pointers = (0..cells.min(self.pages.size / 2)).map(|cell| {
                        let cell = big(&self.leaf, header + 12 + 2 * cell, 2) as usize;
                        big(&self.leaf, cell, 4) as u32
                    });
                    let last = big(&self.leaf, header + 8, 4) as u32;
                    let children: Vec<u32> = pointers.chain([last]).collect();
                    self.levels.push(children.into_iter());
                }
                Some(&INTERIOR) => return Err(circle()),
                kind => {
                    let kind = kind.copied().unwrap_or(0);
                    return Err(fault(at, SqliteCause::PageKind { page, kind }));
                }
            }
        }
    }

    /// Reads the row of a cell, with what of it lies on further pages.
    fn row<S: Read + Seek>(&self, file: &mut File<S>, cell: usize) -> Result<Row<'_>, LogError> {
        let at = self.place();
        let rest = self.leaf.get(cell..).unwrap_or_default();
        let parts = varint(rest).and_then(|(size, first)| {
            let (row, second) = varint(&rest[first..])?;
            Some((size, row, &rest[first + second..]))
        });
        let Some((size, number, rest)) = parts else {
            return Err(fault(at, SqliteCause::Row(0)));
        };
        if size > ROW_MAX {
            let (row, max) = (number, ROW_MAX);
            return Err(fault(at, SqliteCause::RowSize { row, size, max }));
        }
        let size = size as usize;
        let local = self.pages.local(size);
        let broken = || fault(at, SqliteCause::Row(number));
        let there = rest.get(..local).ok_or_else(broken)?;
        if local == size {
            return Ok(Row {
                number,
                bytes: there.into(),
            });
        }
        let mut bytes = there.to_vec();
        let mut next = big(rest, local, 4) as u32;
        // Each page has at least one byte, so that this ends.
        while bytes.len() < size {
            let mut page = Vec::new();
            self.pages.read(file, next, &mut page)?;
            next = big(&page, 0, 4) as u32;
            let part = page.get(4..self.pages.usable).unwrap_or_default();
            if part.is_empty() {
                return Err(broken());
            }
            bytes.extend_from_slice(&part[..part.len().min(size - bytes.len())]);
        }
        Ok(Row {
            number,
            bytes: bytes.into(),
        })
    }
}

impl Pages {
    /// Appends a page.
    fn read<S: Read + Seek>(
        &self,
        file: &mut File<S>,
        page: u32,
        bytes: &mut Vec<u8>,
    ) -> Result<(), LogError> {
        let pages = self.count;
        if page == 0 || page > pages {
            return Err(fault(0, SqliteCause::PageRange { page, pages }));
        }
        let at = u64::from(page - 1) * self.size as u64;
        bytes.extend_from_slice(file.bytes(at, self.size)?);
        Ok(())
    }

    /// Returns how many bytes of a row lie on the leaf itself, by the rule of the file format.
    const fn local(&self, size: usize) -> usize {
        let most = self.usable - 35;
        if size <= most {
            return size;
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let wanted = least + (size - least) % (self.usable - 4);
        if wanted <= most { wanted } else { least }
    }
}

/// Returns a big-endian number; bytes behind the end read as zero.
pub(super) fn big(bytes: &[u8], at: usize, count: usize) -> u64 {
    let byte = |index| u64::from(bytes.get(at + index).copied().unwrap_or(0));
    (0..count).fold(0, |number, index| number << 8 | byte(index))
}

/// Returns a number of one to nine bytes, and how many.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0;
    for (index, byte) in bytes.iter().take(9).enumerate() {
        if index == 8 {
            return Some((number << 8 | u64::from(*byte), 9));
        }
        number = number << 7 | u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some((number, index + 1));
        }
    }
    None
}
