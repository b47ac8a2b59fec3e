//! Payloads longer than a frame: [`raw`] cuts them up and sends nothing else. [`iso_tp`] sends
//! their length, numbers the parts and lets the receiver control the flow.
//!
//! Both make and take data fields; which identifier and frame format they travel under is the
//! caller's choice.

pub mod iso_tp;
pub mod raw;

use core::fmt;
use core::ops::Deref;

use crate::frame::{DATA_MAX, FD_LENGTHS};

/// Maximum number of data bytes in a frame of the link: 8, or an FD length up to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameCapacity(u8);

/// Error for a number that is no frame capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameCapacityError {
    /// The number of bytes given.
    pub bytes: usize,
}

/// The data field of one frame: 0 to 64 bytes, always of a length that a frame can have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DataField {
    bytes: [u8; DATA_MAX],
    len: u8,
}

impl FrameCapacity {
    /// 8 bytes: any classic frame.
    pub const CLASSIC: FrameCapacity = FrameCapacity(8);
    /// 64 bytes: the longest FD frame.
    pub const FD: FrameCapacity = FrameCapacity(64);

    /// Makes a capacity.
    ///
    /// # Errors
    /// [`FrameCapacityError`] unless `bytes` is 8, 12, 16, 20, 24, 32, 48 or 64.
    pub const fn new(bytes: usize) -> Result<Self, FrameCapacityError> {
        match bytes {
            8 | 12 | 16 | 20 | 24 | 32 | 48 | 64 => Ok(FrameCapacity(bytes as u8)),
            _ => Err(FrameCapacityError { bytes }),
        }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.0 as usize
    }
}

impl DataField {
    /// A data field without bytes.
    const EMPTY: DataField = DataField {
        bytes: [0; DATA_MAX],
        len: 0,
    };

    /// Adds bytes; those beyond the 64th are left out. Callers cut before.
    fn extend(&mut self, bytes: &[u8]) {
        let start = self.len as usize;
        let end = DATA_MAX.min(start + bytes.len());
        self.bytes[start..end].copy_from_slice(&bytes[..end - start]);
        self.len = end as u8;
    }

    /// Fills up to `least` bytes, and from there to the next length that a frame can have.
    fn fill(&mut self, least: usize, filler: u8) {
        let wanted = least.max(self.len as usize);
        let target = frame_length_for(wanted);
        self.bytes[self.len as usize..target].fill(filler);
        self.len = target as u8;
    }
}

/// Returns the shortest length of a frame that holds `bytes` data bytes; 64 for more than that.
const fn frame_length_for(bytes: usize) -> usize {
    let mut at = 0;
    while at < FD_LENGTHS.len() {
        if FD_LENGTHS[at] as usize >= bytes {
            return FD_LENGTHS[at] as usize;
        }
        at += 1;
    }
    DATA_MAX
}

impl Deref for DataField {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len as usize]
    }
}

impl fmt::Debug for DataField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataField(")?;
        self.iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
        f.write_str(")")
    }
}

impl fmt::Display for FrameCapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FrameCapacityError { bytes } = self;
        write!(
            f,
            "{bytes} is no full data field of a frame (8, 12, 16, 20, 24, 32, 48 or 64 bytes)"
        )
    }
}

impl core::error::Error for FrameCapacityError {}
