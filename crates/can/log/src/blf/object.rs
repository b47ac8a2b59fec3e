//! The BLF objects of frames on the bus.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::{FdFlags, Frame, FrameError, Id, IdError};

use super::{OBJECT_HEADER, OBJECT_MAX};
use crate::bytes::{array_at, u8_at, u16_at, u32_at, u64_at};
use crate::error::BlfCause;
use crate::numbered::NumberedChannels;
use crate::record::{Direction, ErrorFrame, LogEntry, Record};

/// The object types read.
pub(super) mod kind {
    pub(in crate::blf) const CAN_MESSAGE: u32 = 1;
    pub(in crate::blf) const CAN_ERROR: u32 = 2;
    pub(in crate::blf) const APP_TEXT: u32 = 65;
    pub(in crate::blf) const CAN_ERROR_EXT: u32 = 73;
    pub(in crate::blf) const CAN_MESSAGE2: u32 = 86;
    pub(in crate::blf) const CAN_FD_MESSAGE: u32 = 100;
    pub(in crate::blf) const CAN_FD_MESSAGE_64: u32 = 101;
    pub(in crate::blf) const CAN_FD_ERROR_64: u32 = 104;
}

/// The header behind [`OBJECT_HEADER`]: flags, two fields not used here, time stamp; version 2
/// has a second time stamp.
pub(super) const HEADER_V1: u32 = OBJECT_HEADER + 16;
const HEADER_V2: u32 = OBJECT_HEADER + 24;

pub(super) const EXTENDED: u32 = 1 << 31;

/// Returns true for an object that may be a frame on the bus.
pub(super) const fn is_frame(kind: u32) -> bool {
    matches!(
        kind,
        kind::CAN_MESSAGE
            | kind::CAN_MESSAGE2
            | kind::CAN_FD_MESSAGE
            | kind::CAN_FD_MESSAGE_64
            | kind::CAN_ERROR
            | kind::CAN_ERROR_EXT
            | kind::CAN_FD_ERROR_64
    )
}

/// Returns the text of a comment of the measurement, of which the writer makes the names of
/// channels: source u32, reserved u32, length u32, reserved u32, text.
pub(super) fn comment(object: &[u8]) -> Option<&[u8]> {
    let body = object.get(HEADER_V1 as usize..)?;
    let is_comment =
        u32_at(object, 12) == kind::APP_TEXT && u16_at(object, 6) == 1 && u32_at(body, 0) == 0;
    let text = body.get(16..)?;
    let length = text.len().min(u32_at(body, 8) as usize);
    is_comment.then(|| &text[..length])
}

/// Reads a whole object; `None` for one that is no frame on the bus.
pub(super) fn read(
    object: &[u8],
    channels: &mut NumberedChannels,
) -> Result<Option<Record>, BlfCause> {
    let kind = u32_at(object, 12);
    let body_size = match kind {
        kind::CAN_MESSAGE | kind::CAN_MESSAGE2 => 16,
        kind::CAN_ERROR => 4,
        kind::CAN_ERROR_EXT => 32,
        kind::CAN_FD_MESSAGE => 20,
        kind::CAN_FD_MESSAGE_64 => 40,
        kind::CAN_FD_ERROR_64 => 44,
        _ => return Ok(None),
    };
    let header_size = match u16_at(object, 6) {
        1 => HEADER_V1,
        2 => HEADER_V2,
        version => return Err(BlfCause::HeaderVersion(version)),
    };
    let Some(body) = object
        .get(header_size as usize..)
        .filter(|body| body.len() >= body_size)
    else {
        return Err(BlfCause::ObjectSize {
            kind,
            size: object.len() as u32,
            min: header_size + body_size as u32,
            max: OBJECT_MAX,
        });
    };
    let seen = match kind {
        kind::CAN_MESSAGE | kind::CAN_MESSAGE2 => message(body)?,
        kind::CAN_FD_MESSAGE => fd_message(body)?,
        kind::CAN_FD_MESSAGE_64 => fd_message_64(body, object, header_size)?,
        // Channel u8 here, u16 in the other two; what follows is not read.
        kind::CAN_FD_ERROR_64 => error_frame(u16::from(u8_at(body, 0))),
        _ => error_frame(u16_at(body, 0)),
    };
    let Some((number, entry)) = seen else {
        return Ok(None);
    };
    let at_ns = time_ns(u32_at(object, 16), u64_at(object, 24))?;
    let channel = channels.channel(number).ok_or(BlfCause::Channel(number))?;
    Ok(Some(Record {
        at_ns,
        channel,
        entry,
    }))
}

/// Reads the time stamp, in units of 10 us if flag 1 alone is set, else of 1 ns.
fn time_ns(flags: u32, stamp: u64) -> Result<u64, BlfCause> {
    match flags {
        1 => stamp
            .checked_mul(10_000)
            .ok_or(BlfCause::TimeStampRange(stamp)),
        _ => Ok(stamp),
    }
}

type Seen = Option<(u16, LogEntry)>;

/// Channel u16, flags u8, length code u8, identifier u32, data of 8 bytes.
fn message(body: &[u8]) -> Result<Seen, BlfCause> {
    let Some(direction) = direction(u8_at(body, 2) & 0xF)? else {
        return Ok(None);
    };
    let (id, dlc) = (id(u32_at(body, 4))?, u8_at(body, 3));
    let frame = match u8_at(body, 2) & 0x80 {
        0 => classic_frame(id, dlc, &array_at(body, 8))?,
        _ => Frame::remote(id, dlc)?,
    };
    Ok(seen(u16_at(body, 0), frame, direction))
}

/// Channel u16, flags u8, length code u8, identifier u32, frame time u32, bit count u8, FD flags
/// u8 (1 FD, 2 BRS, 4 ESI), valid bytes u8, 5 bytes, data of 64 bytes.
fn fd_message(body: &[u8]) -> Result<Seen, BlfCause> {
    let flags = u8_at(body, 2);
    let Some(direction) = direction(flags & 0xF)? else {
        return Ok(None);
    };
    let fd_flags = u8_at(body, 13);
    let form = Form {
        remote: flags & 0x80 != 0,
        fd: fd_flags & 1 != 0,
        bit_rate_switch: fd_flags & 2 != 0,
        error_state_indicator: fd_flags & 4 != 0,
    };
    let data = valid_data(body.get(20..).unwrap_or_default(), u8_at(body, 14));
    let frame = form.frame(id(u32_at(body, 4))?, u8_at(body, 3), &data)?;
    Ok(seen(u16_at(body, 0), frame, direction))
}

/// Channel u8, length code u8, valid bytes u8, u8, identifier u32, frame time u32, flags u32 (bit
/// 4 remote, 12 FD, 13 BRS, 14 ESI), 18 bytes, direction u8, place of further data u8, CRC u32,
/// data as long as the object has it.
fn fd_message_64(body: &[u8], object: &[u8], header_size: u32) -> Result<Seen, BlfCause> {
    let Some(direction) = direction(u8_at(body, 34))? else {
        return Ok(None);
    };
    let flags = u32_at(body, 12);
    let form = Form {
        remote: flags & (1 << 4) != 0,
        fd: flags & (1 << 12) != 0,
        bit_rate_switch: flags & (1 << 13) != 0,
        error_state_indicator: flags & (1 << 14) != 0,
    };
    // The data ends where further data begins, counted from the start of the object.
    let end = match usize::from(u8_at(body, 35)) {
        0 => object.len(),
        further => further.min(object.len()),
    };
    let there = object
        .get(header_size as usize + 40..end)
        .unwrap_or_default();
    let data = valid_data(there, u8_at(body, 2));
    let frame = form.frame(id(u32_at(body, 4))?, u8_at(body, 1), &data)?;
    Ok(seen(u16::from(u8_at(body, 0)), frame, direction))
}

/// Form of a frame from the flags of the two FD objects.
struct Form {
    remote: bool,
    fd: bool,
    bit_rate_switch: bool,
    error_state_indicator: bool,
}

impl Form {
    /// Makes the frame with the number of bytes that the length code gives.
    fn frame(&self, id: Id, dlc: u8, data: &[u8; 64]) -> Result<Frame, FrameError> {
        if self.remote {
            return Frame::remote(id, dlc);
        }
        if !self.fd {
            return classic_frame(id, dlc, &array_at(data, 0));
        }
        let length = FD_LENGTHS
            .get(usize::from(dlc))
            .ok_or(FrameError::LengthCode(dlc))?;
        let data = &data[..usize::from(*length)];
        Frame::fd_with(
            id,
            data,
            FdFlags {
                bit_rate_switch: self.bit_rate_switch,
                error_state_indicator: self.error_state_indicator,
            },
        )
    }
}

/// Returns the valid bytes as far as the object has them, zero behind.
fn valid_data(there: &[u8], valid: u8) -> [u8; 64] {
    array_at(&there[..there.len().min(usize::from(valid))], 0)
}

fn classic_frame(id: Id, dlc: u8, data: &[u8; 8]) -> Result<Frame, FrameError> {
    let frame = Frame::classic(id, &data[..usize::from(dlc.min(8))])?;
    match dlc {
        0..=8 => Ok(frame),
        _ => frame.with_raw_dlc(dlc),
    }
}

fn seen(number: u16, frame: Frame, direction: Direction) -> Seen {
    let direction = Some(direction);
    Some((number, LogEntry::Frame { frame, direction }))
}

const fn error_frame(number: u16) -> Seen {
    Some((number, LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR)))
}

/// Reads 0 as received and 1 as sent; 2 is a request to send, which was not on the bus.
fn direction(code: u8) -> Result<Option<Direction>, BlfCause> {
    match code {
        0 => Ok(Some(Direction::Rx)),
        1 => Ok(Some(Direction::Tx)),
        2 => Ok(None),
        _ => Err(BlfCause::Direction(code)),
    }
}

fn id(raw: u32) -> Result<Id, IdError> {
    if raw & EXTENDED != 0 {
        return Id::extended(raw & !EXTENDED);
    }
    Id::standard(u16::try_from(raw).map_err(|_| IdError::AboveStandard(raw))?)
}
