//! Scalars in signed digits.

use crate::limbs::bits;

/// Digits of the longest form: of 384 bits and a carry.
const DIGITS: usize = 6 * 64 + 1;

/// A scalar in signed odd digits, zeros between them.
pub(super) struct NonAdjacentForm {
    pub(super) digits: [i8; DIGITS],
    /// Digits up to the highest one that is not zero.
    pub(super) length: usize,
}

impl NonAdjacentForm {
    /// Writes `scalar` with digits of absolute value below 2^(window - 1); window at most 8.
    pub(super) fn new<const N: usize>(scalar: &[u64; N], window: u32) -> Self {
        let mut form = Self {
            digits: [0; DIGITS],
            length: 0,
        };
        let (mut position, mut carry) = (0, 0);
        // At position 64 N only a carry can be left, which is a digit 1.
        while position <= 64 * N {
            if bits(scalar, position, 1) == carry {
                position += 1;
                continue;
            }
            let digit = bits(scalar, position, window) + carry;
            carry = digit >> (window - 1);
            // Below 2^window, odd; the upper half counts from 2^window down.
            form.digits[position] = (digit as i64 - ((carry as i64) << window)) as i8;
            form.length = position + 1;
            position += window as usize;
        }
        form
    }
}

/// The index of a digit in a table of odd multiples.
#[inline(always)]
pub(super) fn index(digit: i8) -> usize {
    usize::from(digit.unsigned_abs() / 2)
}
