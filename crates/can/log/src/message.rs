//! Frames from the fields of a log: identifier, length code, bytes.

use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::{FdFlags, Frame, FrameError, Id, IdError};

use crate::error::{LineCause, Quote};
use crate::record::ErrorFrame;
use crate::text::{Words, number};

/// The 29 bits of an error frame's class.
const CLASS_MASK: u32 = (1 << 29) - 1;

/// Makes an identifier of 29 bits, or of 11.
#[inline]
pub(crate) fn id(raw: u32, is_extended: bool) -> Result<Id, IdError> {
    if is_extended {
        return Id::extended(raw);
    }
    Id::standard(u16::try_from(raw).map_err(|_| IdError::AboveStandard(raw))?)
}

/// Makes a classic frame, whose length code is above 8 only if it stands for 8 bytes.
#[inline]
pub(crate) fn classic(id: Id, dlc: u8, data: &[u8]) -> Result<Frame, FrameError> {
    let frame = Frame::classic(id, data)?;
    match dlc {
        9.. => frame.with_raw_dlc(dlc),
        _ => Ok(frame),
    }
}

/// Makes a CAN FD frame of any count of bytes up to 64, padded with zeros to the next length that
/// CAN FD has; adds it to `padded` if it was.
///
/// Some programs store the bytes of the message, not those of the frame, which a controller pads.
pub(crate) fn padded_fd(
    id: Id,
    data: &[u8],
    flags: FdFlags,
    padded: &mut u64,
) -> Result<Frame, FrameError> {
    let mut lengths = FD_LENGTHS.iter().map(|&length| usize::from(length));
    let length = lengths.find(|&length| length >= data.len());
    match length {
        Some(length) if length > data.len() => {
            let mut bytes = [0; DATA_MAX];
            bytes[..data.len()].copy_from_slice(data);
            *padded += 1;
            Frame::fd_with(id, &bytes[..length], flags)
        }
        _ => Frame::fd_with(id, data, flags),
    }
}

/// Makes an error frame of its class, the unknown one for zero, and of its details as far as there
/// are any.
pub(crate) fn error_frame(class: u32, details: &[u8]) -> ErrorFrame {
    let mut data = [0; 8];
    let kept = details.len().min(data.len());
    data[..kept].copy_from_slice(&details[..kept]);
    // Interfaces that tell no class leave the identifier zero.
    let class = match class & CLASS_MASK {
        0 => ErrorFrame::BUS_ERROR.class,
        class => class,
    };
    ErrorFrame { class, data }
}

/// Reads exactly as many bytes as there is room for.
pub(crate) fn read_bytes(
    words: &mut Words<'_>,
    bytes: &mut [u8],
    base: u32,
) -> Result<(), LineCause> {
    if base == 16 && words.take_hex(bytes) {
        return Ok(());
    }
    let stated = bytes.len();
    for (found, room) in bytes.iter_mut().enumerate() {
        let missing = || LineCause::ByteCount { stated, found };
        let word = words.next().ok_or_else(missing)?;
        *room = byte(word, base).ok_or_else(|| LineCause::Data(Quote::new(word)))?;
    }
    Ok(())
}

/// Reads the bytes of a frame, behind which no more may stand.
pub(crate) fn read_all(words: &mut Words<'_>, data: &mut [u8], base: u32) -> Result<(), LineCause> {
    read_bytes(words, data, base)?;
    no_more_bytes(words, data.len(), base)
}

/// Refuses further bytes behind so many: the length or the data of the line is wrong.
pub(crate) fn no_more_bytes(words: &Words<'_>, stated: usize, base: u32) -> Result<(), LineCause> {
    if words.is_over() {
        return Ok(());
    }
    let more = words.clone().take(DATA_MAX);
    match more.take_while(|word| byte(word, base).is_some()).count() {
        0 => Ok(()),
        more => {
            let found = stated + more;
            Err(LineCause::ByteCount { stated, found })
        }
    }
}

/// Reads one byte in digits of a base.
pub(crate) fn byte(word: &[u8], base: u32) -> Option<u8> {
    number(word, base)?.try_into().ok()
}
