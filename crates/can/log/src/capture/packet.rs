//! The frame of a packet: SocketCAN's header and data, perhaps behind a cooked header.

use waywarden_can::{FdFlags, Frame};

use super::bytes::Endian;
use crate::error::CaptureCause;
use crate::message::{classic, id, padded_fd};
use crate::record::{Direction, ErrorFrame, LogEntry};

/// A link that carries frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// SocketCAN frames alone.
    SocketCan,
    /// Linux cooked captures, with a header of 16 bytes.
    Cooked,
    /// The same with a header of 20 bytes.
    Cooked2,
}

/// Protocols of cooked captures [linux/if_ether.h].
mod protocol {
    pub(super) const CAN: u16 = 0x000C;
    pub(super) const CAN_FD: u16 = 0x000D;
    pub(super) const CAN_XL: u16 = 0x000E;
}

/// A packet on its way out, in cooked captures.
const OUTGOING: u16 = 4;

const HEADER: usize = 8;
const CLASSIC_MAX: usize = 8;
const FD_MTU: usize = 72;

const EXTENDED: u32 = 1 << 31;
const REMOTE: u32 = 1 << 30;
const ERROR: u32 = 1 << 29;
const ID_MASK: u32 = ERROR - 1;

const FD: u8 = 4;
const ERROR_STATE_INDICATOR: u8 = 2;
const BIT_RATE_SWITCH: u8 = 1;

/// The mark of CAN XL in the byte where other frames have their length.
const XL: u8 = 0x80;

/// A frame with what the packet tells about its way.
pub(super) struct Seen {
    pub(super) entry: LogEntry,
    /// Number of the interface in the system, of cooked captures.
    pub(super) index: Option<u32>,
}

impl Link {
    pub(super) const fn new(number: u32) -> Option<Self> {
        match number {
            227 => Some(Link::SocketCan),
            113 => Some(Link::Cooked),
            276 => Some(Link::Cooked2),
            _ => None,
        }
    }
}

impl Seen {
    /// Takes the direction from the flags of pcapng, where they tell it.
    pub(super) fn direct(&mut self, flags: u32) {
        let stated = match flags & 3 {
            1 => Some(Direction::Rx),
            2 => Some(Direction::Tx),
            _ => None,
        };
        if let LogEntry::Frame { direction, .. } = &mut self.entry {
            *direction = stated.or(*direction);
        }
    }
}

/// Reads a packet; none of another protocol. Counts CAN FD frames that had to be padded.
pub(super) fn read(
    link: Link,
    endian: Endian,
    bytes: &[u8],
    padded: &mut u64,
) -> Result<Option<Seen>, CaptureCause> {
    // Network byte order; the identifier of a cooked packet is in that of the machine.
    let word = |at| Endian::Big.u16_at(bytes, at);
    let (size, protocol, sent, index, order) = match link {
        Link::SocketCan => (0, protocol::CAN, None, None, Endian::Big),
        Link::Cooked => (16, word(14), Some(word(0)), None, endian),
        Link::Cooked2 => {
            let kind = u16::from(bytes.get(10).copied().unwrap_or_default());
            let index = Some(Endian::Big.u32_at(bytes, 4));
            (20, word(0), Some(kind), index, endian)
        }
    };
    let is_fd = match protocol {
        protocol::CAN => false,
        protocol::CAN_FD => true,
        protocol::CAN_XL => return Err(CaptureCause::CanXl),
        _ => return Ok(None),
    };
    let frame = bytes.get(size..).filter(|frame| frame.len() >= HEADER);
    let frame = frame.ok_or(CaptureCause::Short {
        found: bytes.len(),
        needed: size + HEADER,
    })?;
    let mut entry = entry(order.u32_at(frame, 0), is_fd, frame, padded)?;
    if let (LogEntry::Frame { direction, .. }, Some(kind)) = (&mut entry, sent) {
        *direction = Some(match kind {
            OUTGOING => Direction::Tx,
            _ => Direction::Rx,
        });
    }
    Ok(Some(Seen { entry, index }))
}

/// Reads identifier with flags, length, FD flags, reserved, raw length code, data.
fn entry(word: u32, is_fd: bool, bytes: &[u8], padded: &mut u64) -> Result<LogEntry, CaptureCause> {
    let (length, flags, raw_code) = (bytes[4], bytes[5], bytes[7]);
    if length & XL != 0 && !is_fd && bytes.len() > FD_MTU {
        return Err(CaptureCause::CanXl);
    }
    // Old captures have no mark of CAN FD but the size of its structure.
    let is_fd =
        is_fd || flags & FD != 0 || bytes.len() == FD_MTU || usize::from(length) > CLASSIC_MAX;
    let is_remote = word & REMOTE != 0;
    let stated = usize::from(length);
    let most = if is_fd { FD_MTU - HEADER } else { CLASSIC_MAX };
    if stated > most {
        return Err(CaptureCause::DataLength(length));
    }
    let held = if is_remote { 0 } else { stated };
    let data = bytes
        .get(HEADER..HEADER + held)
        .ok_or(CaptureCause::Short {
            found: bytes.len(),
            needed: HEADER + held,
        })?;
    if word & ERROR != 0 {
        let mut error = ErrorFrame {
            class: word & ID_MASK,
            data: [0; 8],
        };
        let kept = data.len().min(error.data.len());
        error.data[..kept].copy_from_slice(&data[..kept]);
        return Ok(LogEntry::ErrorFrame(error));
    }
    let id = id(word & ID_MASK, word & EXTENDED != 0)?;
    let code = if stated == CLASSIC_MAX && (9..=15).contains(&raw_code) {
        raw_code
    } else {
        length
    };
    let frame = match () {
        () if is_remote => Frame::remote(id, code)?,
        () if is_fd => {
            let has = |flag| flags & flag != 0;
            let flags = FdFlags {
                bit_rate_switch: has(BIT_RATE_SWITCH),
                error_state_indicator: has(ERROR_STATE_INDICATOR),
            };
            padded_fd(id, data, flags, padded)?
        }
        () => classic(id, code, data)?,
    };
    let direction = None;
    Ok(LogEntry::Frame { frame, direction })
}
