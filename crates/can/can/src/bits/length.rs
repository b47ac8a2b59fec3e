//! The number of a frame's bits, without laying it out: the simulator's hot path.
//!
//! Tables made at compile time take eight bits at a time through the stuffing rule and through
//! CRC-15. FD frames need no CRC for their length, for the CRC field's stuff bits are fixed.
//! [`crate::bits::expand()`] does the same work bit by bit and shares nothing with this file.

use super::{FD_SHORT_MAX, FdVariant, Stuff, WireBit};
use crate::frame::{Format, Frame};
use crate::id::{ExtendedId, Id};

/// The bits of one frame on the wire: start of frame to end of frame, stuff bits in, interframe
/// space out ([`crate::bits::INTERMISSION_BITS`]).
///
/// BRS counts as a nominal bit and the CRC delimiter as a data bit. The bit rate is switched
/// inside of these two, at the sample points, in such a way that together they last exactly one
/// nominal and one data bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameLength {
    /// Bits at the nominal bit rate, 44 to 157.
    pub nominal_bits: u16,
    /// Bits at the data bit rate; 0 in classic frames and in FD frames without bit rate switch.
    pub data_bits: u16,
    /// Dynamic stuff bits, included in the other counts.
    pub dynamic_stuff_bits: u16,
    /// Fixed stuff bits, included in the other counts; 0 in classic frames.
    pub fixed_stuff_bits: u16,
}

impl FrameLength {
    /// Returns the number of bits at either rate.
    #[must_use]
    pub const fn total_bits(&self) -> u16 {
        self.nominal_bits + self.data_bits
    }

    /// Counts bits that are already laid out.
    pub(super) fn of(bits: &[WireBit]) -> Self {
        let mut length = FrameLength::default();
        for bit in bits {
            if bit.data_phase {
                length.data_bits += 1;
            } else {
                length.nominal_bits += 1;
            }
            match bit.stuff {
                Stuff::None => {}
                Stuff::Dynamic => length.dynamic_stuff_bits += 1,
                Stuff::Fixed => length.fixed_stuff_bits += 1,
            }
        }
        length
    }
}

/// Returns the exact number of bits of a frame on the wire.
///
/// Takes about as long as two dozen table look-ups for a classic frame; allocates nothing.
#[must_use]
pub fn frame_length(frame: &Frame, variant: FdVariant) -> FrameLength {
    match frame.format() {
        Format::Classic => classic(frame, false),
        Format::Remote => classic(frame, true),
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => fd(frame, variant, bit_rate_switch, error_state_indicator),
    }
}

/// CRC delimiter, ACK slot, ACK delimiter, end of frame: of either format, never stuffed.
const TRAILER_BITS: u16 = 1 + 1 + 1 + 7;

fn classic(frame: &Frame, remote: bool) -> FrameLength {
    let (header, header_bits) = classic_header(frame.id(), remote, frame.dlc());
    // At most 39 + 64 bits, and 15 of CRC: 118.
    let data_bits = 8 * frame.data_len() as u32;
    let data = u64::from_be_bytes(*frame.first_eight()) as u128;
    let content = (header as u128) << data_bits | data >> (64 - data_bits);
    let stuffed_bits = header_bits + data_bits + 15;
    let stuffed = content << 15 | crc15(content, (header_bits + data_bits).div_ceil(8)) as u128;

    let bytes = stuffed_bits.div_ceil(8);
    let padded = (stuffed | lead(stuffed_bits)) << (128 - 8 * bytes);
    let stuff_bits = Stuffing::IDLE
        .take(&padded.to_be_bytes()[..bytes as usize])
        .count;
    FrameLength {
        nominal_bits: stuffed_bits as u16 + stuff_bits + TRAILER_BITS,
        data_bits: 0,
        dynamic_stuff_bits: stuff_bits,
        fixed_stuff_bits: 0,
    }
}

/// Returns the bits from SOF to DLC, right-aligned, and their number.
fn classic_header(id: Id, remote: bool, dlc: u8) -> (u64, u32) {
    let (remote, dlc) = (remote as u64, dlc as u64);
    match id {
        // SOF, ID 11, RTR, IDE, r0, DLC 4
        Id::Standard(id) => ((id.raw() as u64) << 7 | remote << 6 | dlc, 19),
        // SOF, ID 11, SRR, IDE, ID 18, RTR, r1, r0, DLC 4
        Id::Extended(id) => (extended_identifier(id) << 7 | remote << 6 | dlc, 39),
    }
}

fn fd(frame: &Frame, variant: FdVariant, switch: bool, passive: bool) -> FrameLength {
    let (nominal, nominal_header_bits) = fd_nominal_header(frame.id(), switch);
    let header = nominal << 5 | (passive as u64) << 4 | frame.dlc() as u64;
    let header_bits = nominal_header_bits + 5;

    // A frame whose data ends in five equal bits gets no dynamic stuff bit there: the first fixed
    // one breaks the run.
    let data = frame.data();
    let content = Stuffing::of_first(header, header_bits).take(data);
    let last_byte = data.last().copied().unwrap_or(header as u8);
    let stuff_bits = content.count - content.stuffed_after(last_byte & 1 != 0) as u16;

    let long = data.len() > FD_SHORT_MAX;
    let (count_bits, fixed_stuff_bits) = match variant {
        FdVariant::Iso => (4, if long { 7 } else { 6 }),
        FdVariant::NonIso => (0, if long { 6 } else { 5 }),
    };
    let crc_field_bits = count_bits + if long { 21 } else { 17 } + fixed_stuff_bits;
    let content_bits = header_bits as u16 + 8 * data.len() as u16;
    let total_bits = content_bits + stuff_bits + crc_field_bits + TRAILER_BITS;

    let nominal_bits = if switch {
        // No stuff bit follows BRS at once, for `res` before it is dominant: all of these are
        // before BRS. The trailer is nominal but for the CRC delimiter.
        let stuffed = Stuffing::of_first(nominal, nominal_header_bits).count;
        nominal_header_bits as u16 + stuffed + (TRAILER_BITS - 1)
    } else {
        total_bits
    };
    FrameLength {
        nominal_bits,
        data_bits: total_bits - nominal_bits,
        dynamic_stuff_bits: stuff_bits,
        fixed_stuff_bits,
    }
}

/// Returns the bits from SOF to BRS, right-aligned, and their number.
fn fd_nominal_header(id: Id, switch: bool) -> (u64, u32) {
    // FDF, res, BRS
    let tail = 0b100 | switch as u64;
    match id {
        // SOF, ID 11, RRS, IDE
        Id::Standard(id) => ((id.raw() as u64) << 5 | tail, 17),
        // SOF, ID 11, SRR, IDE, ID 18, RRS
        Id::Extended(id) => (extended_identifier(id) << 4 | tail, 36),
    }
}

/// Returns SOF and a 29-bit identifier with the SRR and IDE bits inside it: 32 bits.
fn extended_identifier(id: ExtendedId) -> u64 {
    (id.base() as u64) << 20 | 0b11 << 18 | (id.raw() as u64 & 0x3_FFFF)
}

/// Bits to put before SOF to fill up whole bytes, in place: they alternate and end recessive, as an
/// idle bus does, so that they start no run.
const fn lead(bits: u32) -> u128 {
    let missing = bits.next_multiple_of(8) - bits;
    (0b0101_0101 & ((1 << missing) - 1)) << bits
}

/// The stuffing rule after some bits: the run that the last of them (or the stuff bit after it)
/// belongs to, and how many stuff bits there were.
#[derive(Clone, Copy)]
struct Stuffing {
    /// 8 times the state of [`STUFFING`] in bits 3 to 5; the bits above are left over.
    state: u64,
    count: u16,
}

impl Stuffing {
    /// Before SOF: one recessive bit.
    const IDLE: Stuffing = Stuffing {
        state: 8 * (1 << 2),
        count: 0,
    };

    /// Takes the first `bits` bits of a frame, at most 41, right-aligned.
    fn of_first(first: u64, bits: u32) -> Self {
        let bytes = bits.div_ceil(8);
        let padded = (first | lead(bits) as u64) << (64 - 8 * bytes);
        Stuffing::IDLE.take(&padded.to_be_bytes()[..bytes as usize])
    }

    /// Takes whole bytes. At most 69, so that the count stays far below its limit.
    fn take(self, bytes: &[u8]) -> Self {
        let Stuffing {
            mut state,
            mut count,
        } = self;
        for &byte in bytes {
            // A shift takes its distance modulo 64: the state, and no mask, on the critical path.
            state = STUFFING[byte as usize].wrapping_shr(state as u32);
            count += (state >> 6 & 3) as u16;
        }
        Stuffing { state, count }
    }

    /// Returns true if a stuff bit came after the last bit taken, which was `last`.
    fn stuffed_after(self, last: bool) -> bool {
        (self.state >> 5 & 1 != 0) != last
    }
}

/// For each byte, one lane of 8 bits for each state of the stuffing rule: in bits 3 to 5 the state
/// after the byte, in bits 6 and 7 the number of stuff bits. State: level x 4 + run length - 1;
/// runs are 1 to 4 long, for after the fifth bit comes a stuff bit and starts a new one.
static STUFFING: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut state = 0;
        while state < 8 {
            table[byte] |= stuffing_lane(byte as u8, state as u8) << (8 * state);
            state += 1;
        }
        byte += 1;
    }
    table
};

const fn stuffing_lane(byte: u8, state: u8) -> u64 {
    let (mut level, mut run, mut count) = (state >> 2, (state & 3) + 1, 0);
    let mut i = 8;
    while i > 0 {
        i -= 1;
        let bit = byte >> i & 1;
        run = if bit == level { run + 1 } else { 1 };
        level = bit;
        if run == 5 {
            (level, run) = (1 - level, 1);
            count += 1;
        }
    }
    // At most 2 stuff bits for 8 bits: after a run of 4, at bits 1 and 5.
    ((count << 6) | (level << 2 | (run - 1)) << 3) as u64
}

/// CRC-15 of up to 13 bytes, right-aligned. Zeros in front change nothing, for the register starts
/// with zero; and it is linear, so each byte counts for itself.
fn crc15(content: u128, bytes: u32) -> u16 {
    content
        .to_le_bytes()
        .iter()
        .zip(&CRC15)
        .take(bytes as usize)
        .fold(0, |crc, (&byte, table)| crc ^ table[byte as usize])
}

/// The contribution of each byte to CRC-15, by the number of bytes after it.
static CRC15: [[u16; 256]; 13] = {
    let mut tables = [[0; 256]; 13];
    let mut byte = 0;
    while byte < 256 {
        let mut register = (byte as u16) << 7;
        let mut after = 0;
        while after < 13 {
            let mut shift = 0;
            while shift < 8 {
                let carry = register >> 14 & 1;
                register = (register << 1 & 0x7FFF) ^ (carry * 0x4599);
                shift += 1;
            }
            tables[after][byte] = register;
            after += 1;
        }
        byte += 1;
    }
    tables
};
