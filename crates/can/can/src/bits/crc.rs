//! The three CRCs, one bit at a time, as a controller's shift register computes them.
//!
//! [`crate::bits::frame_length`] has its own table-driven CRC-15; the two check each other.

use super::FdVariant;

/// A CRC register [ISO 11898-1 §10.4].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crc {
    register: u32,
    polynomial: u32,
    width: u8,
}

impl Crc {
    /// CRC-15 of classic frames: x^15+x^14+x^10+x^8+x^7+x^4+x^3+1, starting with zero.
    pub(super) const fn classic() -> Self {
        Crc {
            register: 0,
            polynomial: 0x4599,
            width: 15,
        }
    }

    /// CRC-17 of FD frames of up to 16 bytes: x^17+x^16+x^14+x^13+x^11+x^6+x^4+x^3+x+1.
    pub(super) const fn fd_short(variant: FdVariant) -> Self {
        Crc::fd(0x1685B, 17, variant)
    }

    /// CRC-21 of FD frames of 20 bytes and more: x^21+x^20+x^13+x^11+x^7+x^4+x^3+1.
    pub(super) const fn fd_long(variant: FdVariant) -> Self {
        Crc::fd(0x10_2899, 21, variant)
    }

    const fn fd(polynomial: u32, width: u8, variant: FdVariant) -> Self {
        let register = match variant {
            FdVariant::Iso => 1 << (width - 1),
            FdVariant::NonIso => 0,
        };
        Crc {
            register,
            polynomial,
            width,
        }
    }

    pub(super) const fn push(&mut self, bit: bool) {
        let top = (self.register >> (self.width - 1)) & 1 != 0;
        self.register = (self.register << 1) & ((1 << self.width) - 1);
        if top != bit {
            self.register ^= self.polynomial;
        }
    }

    pub(super) const fn value(&self) -> u32 {
        self.register
    }

    pub(super) const fn width(&self) -> u8 {
        self.width
    }
}
