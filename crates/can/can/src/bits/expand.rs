//! A frame laid out bit by bit, as its sender drives it: slow and plain, to be looked at and to
//! check [`crate::bits::frame_length`], with which it shares no code.

use super::crc::Crc;
use super::{
    END_OF_FRAME_BITS, FD_SHORT_MAX, FIXED_STUFF_GROUP, FdVariant, Field, FrameLength, Level,
    STUFF_RUN, Stuff, WIRE_BITS_MAX, WireBit, stuff_count_field,
};
use crate::frame::{Format, Frame};
use crate::id::Id;

/// The bits of one frame on the wire, from start of frame to end of frame, in a fixed array.
#[derive(Clone)]
pub struct WireBits {
    bits: [WireBit; WIRE_BITS_MAX],
    len: usize,
    crc: u32,
}

impl WireBits {
    /// Returns the bits as the sender drives them; the ACK slot is recessive.
    #[must_use]
    pub fn bits(&self) -> &[WireBit] {
        &self.bits[..self.len]
    }

    /// Returns the CRC sequence: 15, 17 or 21 bits.
    #[must_use]
    pub const fn crc(&self) -> u32 {
        self.crc
    }

    /// Counts the bits.
    #[must_use]
    pub fn length(&self) -> FrameLength {
        FrameLength::of(self.bits())
    }
}

/// Lays out a frame bit by bit. The variant matters to FD frames only.
#[must_use]
pub fn expand(frame: &Frame, variant: FdVariant) -> WireBits {
    let crc = match frame.format() {
        Format::Classic | Format::Remote => Crc::classic(),
        Format::Fd { .. } if frame.data_len() <= FD_SHORT_MAX => Crc::fd_short(variant),
        Format::Fd { .. } => Crc::fd_long(variant),
    };
    let mut layout = Layout::new(crc, frame.is_fd());
    layout.arbitration(frame);
    layout.control(frame);
    for &byte in frame.data() {
        layout.content(Field::Data, byte as u32, 8);
    }
    match frame.format() {
        Format::Classic | Format::Remote => layout.classic_crc(),
        Format::Fd { .. } => layout.fd_crc(variant),
    }
    layout.trailer();
    layout.wire
}

/// The sender's state: what is out already, and what the stuffing rules and the CRC have seen.
struct Layout {
    wire: WireBits,
    /// The level of the last bit and how many equal bits it ends; stuff bits count.
    level: Level,
    run: u8,
    data_phase: bool,
    crc: Crc,
    /// FD frames protect their dynamic stuff bits by the CRC, classic frames do not.
    crc_over_stuff_bits: bool,
    dynamic_stuff_bits: u16,
}

impl Layout {
    fn new(crc: Crc, fd: bool) -> Self {
        let unused = WireBit {
            level: Level::Recessive,
            field: Field::EndOfFrame,
            stuff: Stuff::None,
            data_phase: false,
        };
        Layout {
            wire: WireBits {
                bits: [unused; WIRE_BITS_MAX],
                len: 0,
                crc: 0,
            },
            level: Level::Recessive,
            run: 1,
            data_phase: false,
            crc,
            crc_over_stuff_bits: fd,
            dynamic_stuff_bits: 0,
        }
    }

    /// SOF up to the bit before FDF.
    fn arbitration(&mut self, frame: &Frame) {
        let remote = frame.format() == Format::Remote;
        let request = match frame.format() {
            Format::Fd { .. } => Field::RemoteRequestSubstitution,
            Format::Classic | Format::Remote => Field::RemoteTransmissionRequest,
        };
        self.content(Field::StartOfFrame, 0, 1);
        match frame.id() {
            Id::Standard(id) => {
                self.content(Field::Identifier, id.raw() as u32, 11);
                self.content(request, remote as u32, 1);
                self.content(Field::IdentifierExtension, 0, 1);
            }
            Id::Extended(id) => {
                self.content(Field::Identifier, id.base() as u32, 11);
                self.content(Field::SubstituteRemoteRequest, 1, 1);
                self.content(Field::IdentifierExtension, 1, 1);
                self.content(Field::ExtendedIdentifier, id.raw() & 0x3_FFFF, 18);
                self.content(request, remote as u32, 1);
            }
        }
    }

    /// FDF up to DLC; from the bit after a recessive BRS on the data bit rate holds.
    fn control(&mut self, frame: &Frame) {
        match frame.format() {
            Format::Classic | Format::Remote => {
                self.content(Field::FdFormat, 0, 1);
                if frame.id().is_extended() {
                    self.content(Field::Reserved, 0, 1);
                }
            }
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => {
                self.content(Field::FdFormat, 1, 1);
                self.content(Field::Reserved, 0, 1);
                self.content(Field::BitRateSwitch, bit_rate_switch as u32, 1);
                self.data_phase = bit_rate_switch;
                self.content(Field::ErrorStateIndicator, error_state_indicator as u32, 1);
            }
        }
        self.content(Field::DataLengthCode, frame.dlc() as u32, 4);
    }

    /// The CRC sequence of a classic frame is stuffed like what precedes it, to the last bit.
    fn classic_crc(&mut self) {
        self.wire.crc = self.crc.value();
        self.content(Field::Crc, self.wire.crc, self.crc.width());
        self.dynamic_stuff_bit_if_due();
    }

    /// In the CRC field of an FD frame a fixed stuff bit stands first and after every four bits.
    /// A run of five at the end of the data gets no dynamic stuff bit besides.
    fn fd_crc(&mut self, variant: FdVariant) {
        let mut place = 0;
        if variant == FdVariant::Iso {
            let count = stuff_count_field(self.dynamic_stuff_bits) as u32;
            for bit in bits_of(count, 4) {
                self.crc.push(bit);
                self.fixed_stuffing(Field::StuffCount, bit, &mut place);
            }
        }
        self.wire.crc = self.crc.value();
        for bit in bits_of(self.wire.crc, self.crc.width()) {
            self.fixed_stuffing(Field::Crc, bit, &mut place);
        }
    }

    fn fixed_stuffing(&mut self, field: Field, bit: bool, place: &mut usize) {
        if place.is_multiple_of(FIXED_STUFF_GROUP) {
            self.drive(self.level.complement(), field, Stuff::Fixed);
        }
        self.drive(Level::from_bit(bit), field, Stuff::None);
        *place += 1;
    }

    /// CRC delimiter to end of frame. The CRC delimiter ends the data phase.
    fn trailer(&mut self) {
        self.drive(Level::Recessive, Field::CrcDelimiter, Stuff::None);
        self.data_phase = false;
        self.drive(Level::Recessive, Field::AckSlot, Stuff::None);
        self.drive(Level::Recessive, Field::AckDelimiter, Stuff::None);
        for _ in 0..END_OF_FRAME_BITS {
            self.drive(Level::Recessive, Field::EndOfFrame, Stuff::None);
        }
    }

    /// The low `width` bits of `value`, highest first, dynamically stuffed and put through the CRC.
    fn content(&mut self, field: Field, value: u32, width: u8) {
        for bit in bits_of(value, width) {
            self.dynamic_stuff_bit_if_due();
            self.crc.push(bit);
            self.drive(Level::from_bit(bit), field, Stuff::None);
        }
    }

    fn dynamic_stuff_bit_if_due(&mut self) {
        if self.run < STUFF_RUN {
            return;
        }
        let level = self.level.complement();
        if self.crc_over_stuff_bits {
            self.crc.push(level.bit());
        }
        self.dynamic_stuff_bits += 1;
        // Due only after at least five bits, so there is a last one.
        let field = self.wire.bits[self.wire.len - 1].field;
        self.drive(level, field, Stuff::Dynamic);
    }

    fn drive(&mut self, level: Level, field: Field, stuff: Stuff) {
        self.run = if level == self.level { self.run + 1 } else { 1 };
        self.level = level;
        self.wire.bits[self.wire.len] = WireBit {
            level,
            field,
            stuff,
            data_phase: self.data_phase,
        };
        self.wire.len += 1;
    }
}

/// The low `width` bits of a number, highest first.
fn bits_of(value: u32, width: u8) -> impl Iterator<Item = bool> {
    (0..width).rev().map(move |place| value >> place & 1 != 0)
}
