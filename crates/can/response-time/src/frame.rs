//! The longest frame of a message: every payload and every CRC that its format allows.
//!
//! The identifier and the length are known, so stuffing up to the DLC is counted exactly. From
//! there on the bits are free: the run that the header ends with is continued, then each fourth bit
//! brings a stuff bit.

use waywarden_can::Id;
use waywarden_can::bits::{FdVariant, FrameLength};

/// A frame format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Classic CAN data frame.
    Classic,
    /// CAN FD.
    Fd {
        /// BRS.
        bit_rate_switch: bool,
        /// ISO format, or the one before it.
        variant: FdVariant,
    },
}

/// CRC delimiter, ACK slot, ACK delimiter, end of frame.
const TRAILER_BITS: u16 = 10;
/// Payloads above this have a CRC of 21 bits.
const SHORT_MAX: u8 = 16;

/// Returns an upper bound of the bits of a frame with this identifier and payload length in bytes,
/// whatever it carries. Lengths that the format does not have count as the next longer one.
#[must_use]
pub fn worst_case_length(id: Id, kind: FrameKind, bytes: u8) -> FrameLength {
    length(id, kind, bytes, true)
}

/// Returns an upper bound of the bits of a classic frame with any 29-bit identifier:
/// g + 8s + 10 + floor((g + 8s - 1) / 4) with g = 54 [RTA §2.2].
#[must_use]
pub fn worst_case_extended(bytes: u8) -> FrameLength {
    let stuffed = 54 + 8 * u16::from(bytes.min(8));
    FrameLength {
        nominal_bits: stuffed + TRAILER_BITS + (stuffed - 1) / 4,
        data_bits: 0,
        dynamic_stuff_bits: (stuffed - 1) / 4,
        fixed_stuff_bits: 0,
    }
}

/// Returns upper and lower bounds of the bits of an FD frame with any 29-bit identifier that
/// switches the bit rate.
#[must_use]
pub fn extended_fd(variant: FdVariant, bytes: u8) -> [FrameLength; 2] {
    // Start of frame, identifier with SRR and IDE, RRS, FDF, res, BRS; a stuff bit for each fourth
    // bit, and one more behind the next.
    let taken = 1 + 11 + 2 + 18 + 1 + 3;
    [(true, 4, (taken - 1) / 4), (false, 1, 0)].map(|(is_longest, run, count)| {
        let header = Stuffing {
            level: true,
            run,
            taken,
            count,
        };
        fd_length(&header, (true, variant), bytes, is_longest)
    })
}

/// Returns a lower bound of the bits of a frame with this identifier: no stuff bit behind the
/// header.
#[must_use]
pub fn shortest_length(id: Id, kind: FrameKind, bytes: u8) -> FrameLength {
    length(id, kind, bytes, false)
}

fn length(id: Id, kind: FrameKind, bytes: u8, is_longest: bool) -> FrameLength {
    let stuff = |header: &Stuffing, free: u16| match is_longest {
        true => header.at_most(free),
        false => header.count,
    };
    match kind {
        FrameKind::Classic => {
            let mut header = Stuffing::start();
            header.identifier(id, 0b00, 0b000);
            header.bits(u32::from(bytes.min(8)), 4);
            let free = 8 * u16::from(bytes.min(8)) + 15;
            let stuffed = stuff(&header, free);
            FrameLength {
                nominal_bits: header.taken + free + stuffed + TRAILER_BITS,
                data_bits: 0,
                dynamic_stuff_bits: stuffed,
                fixed_stuff_bits: 0,
            }
        }
        FrameKind::Fd {
            bit_rate_switch,
            variant,
        } => {
            let mut header = Stuffing::start();
            // FDF, res, BRS.
            let tail = 0b100 | u32::from(bit_rate_switch);
            header.identifier(id, tail, tail);
            fd_length(&header, (bit_rate_switch, variant), bytes, is_longest)
        }
    }
}

/// Returns the length of an FD frame behind this header.
fn fd_length(
    header: &Stuffing,
    (bit_rate_switch, variant): (bool, FdVariant),
    bytes: u8,
    is_longest: bool,
) -> FrameLength {
    let nominal = header.taken + header.count + TRAILER_BITS - 1;
    // ESI and DLC are free: a sender may be error passive.
    let free = 5 + 8 * u16::from(fd_bytes(bytes));
    let stuffed = match is_longest {
        true => header.at_most(free),
        false => header.count,
    };
    let (crc, fixed) = crc_field(variant, fd_bytes(bytes));
    let total = header.taken + free + stuffed + crc + TRAILER_BITS;
    let nominal_bits = if bit_rate_switch { nominal } else { total };
    FrameLength {
        nominal_bits,
        data_bits: total - nominal_bits,
        dynamic_stuff_bits: stuffed,
        fixed_stuff_bits: fixed,
    }
}

/// Returns the bits of the CRC field with its stuff bits, and how many of them are stuff bits
/// [ISO 11898-1 §10.4].
const fn crc_field(variant: FdVariant, bytes: u8) -> (u16, u16) {
    let is_long = bytes > SHORT_MAX;
    let crc = if is_long { 21 } else { 17 };
    match variant {
        FdVariant::Iso => {
            let fixed = if is_long { 7 } else { 6 };
            (4 + crc + fixed, fixed)
        }
        FdVariant::NonIso => {
            let fixed = if is_long { 6 } else { 5 };
            (crc + fixed, fixed)
        }
    }
}

fn fd_bytes(bytes: u8) -> u8 {
    let mut lengths = waywarden_can::frame::FD_LENGTHS.iter().copied();
    lengths.find(|&one| one >= bytes).unwrap_or(64)
}

/// The stuffing rule while known bits go by.
struct Stuffing {
    level: bool,
    run: u16,
    taken: u16,
    count: u16,
}

impl Stuffing {
    /// Behind the start of frame.
    const fn start() -> Self {
        Stuffing {
            level: false,
            run: 1,
            taken: 1,
            count: 0,
        }
    }

    /// Takes the low bits of a number, the highest first.
    fn bits(&mut self, value: u32, number: u32) {
        for at in (0..number).rev() {
            let bit = value >> at & 1 != 0;
            self.run = if bit == self.level { self.run + 1 } else { 1 };
            self.level = bit;
            self.taken += 1;
            if self.run == 5 {
                (self.level, self.run) = (!bit, 1);
                self.count += 1;
            }
        }
    }

    /// Takes an identifier and what follows it up to the DLC (classic) or ESI (FD). `short` stands
    /// behind the IDE bit of an 11-bit identifier, `long` behind the RTR bit of a 29-bit one.
    fn identifier(&mut self, id: Id, short: u32, long: u32) {
        let is_fd = short != 0;
        match id {
            Id::Standard(id) => {
                self.bits(u32::from(id.raw()), 11);
                // RTR or RRS, IDE; then r0, or FDF, res, BRS.
                self.bits(0, 2);
                self.bits(short, if is_fd { 3 } else { 1 });
            }
            Id::Extended(id) => {
                self.bits(id.raw() >> 18, 11);
                self.bits(0b11, 2);
                self.bits(id.raw() & 0x3_FFFF, 18);
                // RTR or RRS; then r1 and r0, or FDF, res, BRS.
                self.bits(0, 1);
                self.bits(long, if is_fd { 3 } else { 2 });
            }
        }
    }

    /// Returns the stuff bits at most, with so many free bits to come.
    const fn at_most(&self, free: u16) -> u16 {
        let first = 5 - self.run;
        match free.checked_sub(first) {
            Some(rest) => self.count + 1 + rest / 4,
            None => self.count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_can::bits::frame_length;
    use waywarden_can::{FdFlags, Frame};
    use waywarden_testkit::{Random, each_seed};

    fn id(random: &mut Random) -> Id {
        let raw = random.u64() as u32;
        match raw & 0x8000_0000 {
            0 => Id::standard((raw & 0x7FF) as u16).unwrap(),
            _ => Id::extended(raw & 0x1FFF_FFFF).unwrap(),
        }
    }

    #[test]
    fn no_frame_is_longer_or_shorter_than_its_bounds() {
        each_seed(300, |seed| {
            let mut random = Random::new(seed);
            let id = id(&mut random);
            let is_fd = random.u64() & 1 != 0;
            let lengths = waywarden_can::frame::FD_LENGTHS;
            let bytes = match is_fd {
                true => lengths[random.below(lengths.len() as u64) as usize],
                false => random.below(9) as u8,
            };
            let fill = [0x00, 0xFF, 0x0F, 0xF0, 0x78, 0x87][random.below(6) as usize];
            let is_random = random.u64() & 1 != 0;
            let data: Vec<u8> = (0..bytes)
                .map(|_| if is_random { random.u64() as u8 } else { fill })
                .collect();
            for variant in [FdVariant::Iso, FdVariant::NonIso] {
                let (brs, esi) = (random.u64() & 1 != 0, random.u64() & 1 != 0);
                let (frame, kind) = if is_fd {
                    let bit_rate_switch = brs;
                    let kind = FrameKind::Fd {
                        bit_rate_switch,
                        variant,
                    };
                    (
                        Frame::fd_with(
                            id,
                            &data,
                            FdFlags {
                                bit_rate_switch: brs,
                                error_state_indicator: esi,
                            },
                        )
                        .unwrap(),
                        kind,
                    )
                } else {
                    (Frame::classic(id, &data).unwrap(), FrameKind::Classic)
                };
                let real = frame_length(&frame, variant);
                let most = worst_case_length(id, kind, bytes);
                let least = shortest_length(id, kind, bytes);
                assert!(real.nominal_bits <= most.nominal_bits, "{frame:?}");
                assert!(real.data_bits <= most.data_bits, "{frame:?}");
                assert!(real.nominal_bits >= least.nominal_bits, "{frame:?}");
                assert!(real.data_bits >= least.data_bits, "{frame:?}");
                if let (
                    Id::Extended(_),
                    FrameKind::Fd {
                        bit_rate_switch: true,
                        ..
                    },
                ) = (id, kind)
                {
                    let [longest, shortest] = extended_fd(variant, bytes);
                    assert!(real.nominal_bits <= longest.nominal_bits, "{frame:?}");
                    assert!(real.data_bits <= longest.data_bits, "{frame:?}");
                    assert!(real.nominal_bits >= shortest.nominal_bits, "{frame:?}");
                    assert!(real.data_bits >= shortest.data_bits, "{frame:?}");
                }
                if real.data_bits > 0 {
                    // Nothing in the header of a frame that switches is free.
                    assert_eq!(real.nominal_bits, most.nominal_bits, "{frame:?}");
                }
            }
        });
    }

    /// g + 8s + 13 + floor((g + 8s - 1) / 4) bits with g = 34 or 54 [RTA §2.2].
    #[test]
    fn the_bound_is_at_most_that_for_any_identifier() {
        for bytes in 0..=8 {
            for raw in (0..=0x7FF).step_by(7) {
                let id = Id::standard(raw).unwrap();
                let own = worst_case_length(id, FrameKind::Classic, bytes).nominal_bits;
                let any = 34 + 8 * u16::from(bytes);
                assert!(own <= any + 13 - 3 + (any - 1) / 4, "{raw:x} {bytes}");
            }
        }
        let all = (0..=0x7FF).filter_map(|raw| Id::standard(raw).ok());
        let all = all.map(|id| worst_case_length(id, FrameKind::Classic, 8).nominal_bits);
        // 135 with intermission for any DLC; the bits of a DLC of 8 spare one stuff bit.
        assert_eq!(all.max(), Some(134 - 3));
    }
}
