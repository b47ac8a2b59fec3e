//! The bytes of a capture, in the byte order that its header tells.

use std::io::{self, Read};

use super::at;
use crate::error::{CaptureCause, LogError};
use crate::input::log_error;

/// The byte order of the machine that wrote a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

impl Endian {
    /// Returns a number at a place; bytes behind the end read as zero.
    pub(super) fn u16_at(self, bytes: &[u8], at: usize) -> u16 {
        let array = array_at(bytes, at);
        match self {
            Endian::Little => u16::from_le_bytes(array),
            Endian::Big => u16::from_be_bytes(array),
        }
    }

    pub(super) fn u32_at(self, bytes: &[u8], at: usize) -> u32 {
        let array = array_at(bytes, at);
        match self {
            Endian::Little => u32::from_le_bytes(array),
            Endian::Big => u32::from_be_bytes(array),
        }
    }

    pub(super) fn u64_at(self, bytes: &[u8], at: usize) -> u64 {
        let array = array_at(bytes, at);
        match self {
            Endian::Little => u64::from_le_bytes(array),
            Endian::Big => u64::from_be_bytes(array),
        }
    }
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    let there = bytes.get(at..).unwrap_or_default();
    let length = there.len().min(N);
    array[..length].copy_from_slice(&there[..length]);
    array
}

/// The input with the place in it.
#[derive(Debug)]
pub(super) struct Source<R> {
    input: R,
    pub(super) offset: u64,
}

impl<R: Read> Source<R> {
    pub(super) const fn new(input: R) -> Self {
        Source { input, offset: 0 }
    }

    /// Fills as much of a buffer as there is, and returns how much.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, LogError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.input.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => {
                    filled += n;
                    self.offset += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(log_error(&error, self.offset)),
            }
        }
        Ok(filled)
    }

    /// Fills a buffer that is part of something.
    pub(super) fn fill_all(
        &mut self,
        buffer: &mut [u8],
        what: &'static str,
    ) -> Result<(), LogError> {
        let start = self.offset;
        let missing = (buffer.len() - self.fill(buffer)?) as u64;
        match missing {
            0 => Ok(()),
            missing => Err(at(start, CaptureCause::Truncated { what, missing })),
        }
    }

    /// Steps over bytes.
    pub(super) fn skip(&mut self, mut count: u64, what: &'static str) -> Result<(), LogError> {
        let mut buffer = [0; 4096];
        while count > 0 {
            let part = count.min(buffer.len() as u64) as usize;
            self.fill_all(&mut buffer[..part], what)?;
            count -= part as u64;
        }
        Ok(())
    }
}
