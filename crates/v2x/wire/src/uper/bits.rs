//! Bits that begin anywhere in a byte.

use core::fmt;

use super::{UperEncode, UperSink};
use crate::error::EmitError;

/// Returns `count` bits of the input as a number, at most 64; what is not there is zero.
#[inline]
pub(super) fn number_at(input: &[u8], mut at: usize, count: u32) -> u64 {
    let (mut number, mut left) = (0, count);
    while left > 0 {
        let byte = input.get(at / 8).copied().unwrap_or(0);
        let unread = 8 - (at % 8) as u32;
        let taken = unread.min(left);
        let part = u64::from(byte) >> (unread - taken) & ((1 << taken) - 1);
        number = number << taken | part;
        at += taken as usize;
        left -= taken;
    }
    number
}

/// Bits of the input.
#[derive(Clone, Copy, Default)]
pub struct Bits<'a> {
    input: &'a [u8],
    /// Place of the first bit.
    start: usize,
    /// Number of bits.
    length: usize,
}

impl<'a> Bits<'a> {
    /// Takes all bits of whole bytes.
    #[must_use]
    pub fn of(input: &'a [u8]) -> Self {
        Self::new(input, 0, input.len().saturating_mul(8))
    }

    pub(super) fn new(input: &'a [u8], start: usize, length: usize) -> Self {
        Self {
            input,
            start,
            length,
        }
    }

    pub(super) fn parts(&self) -> (&'a [u8], usize, usize) {
        (self.input, self.start, self.length)
    }

    /// Returns the first `length` bits; `None` if there are fewer.
    #[must_use]
    pub fn first(&self, length: usize) -> Option<Self> {
        (length <= self.length).then_some(Self { length, ..*self })
    }

    /// Returns the number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the bits in pieces of eight, the last one padded with zeros.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + use<'a> {
        let (input, start, end) = (self.input, self.start, self.start + self.length);
        (start..end).step_by(8).map(move |at| {
            let count = (end - at).min(8) as u32;
            (number_at(input, at, count) << (8 - count)) as u8
        })
    }
}

impl PartialEq for Bits<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length && self.bytes().eq(other.bytes())
    }
}

impl fmt::Debug for Bits<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bits ", self.length)?;
        let mut bytes = self.bytes();
        bytes.try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl UperEncode for Bits<'_> {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let mut left = self.length;
        for byte in self.bytes() {
            let count = left.min(8);
            sink.put(u64::from(byte >> (8 - count)), count as u32)?;
            left -= count;
        }
        Ok(())
    }
}
