//! The four kinds of ISO-TP frames: single, first, consecutive, flow control [ISO 15765-2:2016
//! §9.6]. Parsing says why a frame is none of them; the standard has such frames ignored.

use core::fmt;

use super::{Addressing, IsoTpLink, SeparationTime};
use crate::segment::DataField;

/// Lengths up to this one stand in the 12 bits of a first frame, longer ones in 32 bits after them.
pub(super) const SHORT_LENGTH_MAX: usize = 0xFFF;

/// Fills FD frames of more than 8 bytes where the link names no padding byte; the value has equally
/// many dominant and recessive bits and no run of five.
const DEFAULT_PADDING: u8 = 0xCC;

/// One frame's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pdu<'a> {
    Single { payload: &'a [u8] },
    First { length: u32, data: &'a [u8] },
    Consecutive { sequence: u8, data: &'a [u8] },
    FlowControl(FlowControl),
}

/// A flow control frame from a receiver to a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlowControl {
    pub(super) status: FlowStatus,
    /// Consecutive frames until the next flow control, 0 for all that are left.
    pub(super) block_size: u8,
    pub(super) separation: SeparationTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlowStatus {
    ContinueToSend,
    Wait,
    Overflow,
    Invalid(u8),
}

/// Reason that a frame was not for this machine, or not understood, and changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ignored {
    /// Too short for the control information, or for the address.
    Short,
    /// The address byte is another node's.
    Address(u8),
    /// A type of frame that the standard reserves: the first four bits.
    Type(u8),
    /// A single frame's length is zero, more than the frame holds, or in the wrong place.
    SingleLength,
    /// A first frame's length would fit a single frame, or 32 bits were used for what fits 12.
    FirstLength,
    /// A consecutive frame is shorter than those before it and not the last.
    ConsecutiveLength,
    /// A consecutive frame or a flow control that neither sender nor receiver waits for. Flow
    /// controls are for senders, all other frames for receivers.
    Unexpected,
}

impl<'a> Pdu<'a> {
    pub(super) fn parse(link: &IsoTpLink, field: &'a [u8]) -> Result<Self, Ignored> {
        let frame_bytes = field.len();
        let field = match link.addressing {
            Addressing::Normal => field,
            Addressing::Extended { receive, .. } => {
                let (&address, rest) = field.split_first().ok_or(Ignored::Short)?;
                if address != receive {
                    return Err(Ignored::Address(address));
                }
                rest
            }
        };
        let (&control, rest) = field.split_first().ok_or(Ignored::Short)?;
        let low = control & 0xF;
        match control >> 4 {
            0 => Self::parse_single(low, frame_bytes, rest),
            1 => Self::parse_first(link, low, frame_bytes, rest),
            2 => Ok(Pdu::Consecutive {
                sequence: low,
                data: rest,
            }),
            3 => match *rest {
                [block_size, separation, ..] => Ok(Pdu::FlowControl(FlowControl {
                    status: FlowStatus::from_wire(low),
                    block_size,
                    separation: SeparationTime(separation),
                })),
                _ => Err(Ignored::Short),
            },
            reserved => Err(Ignored::Type(reserved)),
        }
    }

    fn parse_single(low: u8, frame_bytes: usize, rest: &'a [u8]) -> Result<Self, Ignored> {
        // Above 8 bytes the four bits are zero and the length stands in a byte of its own.
        let (length, rest) = match (frame_bytes > 8, low, rest) {
            (false, length, rest) => (length, rest),
            (true, 0, [length, rest @ ..]) => (*length, rest),
            (true, ..) => return Err(Ignored::SingleLength),
        };
        match rest.get(..length as usize) {
            Some(payload) if length > 0 => Ok(Pdu::Single { payload }),
            _ => Err(Ignored::SingleLength),
        }
    }

    fn parse_first(
        link: &IsoTpLink,
        low: u8,
        frame_bytes: usize,
        rest: &'a [u8],
    ) -> Result<Self, Ignored> {
        if frame_bytes < 8 {
            return Err(Ignored::Short);
        }
        let (&low_byte, rest) = rest.split_first().ok_or(Ignored::Short)?;
        let short = u32::from_be_bytes([0, 0, low, low_byte]);
        let (length, data) = match (short, rest.split_first_chunk::<4>()) {
            (0, Some((long, data))) => match u32::from_be_bytes(*long) {
                length if length as usize > SHORT_LENGTH_MAX => (length, data),
                _ => return Err(Ignored::FirstLength),
            },
            (0, None) => return Err(Ignored::Short),
            _ => (short, rest),
        };
        if length as usize <= link.single_max(frame_bytes) {
            return Err(Ignored::FirstLength);
        }
        Ok(Pdu::First { length, data })
    }
}

impl FlowControl {
    pub(super) fn field(&self, link: &IsoTpLink) -> DataField {
        let mut field = start(link);
        field.extend(&[
            0x30 | self.status.to_wire(),
            self.block_size,
            self.separation.0,
        ]);
        finish(link, field)
    }
}

impl FlowStatus {
    const fn from_wire(low: u8) -> Self {
        match low {
            0 => FlowStatus::ContinueToSend,
            1 => FlowStatus::Wait,
            2 => FlowStatus::Overflow,
            invalid => FlowStatus::Invalid(invalid),
        }
    }

    const fn to_wire(self) -> u8 {
        match self {
            FlowStatus::ContinueToSend => 0,
            FlowStatus::Wait => 1,
            FlowStatus::Overflow => 2,
            FlowStatus::Invalid(low) => low,
        }
    }
}

/// A data field with the address, if there is one.
pub(super) fn start(link: &IsoTpLink) -> DataField {
    let mut field = DataField::EMPTY;
    if let Addressing::Extended { transmit, .. } = link.addressing {
        field.extend(&[transmit]);
    }
    field
}

/// Fills a data field as the link asks for and the frame formats require.
pub(super) fn finish(link: &IsoTpLink, mut field: DataField) -> DataField {
    let least = if link.padding.is_some() { 8 } else { 0 };
    field.fill(least, link.padding.unwrap_or(DEFAULT_PADDING));
    field
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ignored::Short => f.write_str("the frame is too short for its control information"),
            Ignored::Address(address) => write!(f, "the frame is for address {address:02X}"),
            Ignored::Type(reserved) => write!(f, "frame type {reserved} is reserved"),
            Ignored::SingleLength => f.write_str("the length of a single frame does not fit it"),
            Ignored::FirstLength => {
                f.write_str("the length of a first frame needs none, or is in the wrong form")
            }
            Ignored::ConsecutiveLength => {
                f.write_str("a consecutive frame is short and not the last")
            }
            Ignored::Unexpected => f.write_str("no transfer waits for this frame"),
        }
    }
}

impl core::error::Error for Ignored {}
