//! Raw segmentation: a payload cut into full frames in order, and nothing else on the wire.
//!
//! So the key exchange of [GKE Fig. 4] sends shares and signatures (64, 32 and 32, 64 and 64 bytes:
//! 8, 4 and 4, 8 and 8 classic frames, or 5 FD frames), and the testbed of [LASAN, testbed]
//! certificates and keys. No index, no length: the receiver knows how long the payload is, and
//! nothing tells it of a frame that was lost or came twice but a wrong length or, in the end, a
//! wrong signature. Use [`crate::segment::iso_tp`] where the payload has to look after itself.
//! Time is the caller's: a role that waits for a payload gives up by its own timeout.

#[cfg(test)]
mod tests;

use core::fmt;

use super::{DataField, FrameCapacity};

/// The segmentation of payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segmentation {
    /// Data bytes of every frame but the last.
    pub capacity: FrameCapacity,
    /// The length of the last one.
    pub last: LastFrame,
}

/// The length of the last frame, if the payload does not fill it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LastFrame {
    /// As short as it can be; an FD frame is filled with zeros up to a length it can have.
    Short,
    /// As long as the others, filled with zeros.
    Full,
}

/// Puts frames together again, in a buffer for payloads of up to `N` bytes.
#[derive(Clone, Debug)]
pub struct Reassembler<const N: usize> {
    cut: Segmentation,
    buffer: [u8; N],
    /// Length of the payload under way, and of its received part, in bytes.
    length: u32,
    received: u32,
}

/// The progress of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadProgress {
    /// This many frames are missing.
    Missing(usize),
    /// The payload is complete: [`Reassembler::payload`].
    Complete,
}

/// Reason that a payload cannot be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpectError {
    /// No frame carries an empty payload.
    Empty,
    /// It is longer than the buffer.
    TooLong {
        /// The length of the payload.
        length: usize,
        /// The size of the buffer.
        capacity: usize,
    },
}

/// Reason that a frame does not belong to the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushError {
    /// No payload is expected, or it is complete already.
    Unexpected,
    /// The frame has another length than the next one must have. The payload is given up, since
    /// nothing says which of its frames is missing.
    Length {
        /// Data bytes that the next frame must have.
        expected: usize,
        /// Data bytes that it has.
        received: usize,
    },
}

impl Segmentation {
    /// Classic frames, the last one short.
    pub const CLASSIC: Segmentation = Segmentation {
        capacity: FrameCapacity::CLASSIC,
        last: LastFrame::Short,
    };
    /// Classic frames, the last one filled with zeros, as the testbed of [LASAN, testbed] sends
    /// them.
    pub const CLASSIC_FULL: Segmentation = Segmentation {
        capacity: FrameCapacity::CLASSIC,
        last: LastFrame::Full,
    };
    /// FD frames of 64 bytes, the last one short, as in [GKE Fig. 4].
    pub const FD: Segmentation = Segmentation {
        capacity: FrameCapacity::FD,
        last: LastFrame::Short,
    };

    /// Returns how many frames carry a payload of `length` bytes.
    #[must_use]
    pub const fn frame_count(&self, length: usize) -> usize {
        length.div_ceil(self.capacity.bytes())
    }

    /// Returns the data field of frame `index`, counted from 0; none after the last.
    #[must_use]
    pub fn segment(&self, payload: &[u8], index: usize) -> Option<DataField> {
        let part = payload.chunks(self.capacity.bytes()).nth(index)?;
        let mut field = DataField::EMPTY;
        field.extend(part);
        let least = match self.last {
            LastFrame::Short => 0,
            LastFrame::Full => self.capacity.bytes(),
        };
        field.fill(least, 0);
        Some(field)
    }

    /// Returns the data fields of all frames in order.
    pub fn segments<'a>(&self, payload: &'a [u8]) -> impl Iterator<Item = DataField> + 'a {
        let cut = *self;
        (0..self.frame_count(payload.len())).filter_map(move |index| cut.segment(payload, index))
    }

    /// Returns the length of the data field that carries the next of `left` bytes.
    const fn field_length(&self, left: usize) -> usize {
        match self.last {
            LastFrame::Short if left < self.capacity.bytes() => super::frame_length_for(left),
            _ => self.capacity.bytes(),
        }
    }
}

impl<const N: usize> Reassembler<N> {
    /// Makes a reassembler that expects nothing.
    #[must_use]
    pub const fn new(cut: Segmentation) -> Self {
        Reassembler {
            cut,
            buffer: [0; N],
            length: 0,
            received: 0,
        }
    }

    /// Expects a payload of `length` bytes from the next frame on; one under way is given up.
    ///
    /// # Errors
    /// [`ExpectError`]; then nothing is expected.
    pub const fn expect(&mut self, length: usize) -> Result<(), ExpectError> {
        (self.length, self.received) = (0, 0);
        if length == 0 {
            return Err(ExpectError::Empty);
        }
        const { assert!(N <= u32::MAX as usize, "lengths have 32 bits") }
        if length > N {
            return Err(ExpectError::TooLong {
                length,
                capacity: N,
            });
        }
        self.length = length as u32;
        Ok(())
    }

    /// Takes the data field of the next frame. The bytes that fill up the last one are not looked
    /// at.
    ///
    /// # Errors
    /// [`PushError`]; the doc of each variant says what becomes of the payload.
    pub fn push(&mut self, field: &[u8]) -> Result<PayloadProgress, PushError> {
        let left = self.left();
        if left == 0 {
            return Err(PushError::Unexpected);
        }
        let expected = self.cut.field_length(left);
        if field.len() != expected {
            (self.length, self.received) = (0, 0);
            return Err(PushError::Length {
                expected,
                received: field.len(),
            });
        }
        let part = &field[..expected.min(left)];
        let received = self.received as usize;
        self.buffer[received..received + part.len()].copy_from_slice(part);
        self.received += part.len() as u32;
        Ok(match self.cut.frame_count(self.left()) {
            0 => PayloadProgress::Complete,
            missing => PayloadProgress::Missing(missing),
        })
    }

    /// Returns the payload once it is complete, until the next one is expected.
    #[must_use]
    pub fn payload(&self) -> Option<&[u8]> {
        let complete = self.length > 0 && self.received == self.length;
        complete.then(|| &self.buffer[..self.length as usize])
    }

    /// Returns the number of bytes that are still to come.
    const fn left(&self) -> usize {
        (self.length - self.received) as usize
    }
}

impl fmt::Display for ExpectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectError::Empty => f.write_str("no frame carries an empty payload"),
            ExpectError::TooLong { length, capacity } => {
                write!(f, "a payload of {length} bytes, and room for {capacity}")
            }
        }
    }
}

impl core::error::Error for ExpectError {}

impl fmt::Display for PushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PushError::Unexpected => f.write_str("no frame is expected"),
            PushError::Length { expected, received } => {
                write!(
                    f,
                    "a frame of {received} bytes where one of {expected} is next"
                )
            }
        }
    }
}

impl core::error::Error for PushError {}
