//! Channels of a record as numbers: bits at a place, and times in seconds.

use crate::bytes::{array_at, u64_at};
use crate::float_seconds;

/// A channel of a record, as far as its number needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) byte: usize,
    pub(super) bit: u8,
    pub(super) bits: u32,
    pub(super) kind: u8,
    /// The bit behind the data bytes that says that there is no value.
    pub(super) invalid: Option<usize>,
}

/// Kinds of values.
pub(super) mod kind {
    pub(in crate::mf4) const UNSIGNED: u8 = 0;
    pub(in crate::mf4) const UNSIGNED_BIG: u8 = 1;
    pub(in crate::mf4) const SIGNED: u8 = 2;
    pub(in crate::mf4) const SIGNED_BIG: u8 = 3;
    pub(in crate::mf4) const FLOAT: u8 = 4;
    pub(in crate::mf4) const FLOAT_BIG: u8 = 5;
}

impl Field {
    /// Returns true if it is a whole number of at most 64 bits.
    pub(super) const fn is_number(&self) -> bool {
        self.kind <= kind::SIGNED_BIG && self.bits <= 64 && self.bits > 0 && self.bit < 8
    }

    /// Returns the unsigned bits of the value; none if the record says that there is none.
    pub(super) fn raw(&self, record: &[u8]) -> Option<u64> {
        if let Some(bit) = self.invalid
            && record
                .get(bit / 8)
                .is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
        {
            return None;
        }
        if self.bit == 0 && self.bits == 8 {
            return record.get(self.byte).map(|byte| u64::from(*byte));
        }
        let is_big = matches!(
            self.kind,
            kind::UNSIGNED_BIG | kind::SIGNED_BIG | kind::FLOAT_BIG
        );
        let bytes = (usize::from(self.bit) + self.bits as usize).div_ceil(8);
        let mut value: u128 = 0;
        let there = record.get(self.byte..self.byte + bytes)?;
        if is_big {
            for byte in there {
                value = value << 8 | u128::from(*byte);
            }
        } else if bytes <= 8 {
            let mut wide = [0; 8];
            wide[..bytes].copy_from_slice(there);
            value = u128::from(u64::from_le_bytes(wide));
        } else {
            value = u128::from_le_bytes(array_at(there, 0));
        }
        let value = (value >> self.bit) as u64;
        Some(match self.bits {
            64 => value,
            bits => value & ((1 << bits) - 1),
        })
    }

    /// Returns the value, zero if there is none.
    pub(super) fn or_zero(field: Option<&Field>, record: &[u8]) -> u64 {
        field.and_then(|field| field.raw(record)).unwrap_or(0)
    }
}

/// The time channel: `offset + factor * value`, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeField {
    pub(super) field: Field,
    pub(super) offset: f64,
    pub(super) factor: f64,
}

impl TimeField {
    /// Returns true if it can be read: a float, or a whole number.
    pub(super) const fn is_readable(&self) -> bool {
        match self.field.kind {
            kind::FLOAT | kind::FLOAT_BIG => {
                self.field.bit == 0 && matches!(self.field.bits, 32 | 64)
            }
            _ => self.field.is_number(),
        }
    }

    /// Returns the time in nanoseconds, or the seconds that are no time.
    pub(super) fn nanoseconds(&self, record: &[u8]) -> Result<i128, f64> {
        let raw = match (self.field.kind, self.field.bits) {
            (kind::FLOAT, 64) => u64_at(record, self.field.byte),
            _ => self.field.raw(record).unwrap_or(0),
        };
        let number = match (self.field.kind, self.field.bits) {
            (kind::FLOAT | kind::FLOAT_BIG, 32) => f64::from(f32::from_bits(raw as u32)),
            (kind::FLOAT | kind::FLOAT_BIG, _) => f64::from_bits(raw),
            (kind::SIGNED | kind::SIGNED_BIG, bits) => {
                return self.whole((raw << (64 - bits)) as i64 as i128 >> (64 - bits));
            }
            _ => return self.whole(i128::from(raw)),
        };
        rounded(self.offset + self.factor * number)
    }

    /// Keeps the digits of whole numbers of nanoseconds.
    fn whole(&self, number: i128) -> Result<i128, f64> {
        let step = self.factor * 1e9;
        let offset = rounded(self.offset)?;
        match step.round() >= 1.0 && (step - step.round()).abs() < 1e-6 && step < 1e15 {
            true => Ok(offset + number * step.round() as i128),
            false => Ok(offset + rounded(number as f64 * self.factor)?),
        }
    }
}

fn rounded(seconds: f64) -> Result<i128, f64> {
    float_seconds::nanoseconds(seconds).ok_or(seconds)
}
