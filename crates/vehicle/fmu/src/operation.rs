//! Bus operations: the bytes that a unit and its nodes exchange [FMI-LS-BUS §4.2, §4.4.1].
//!
//! Numbers are little-endian. A buffer holds any number of operations, each with its code, its
//! whole length and its arguments. Parsing never panics: what cannot be read is returned as bytes,
//! for the answer that the standard wants.

use waywarden_can::frame::{FD_LENGTHS, FdFlags};
use waywarden_can::node::BusState;
use waywarden_can::{Format, Frame, Id};

/// Code and length.
const HEADER: usize = 8;
/// Most bytes of a malformed operation that the answer to it repeats: its length has 16 bits.
const REPEATED_MAX: usize = u16::MAX as usize;

mod code {
    pub(super) const FORMAT_ERROR: u32 = 0x01;
    pub(super) const CAN_TRANSMIT: u32 = 0x10;
    pub(super) const CAN_FD_TRANSMIT: u32 = 0x11;
    pub(super) const CONFIRM: u32 = 0x20;
    pub(super) const ARBITRATION_LOST: u32 = 0x30;
    pub(super) const BUS_ERROR: u32 = 0x31;
    pub(super) const CONFIGURATION: u32 = 0x40;
    pub(super) const STATUS: u32 = 0x41;
    pub(super) const WAKE_UP: u32 = 0x42;
}

/// One operation of a CAN or CAN FD bus.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// The receiver could not read an operation, of which these are the bytes.
    FormatError(Vec<u8>),
    /// A frame, classic or CAN FD.
    Transmit(Frame),
    /// The frame of this identifier was sent and acknowledged.
    Confirm(u32),
    /// The frame of this identifier lost arbitration and was discarded.
    ArbitrationLost(u32),
    /// A controller detected an error.
    BusError {
        /// Identifier of the frame on the bus.
        id: u32,
        /// The kind of the error.
        error: BusErrorCode,
        /// True if no other controller detected it earlier.
        primary: bool,
        /// True if the receiver of this operation sent the frame.
        is_sender: bool,
    },
    /// A setting of the bus simulation.
    Configuration(Configuration),
    /// The fault confinement state that a node has by its own account.
    Status(BusState),
    /// The bus wakes up.
    WakeUp,
}

/// Kinds of bus errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BusErrorCode {
    /// A bit came out other than it was sent.
    Bit = 1,
    /// A sixth equal bit.
    Stuff = 2,
    /// A bit of fixed level had the other one.
    Form = 3,
    /// The CRC does not match.
    Crc = 4,
    /// No node acknowledged.
    Acknowledgement = 5,
    /// An error frame was disturbed.
    BrokenErrorFrame = 6,
}

/// Settings that a node asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// Nominal bit rate in bit/s.
    BitRate(u32),
    /// Data bit rate of CAN FD in bit/s.
    FdBitRate(u32),
    /// Data bit rate of CAN XL in bit/s.
    XlBitRate(u32),
    /// True if a frame that loses arbitration is discarded and the node notified, false if it
    /// waits for the next arbitration.
    DiscardsLosers(bool),
}

/// The operations of a buffer, in order: what was read, or the bytes that could not be read.
#[derive(Clone, Debug)]
pub struct Operations<'a> {
    rest: &'a [u8],
}

impl<'a> Operations<'a> {
    /// Reads the operations of `buffer`.
    #[must_use]
    pub const fn new(buffer: &'a [u8]) -> Self {
        Operations { rest: buffer }
    }
}

impl<'a> Iterator for Operations<'a> {
    type Item = Result<Operation, &'a [u8]>;

    /// Behind an operation whose length is impossible nothing can be read: it ends the buffer.
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let length = number(self.rest, 4).map(|length| length as usize);
        let (bytes, rest) = match length {
            Some(length) if length >= HEADER => match self.rest.split_at_checked(length) {
                Some(parts) => parts,
                None => (self.rest, &[][..]),
            },
            _ => (self.rest, &[][..]),
        };
        self.rest = rest;
        Some(Operation::parse(bytes).ok_or(bytes))
    }
}

impl Operation {
    /// Reads the one operation that `bytes` are; `None` if they are not exactly one that CAN and
    /// CAN FD have.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (operation, length) = (number(bytes, 0)?, number(bytes, 4)?);
        if length as usize != bytes.len() {
            return None;
        }
        let arguments = bytes.get(HEADER..)?;
        match operation {
            code::FORMAT_ERROR => {
                let data = arguments.get(2..)?;
                (usize::from(short(arguments, 0)?) == data.len())
                    .then(|| Operation::FormatError(data.to_vec()))
            }
            code::CAN_TRANSMIT => classic(arguments).map(Operation::Transmit),
            code::CAN_FD_TRANSMIT => fd(arguments).map(Operation::Transmit),
            code::CONFIRM => only_id(arguments).map(Operation::Confirm),
            code::ARBITRATION_LOST => only_id(arguments).map(Operation::ArbitrationLost),
            code::BUS_ERROR => bus_error(arguments),
            code::CONFIGURATION => configuration(arguments).map(Operation::Configuration),
            code::STATUS => match arguments {
                [1] => Some(Operation::Status(BusState::Active)),
                [2] => Some(Operation::Status(BusState::Passive)),
                [3] => Some(Operation::Status(BusState::Off)),
                _ => None,
            },
            code::WAKE_UP => arguments.is_empty().then_some(Operation::WakeUp),
            _ => None,
        }
    }

    /// Appends its bytes.
    pub fn write(&self, to: &mut Vec<u8>) {
        match self {
            Operation::FormatError(data) => {
                let data = &data[..data.len().min(REPEATED_MAX)];
                let length = (data.len() as u16).to_le_bytes();
                put(to, code::FORMAT_ERROR, &[&length, data]);
            }
            Operation::Transmit(frame) => put_frame(to, frame),
            Operation::Confirm(id) => put(to, code::CONFIRM, &[&id.to_le_bytes()]),
            Operation::ArbitrationLost(id) => {
                put(to, code::ARBITRATION_LOST, &[&id.to_le_bytes()]);
            }
            Operation::BusError {
                id,
                error,
                primary,
                is_sender,
            } => {
                let flag = if *primary { 1 } else { 2 };
                let rest = [*error as u8, flag, u8::from(*is_sender)];
                put(to, code::BUS_ERROR, &[&id.to_le_bytes(), &rest]);
            }
            Operation::Configuration(setting) => match *setting {
                Configuration::BitRate(rate) => put_rate(to, 1, rate),
                Configuration::FdBitRate(rate) => put_rate(to, 2, rate),
                Configuration::XlBitRate(rate) => put_rate(to, 3, rate),
                Configuration::DiscardsLosers(discards) => {
                    let behaviour = if discards { 2 } else { 1 };
                    put(to, code::CONFIGURATION, &[&[4, behaviour]]);
                }
            },
            Operation::Status(state) => put(to, code::STATUS, &[&[status(*state)]]),
            Operation::WakeUp => put(to, code::WAKE_UP, &[]),
        }
    }

    /// Returns its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }
}

/// Returns the number of a fault confinement state [FMI-LS-BUS §4.4.1, status values].
#[must_use]
pub const fn status(state: BusState) -> u8 {
    match state {
        BusState::Active => 1,
        BusState::Passive => 2,
        BusState::Off => 3,
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*four))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..)?.first_chunk::<2>()?;
    Some(u16::from_le_bytes(*two))
}

fn truth(bytes: &[u8], at: usize) -> Option<bool> {
    match bytes.get(at)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn only_id(arguments: &[u8]) -> Option<u32> {
    (arguments.len() == 4).then(|| number(arguments, 0))?
}

/// Reads the identifier, which has 11 bits or 29, and the byte that says which.
fn identifier(arguments: &[u8]) -> Option<Id> {
    let raw = number(arguments, 0)?;
    match truth(arguments, 4)? {
        true => Id::extended(raw).ok(),
        false => Id::standard(u16::try_from(raw).ok()?).ok(),
    }
}

/// Choice: the standard has no length code for remote frames; their data length stands for it, and
/// the data says nothing.
fn classic(arguments: &[u8]) -> Option<Frame> {
    let id = identifier(arguments)?;
    let is_remote = truth(arguments, 5)?;
    let data = arguments.get(8..)?;
    if usize::from(short(arguments, 6)?) != data.len() || data.len() > 8 {
        return None;
    }
    match is_remote {
        true => Frame::remote(id, data.len() as u8).ok(),
        false => Frame::classic(id, data).ok(),
    }
}

fn fd(arguments: &[u8]) -> Option<Frame> {
    let id = identifier(arguments)?;
    let flags = FdFlags {
        bit_rate_switch: truth(arguments, 5)?,
        error_state_indicator: truth(arguments, 6)?,
    };
    let data = arguments.get(9..)?;
    if usize::from(short(arguments, 7)?) != data.len() {
        return None;
    }
    Frame::fd_with(id, data, flags).ok()
}

fn bus_error(arguments: &[u8]) -> Option<Operation> {
    if arguments.len() != 7 {
        return None;
    }
    let error = match arguments.get(4)? {
        1 => BusErrorCode::Bit,
        2 => BusErrorCode::Stuff,
        3 => BusErrorCode::Form,
        4 => BusErrorCode::Crc,
        5 => BusErrorCode::Acknowledgement,
        6 => BusErrorCode::BrokenErrorFrame,
        _ => return None,
    };
    let primary = match arguments.get(5)? {
        1 => true,
        2 => false,
        _ => return None,
    };
    Some(Operation::BusError {
        id: number(arguments, 0)?,
        error,
        primary,
        is_sender: truth(arguments, 6)?,
    })
}

fn configuration(arguments: &[u8]) -> Option<Configuration> {
    let (kind, parameter) = arguments.split_first()?;
    let rate = || (parameter.len() == 4).then(|| number(parameter, 0))?;
    match kind {
        1 => rate().map(Configuration::BitRate),
        2 => rate().map(Configuration::FdBitRate),
        3 => rate().map(Configuration::XlBitRate),
        4 => match parameter {
            [1] => Some(Configuration::DiscardsLosers(false)),
            [2] => Some(Configuration::DiscardsLosers(true)),
            _ => None,
        },
        _ => None,
    }
}

fn put(to: &mut Vec<u8>, operation: u32, arguments: &[&[u8]]) {
    let length: usize = arguments.iter().map(|part| part.len()).sum();
    to.extend(operation.to_le_bytes());
    to.extend(((HEADER + length) as u32).to_le_bytes());
    for part in arguments {
        to.extend_from_slice(part);
    }
}

fn put_rate(to: &mut Vec<u8>, kind: u8, rate: u32) {
    put(to, code::CONFIGURATION, &[&[kind], &rate.to_le_bytes()]);
}

fn put_frame(to: &mut Vec<u8>, frame: &Frame) {
    let id = frame.id();
    let (number, extended) = (id.raw().to_le_bytes(), u8::from(id.is_extended()));
    let length = |data: &[u8]| (data.len() as u16).to_le_bytes();
    match frame.format() {
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => {
            let flags = [
                extended,
                u8::from(bit_rate_switch),
                u8::from(error_state_indicator),
            ];
            let data = frame.data();
            let parts = [&number[..], &flags, &length(data), data];
            put(to, code::CAN_FD_TRANSMIT, &parts);
        }
        format => {
            let is_remote = format == Format::Remote;
            let asked = usize::from(frame.dlc().min(FD_LENGTHS[8]));
            let data = match is_remote {
                true => &[0; 8][..asked],
                false => frame.data(),
            };
            let flags = [extended, u8::from(is_remote)];
            let parts = [&number[..], &flags, &length(data), data];
            put(to, code::CAN_TRANSMIT, &parts);
        }
    }
}

#[cfg(test)]
mod tests;
