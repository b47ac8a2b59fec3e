//! The frames that carry secured PDUs: their room, and what fills them up.

use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::{Frame, Id};

/// The frames that carry a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecocCarrier {
    /// Classic frames, up to 8 bytes.
    Classic,
    /// CAN FD frames, up to 64 bytes, with the bit rate switched.
    Fd,
}

impl SecocCarrier {
    /// Returns the length of its longest frame, in bytes.
    pub(super) const fn room(self) -> usize {
        match self {
            SecocCarrier::Classic => 8,
            SecocCarrier::Fd => DATA_MAX,
        }
    }

    /// Returns the data length of a frame with so many bytes, at most [`DATA_MAX`].
    pub(super) fn wire_length(self, bytes: usize) -> usize {
        match self {
            SecocCarrier::Classic => bytes,
            SecocCarrier::Fd => frame_length(bytes),
        }
    }

    /// Makes a frame of the first `filled` bytes, filled up with `padding`; none if it has no room
    /// for them.
    pub(super) fn frame(
        self,
        id: Id,
        bytes: &mut [u8; DATA_MAX],
        filled: usize,
        padding: u8,
    ) -> Option<Frame> {
        let length = self.wire_length(filled);
        bytes.get_mut(filled..length)?.fill(padding);
        let data = bytes.get(..length)?;
        match self {
            SecocCarrier::Classic => Frame::classic(id, data).ok(),
            SecocCarrier::Fd => Frame::fd(id, data).ok(),
        }
    }
}

/// The shortest FD frame's length for this many bytes, at most 64.
fn frame_length(bytes: usize) -> usize {
    let fits = FD_LENGTHS.into_iter().map(usize::from);
    fits.into_iter()
        .find(|length| *length >= bytes)
        .unwrap_or(DATA_MAX)
}
