//! Frames from the fields of a log: identifier, length code, bytes.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::{Frame, FrameError, Id, IdError};

use crate::error::{LineCause, Quote};
use crate::text::{Words, number};

/// Makes an identifier of 29 bits, or of 11.
pub(crate) fn id(raw: u32, is_extended: bool) -> Result<Id, IdError> {
    if is_extended {
        return Id::extended(raw);
    }
    Id::standard(u16::try_from(raw).map_err(|_| IdError::AboveStandard(raw))?)
}

/// Makes a classic frame, whose length code is above 8 only if it stands for 8 bytes.
pub(crate) fn classic(id: Id, dlc: u8, data: &[u8]) -> Result<Frame, FrameError> {
    let frame = Frame::classic(id, data)?;
    match dlc {
        9.. => frame.with_raw_dlc(dlc),
        _ => Ok(frame),
    }
}

/// Returns the shortest data field of CAN FD that carries so many bytes; none above 64.
///
/// Some programs store the bytes of the message, not those of the frame, which a controller pads.
pub(crate) fn fd_length(bytes: usize) -> Option<usize> {
    let mut lengths = FD_LENGTHS.iter().map(|&length| usize::from(length));
    lengths.find(|&length| length >= bytes)
}

/// Reads exactly as many bytes as there is room for.
pub(crate) fn read_bytes(
    words: &mut Words<'_>,
    bytes: &mut [u8],
    base: u32,
) -> Result<(), LineCause> {
    let stated = bytes.len();
    for (found, room) in bytes.iter_mut().enumerate() {
        let word = words.next().ok_or(LineCause::ByteCount { stated, found })?;
        *room = byte(word, base).ok_or_else(|| LineCause::Data(Quote::new(word)))?;
    }
    Ok(())
}

/// Reads one byte in digits of a base.
pub(crate) fn byte(word: &[u8], base: u32) -> Option<u8> {
    number(word, base)?.try_into().ok()
}
