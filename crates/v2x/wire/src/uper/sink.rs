//! Sinks for encoded bits: a count, or a slice.

use crate::error::EmitError;

/// Consumer of encoded bits.
pub trait UperSink {
    /// Takes the low `count` bits of a number, at most 64, the highest first.
    ///
    /// # Errors
    /// [`EmitError::NoRoom`].
    fn put(&mut self, number: u64, count: u32) -> Result<(), EmitError>;
}

/// Counts the bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct UperLength {
    bits: usize,
}

impl UperLength {
    /// Returns the number of bits.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }
}

impl UperSink for UperLength {
    fn put(&mut self, _: u64, count: u32) -> Result<(), EmitError> {
        self.bits += count as usize;
        Ok(())
    }
}

/// Fills a slice from its beginning; the rest is zero.
#[derive(Debug)]
pub struct UperSlice<'b> {
    room: &'b mut [u8],
    /// Filled part, in bits.
    used: usize,
}

impl<'b> UperSlice<'b> {
    /// Begins to fill `room`, which becomes zeros.
    #[must_use]
    pub fn new(room: &'b mut [u8]) -> Self {
        room.fill(0);
        Self { room, used: 0 }
    }
}

impl UperSink for UperSlice<'_> {
    fn put(&mut self, number: u64, count: u32) -> Result<(), EmitError> {
        let mut left = count;
        while left > 0 {
            let byte = self.room.get_mut(self.used / 8).ok_or(EmitError::NoRoom)?;
            let free = 8 - (self.used % 8) as u32;
            let taken = free.min(left);
            left -= taken;
            let part = number >> left & ((1 << taken) - 1);
            *byte |= (part << (free - taken)) as u8;
            self.used += taken as usize;
        }
        Ok(())
    }
}
