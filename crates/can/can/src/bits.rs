//! The bits of a frame on the wire: their number ([`frame_length`]), their levels ([`expand()`]),
//! and their decoding by a receiver ([`Decoder`]).
//!
//! This module has the shared types: levels, fields, stuff bits. Durations are in
//! [`crate::timing`]; error flags, arbitration between several senders and error counters belong to
//! a bus model. Read ISO 11898-1:2015 §10.4 and §10.5, or `docs/can-bits.md`, which works through
//! every rule.

mod crc;
mod decode;
mod expand;
mod length;

#[cfg(test)]
mod tests;

pub use decode::{BitError, BitStep, Decoder, NextBit};
pub use expand::{WireBits, expand};
pub use length::{FrameLength, frame_length};

use crate::frame::DATA_MAX;

/// Recessive bits between frames; not part of any frame [ISO 11898-1 §10.4].
pub const INTERMISSION_BITS: u16 = 3;

/// Maximum number of bits of a frame on the wire, end of frame included.
///
/// 41 header bits and 64 data bytes are stuffed dynamically; then stuff count, CRC-21 and 7 fixed
/// stuff bits; then CRC delimiter, ACK slot, ACK delimiter and 7 bits of end of frame.
pub const WIRE_BITS_MAX: usize = STUFFED_MAX + STUFFED_MAX / 4 + (4 + 21 + 7) + (1 + 1 + 1 + 7);

/// The longest region with dynamic stuffing, before stuffing: an extended FD frame of 64 bytes.
const STUFFED_MAX: usize = 41 + 8 * DATA_MAX;

/// Number of equal bits after which a complementary bit is stuffed [ISO 11898-1 §10.5].
const STUFF_RUN: u8 = 5;

/// Number of bits that follow each fixed stuff bit in the CRC field of an FD frame.
const FIXED_STUFF_GROUP: usize = 4;

/// Maximum data length of FD frames with CRC-17, in bytes; longer frames carry CRC-21.
const FD_SHORT_MAX: usize = 16;

/// Bits of the end of frame.
const END_OF_FRAME_BITS: usize = 7;

/// The CRC of FD frames. Every node of a bus must agree; classic frames have no variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FdVariant {
    /// ISO 11898-1:2015 and later: stuff count in the CRC field, CRC registers start with a one.
    #[default]
    Iso,
    /// The first specification (Bosch, CAN FD 1.0): no stuff count, CRC registers start with zero.
    NonIso,
}

/// The level of the bus during a bit. A dominant bit of any sender overwrites recessive ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Logical 0.
    Dominant,
    /// Logical 1; the level of an idle bus.
    Recessive,
}

/// The field of a frame that a bit belongs to, in the words of [ISO 11898-1 §10.4].
///
/// A dynamic stuff bit belongs to the field of the bit before it, a fixed stuff bit to that of the
/// bit after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// SOF.
    StartOfFrame,
    /// The 11-bit identifier, or the upper 11 bits of a 29-bit one.
    Identifier,
    /// RTR: dominant in data frames, recessive in remote frames.
    RemoteTransmissionRequest,
    /// SRR: recessive, in the position of RTR in frames with a 29-bit identifier.
    SubstituteRemoteRequest,
    /// RRS: dominant, in the position of RTR in FD frames.
    RemoteRequestSubstitution,
    /// IDE: recessive if the identifier has 29 bits.
    IdentifierExtension,
    /// The lower 18 bits of a 29-bit identifier.
    ExtendedIdentifier,
    /// FDF: recessive in FD frames. Older texts call the dominant bit of a classic frame r0
    /// (11-bit identifier) or r1 (29-bit).
    FdFormat,
    /// The reserved bit after FDF, dominant: `res` in FD frames, r0 in classic frames with a
    /// 29-bit identifier. Classic frames with an 11-bit identifier have none.
    Reserved,
    /// BRS: recessive if the data phase has the data bit rate.
    BitRateSwitch,
    /// ESI: recessive if the sender is error passive.
    ErrorStateIndicator,
    /// DLC.
    DataLengthCode,
    /// The data field.
    Data,
    /// SBC: number of dynamic stuff bits modulo 8 in Gray code, and an even parity bit; ISO FD
    /// only.
    StuffCount,
    /// The CRC sequence.
    Crc,
    /// The recessive bit after the CRC sequence.
    CrcDelimiter,
    /// The bit that receivers overwrite with dominant.
    AckSlot,
    /// The recessive bit after the ACK slot.
    AckDelimiter,
    /// EOF: seven recessive bits.
    EndOfFrame,
}

/// Origin of a bit: frame content or a stuffing rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stuff {
    /// A bit of the frame's content.
    None,
    /// The complement after five equal bits.
    Dynamic,
    /// The complement of the bit before it, at fixed places of an FD frame's CRC field.
    Fixed,
}

/// One bit on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WireBit {
    /// The level that the sender drives.
    pub level: Level,
    /// The field that the bit belongs to.
    pub field: Field,
    /// Content or stuffing.
    pub stuff: Stuff,
    /// True if the bit is counted at the data bit rate: ESI to CRC delimiter of an FD frame with
    /// BRS recessive. BRS itself and the CRC delimiter are each partly at both rates, see
    /// [`crate::timing`].
    pub data_phase: bool,
}

impl Level {
    /// Returns the level of a logical bit.
    #[must_use]
    pub const fn from_bit(bit: bool) -> Self {
        if bit {
            Level::Recessive
        } else {
            Level::Dominant
        }
    }

    /// Returns the logical bit: recessive is 1.
    #[must_use]
    pub const fn bit(self) -> bool {
        matches!(self, Level::Recessive)
    }

    /// Returns the other level.
    #[must_use]
    pub const fn complement(self) -> Self {
        Level::from_bit(!self.bit())
    }
}

impl Field {
    /// Returns true if a sender that drives recessive here and sees dominant has lost arbitration,
    /// instead of having found a bit error: identifier, IDE, and RTR, SRR or RRS.
    #[must_use]
    pub const fn is_arbitration(self) -> bool {
        matches!(
            self,
            Field::Identifier
                | Field::RemoteTransmissionRequest
                | Field::SubstituteRemoteRequest
                | Field::RemoteRequestSubstitution
                | Field::IdentifierExtension
                | Field::ExtendedIdentifier
        )
    }

    /// Returns the customary short name: `SOF`, `ID`, `RTR` and so on.
    #[must_use]
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Field::StartOfFrame => "SOF",
            Field::Identifier => "ID",
            Field::RemoteTransmissionRequest => "RTR",
            Field::SubstituteRemoteRequest => "SRR",
            Field::RemoteRequestSubstitution => "RRS",
            Field::IdentifierExtension => "IDE",
            Field::ExtendedIdentifier => "EID",
            Field::FdFormat => "FDF",
            Field::Reserved => "res",
            Field::BitRateSwitch => "BRS",
            Field::ErrorStateIndicator => "ESI",
            Field::DataLengthCode => "DLC",
            Field::Data => "DATA",
            Field::StuffCount => "SBC",
            Field::Crc => "CRC",
            Field::CrcDelimiter => "CRC-del",
            Field::AckSlot => "ACK",
            Field::AckDelimiter => "ACK-del",
            Field::EndOfFrame => "EOF",
        }
    }
}

/// Encodes a number of dynamic stuff bits as the stuff count field of an ISO FD frame: modulo 8,
/// three bits of Gray code, then even parity [ISO 11898-1 §10.4].
const fn stuff_count_field(dynamic_stuff_bits: u16) -> u8 {
    let count = (dynamic_stuff_bits % 8) as u8;
    let gray = count ^ (count >> 1);
    (gray << 1) | (gray.count_ones() as u8 & 1)
}
