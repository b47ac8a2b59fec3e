//! Frames as the kernel's CAN sockets carry them: `struct can_frame` (16 bytes) and `struct
//! canfd_frame` (72 bytes) of `linux/can.h`, and error frames of `linux/can/error.h`
//! [SOCKETCAN §RAW protocol sockets, §Network Problem Notifications].
//!
//! By bytes rather than through the types of the `socketcan` crate, because those lack the raw
//! length codes 9 to 15 (`len8_dlc`), and because a receive call that also tells whose frame it is
//! fills bytes. The tests hold both against each other.

use thiserror::Error;
use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::node::BusState;
use waywarden_can::{ExtendedId, FdFlags, Format, Frame, Id, StandardId};

#[cfg(test)]
mod tests;

/// Size of `struct can_frame`: the MTU of a classic interface.
pub const CLASSIC_SIZE: usize = 16;
/// Size of `struct canfd_frame`: the MTU of an FD interface.
pub const FD_SIZE: usize = 72;

/// A frame in the kernel's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    bytes: [u8; FD_SIZE],
    size: usize,
}

/// The content of a message from a CAN socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketContent {
    /// A data or remote frame.
    Frame(Frame),
    /// A controller's report of its own state.
    Error(SocketErrorFrame),
}

/// An error frame: made by the interface's driver, never seen on a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketErrorFrame {
    /// The class bits, `CAN_ERR_*`.
    pub class: u32,
    /// The data bytes, which give details.
    pub data: [u8; 8],
}

/// The change of the controller's state in an error frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerChange {
    /// It is in this state now.
    State(BusState),
    /// It left bus-off by a restart.
    Restarted,
}

/// Reason that bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// Neither 16 nor 72 bytes.
    #[error("{0} bytes are no CAN frame (16) and no CAN FD frame (72)")]
    Size(usize),
    /// More data than the format has.
    #[error("a data length of {0} bytes does not fit the frame format")]
    Length(u8),
    /// An FD frame with the remote or the error flag.
    #[error("a CAN FD frame can be neither a remote nor an error frame")]
    Flags,
}

const EXTENDED: u32 = 0x8000_0000;
const REMOTE: u32 = 0x4000_0000;
const ERROR: u32 = 0x2000_0000;

const BIT_RATE_SWITCH: u8 = 0x01;
const ERROR_STATE_INDICATOR: u8 = 0x02;
const FD_FORMAT: u8 = 0x04;

/// Controller problem; the kind is in `data[1]`.
pub const CLASS_CONTROLLER: u32 = 0x004;
/// Bus-off.
pub const CLASS_BUS_OFF: u32 = 0x040;
/// The controller was restarted.
pub const CLASS_RESTARTED: u32 = 0x100;

const RECEIVE_WARNING: u8 = 0x04;
const TRANSMIT_WARNING: u8 = 0x08;
const RECEIVE_PASSIVE: u8 = 0x10;
const TRANSMIT_PASSIVE: u8 = 0x20;
const ACTIVE: u8 = 0x40;

// Offsets in both structures.
const LENGTH_AT: usize = 4;
const FLAGS_AT: usize = 5;
const RAW_CODE_AT: usize = 7;
const DATA_AT: usize = 8;

impl Image {
    /// Puts a frame into the kernel's form.
    ///
    /// A raw length code above 8 goes into `len8_dlc`. A controller sends it only if it was set up
    /// with `cc-len8-dlc on`; otherwise it sends 8, and the kernel does not say so.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        let mut bytes = [0; FD_SIZE];
        let (mut id, mut size) = match frame.id() {
            Id::Standard(id) => (u32::from(id.raw()), CLASSIC_SIZE),
            Id::Extended(id) => (id.raw() | EXTENDED, CLASSIC_SIZE),
        };
        match frame.format() {
            Format::Classic | Format::Remote => {
                bytes[LENGTH_AT] = frame.dlc().min(8);
                if frame.dlc() > 8 {
                    bytes[RAW_CODE_AT] = frame.dlc();
                }
                if frame.format() == Format::Remote {
                    id |= REMOTE;
                }
            }
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => {
                size = FD_SIZE;
                bytes[LENGTH_AT] = frame.data_len() as u8;
                bytes[FLAGS_AT] = FD_FORMAT
                    | if bit_rate_switch { BIT_RATE_SWITCH } else { 0 }
                    | if error_state_indicator {
                        ERROR_STATE_INDICATOR
                    } else {
                        0
                    };
            }
        }
        bytes[..LENGTH_AT].copy_from_slice(&id.to_ne_bytes());
        bytes[DATA_AT..DATA_AT + frame.data_len()].copy_from_slice(frame.data());
        Image { bytes, size }
    }

    /// Returns the bytes, 16 or 72 of them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.size]
    }
}

impl SocketContent {
    /// Reads what a CAN socket delivered.
    ///
    /// An FD frame whose length no code stands for (a process can send one over a virtual
    /// interface) is padded with zeros to the next that has one, as a controller pads it.
    ///
    /// # Errors
    /// [`ImageError`]: one variant for each way in which bytes are no frame.
    pub fn read(bytes: &[u8]) -> Result<Self, ImageError> {
        if bytes.len() != CLASSIC_SIZE && bytes.len() != FD_SIZE {
            return Err(ImageError::Size(bytes.len()));
        }
        let mut id = [0; LENGTH_AT];
        id.copy_from_slice(&bytes[..LENGTH_AT]);
        let id = u32::from_ne_bytes(id);
        let (length, data) = (bytes[LENGTH_AT], &bytes[DATA_AT..]);
        if usize::from(length) > data.len() {
            return Err(ImageError::Length(length));
        }
        if bytes.len() == FD_SIZE {
            return read_fd(id, bytes[FLAGS_AT], &data[..usize::from(length)]);
        }
        if id & ERROR != 0 {
            let mut details = [0; 8];
            details.copy_from_slice(data);
            return Ok(SocketContent::Error(SocketErrorFrame {
                class: id & ExtendedId::MAX,
                data: details,
            }));
        }
        let code = match bytes[RAW_CODE_AT] {
            raw @ 9..=15 if length == 8 => raw,
            _ => length,
        };
        let data = &data[..usize::from(length)];
        let frame = if id & REMOTE != 0 {
            Frame::remote(identifier(id)?, code)
        } else if code > 8 {
            Frame::classic(identifier(id)?, data).and_then(|frame| frame.with_raw_dlc(code))
        } else {
            Frame::classic(identifier(id)?, data)
        };
        frame
            .map(SocketContent::Frame)
            .map_err(|_| ImageError::Length(length))
    }
}

impl SocketErrorFrame {
    /// Returns what the frame says of the controller's state, if it says anything.
    ///
    /// A warning (a counter at 96) means error-active: the kernel sends it on the way up from
    /// active and on the way down from passive.
    #[must_use]
    pub const fn change(&self) -> Option<ControllerChange> {
        let kind = self.data[1];
        if self.class & CLASS_BUS_OFF != 0 {
            Some(ControllerChange::State(BusState::Off))
        } else if self.class & CLASS_RESTARTED != 0 {
            Some(ControllerChange::Restarted)
        } else if self.class & CLASS_CONTROLLER == 0 {
            None
        } else if kind & (RECEIVE_PASSIVE | TRANSMIT_PASSIVE) != 0 {
            Some(ControllerChange::State(BusState::Passive))
        } else if kind & (RECEIVE_WARNING | TRANSMIT_WARNING | ACTIVE) != 0 {
            Some(ControllerChange::State(BusState::Active))
        } else {
            None
        }
    }
}

fn read_fd(id: u32, flags: u8, data: &[u8]) -> Result<SocketContent, ImageError> {
    if id & (REMOTE | ERROR) != 0 {
        return Err(ImageError::Flags);
    }
    let length = data.len() as u8;
    let fits = FD_LENGTHS.into_iter().find(|&fits| fits >= length);
    let mut padded = [0; 64];
    padded[..data.len()].copy_from_slice(data);
    Frame::fd_with(
        identifier(id)?,
        &padded[..usize::from(fits.ok_or(ImageError::Length(length))?)],
        FdFlags {
            bit_rate_switch: flags & BIT_RATE_SWITCH != 0,
            error_state_indicator: flags & ERROR_STATE_INDICATOR != 0,
        },
    )
    .map(SocketContent::Frame)
    .map_err(|_| ImageError::Length(length))
}

/// The kernel masks before it compares, so bits above the identifier count for nothing.
fn identifier(id: u32) -> Result<Id, ImageError> {
    let made = if id & EXTENDED != 0 {
        ExtendedId::new(id & ExtendedId::MAX).map(Id::Extended)
    } else {
        StandardId::new(id as u16 & StandardId::MAX).map(Id::Standard)
    };
    made.map_err(|_| ImageError::Flags)
}
