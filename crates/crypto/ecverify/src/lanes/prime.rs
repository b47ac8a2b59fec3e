//! Primes in limbs of 52 bits, and the constants of Montgomery's form with R = 2^260.

use super::{LIMB_BITS, LIMB_MASK};
use crate::limbs::{add, small, sub};
use crate::residue::{Prime, Residue};

/// `words` in five limbs of 52 bits.
pub(crate) const fn limbs_of(words: &[u64; 4]) -> [u64; 5] {
    [
        words[0] & LIMB_MASK,
        (words[0] >> 52 | words[1] << 12) & LIMB_MASK,
        (words[1] >> 40 | words[2] << 24) & LIMB_MASK,
        (words[2] >> 28 | words[3] << 36) & LIMB_MASK,
        words[3] >> 16,
    ]
}

/// Constants that vectors need of a prime p of exactly 256 bits; 2^255 < p < 2^256 holds in all
/// bounds.
pub(crate) trait LanePrime: Prime<4> {
    /// p.
    const LIMBS: [u64; 5] = {
        assert!(Self::MODULUS[3] >> 63 == 1 && Self::MODULUS[0] & 1 == 1);
        limbs_of(&Self::MODULUS)
    };
    /// -1/p mod 2^52: of the inverse modulo 2^64, by Newton's iteration as in `residue`.
    const NEGATED_INVERSE: u64 = {
        let (mut inverse, mut i) = (Self::MODULUS[0], 0);
        while i < 5 {
            let error = 2_u64.wrapping_sub(Self::MODULUS[0].wrapping_mul(inverse));
            inverse = inverse.wrapping_mul(error);
            i += 1;
        }
        inverse.wrapping_neg() & LIMB_MASK
    };
    /// R mod p, the form of 1.
    const ONE: [u64; 5] = limbs_of(&form_of::<Self>(&small(1)));
    /// R^2 mod p, which brings an integer into the form.
    const RADIX_SQUARED: [u64; 5] = limbs_of(&form_of::<Self>(&form_of::<Self>(&small(1))));
    /// True if p = 2^256 - 2^224 + 2^192 + 2^96 - 1.
    const IS_P256: bool = Self::MODULUS[0] == u64::MAX
        && Self::MODULUS[1] == 0xffff_ffff
        && Self::MODULUS[2] == 0
        && Self::MODULUS[3] == 0xffff_ffff_0000_0001;
    /// Slightly below 2^300/p, for quotients by p of numbers in units of 2^248.
    ///
    /// By long division: 2^300 = Q p + remainder. Less 2^20, see `field`.
    const RECIPROCAL: u64 = {
        // 2^255 mod p is 2^255 itself; each doubling brings one bit of 2^300/p.
        let (mut quotient, mut i) = (0_u64, 0);
        let mut remainder = [0, 0, 0, 1 << 63];
        while i < 45 {
            let doubled = add(&remainder, &remainder);
            let (less_p, borrow) = sub(&doubled.0, &Self::MODULUS);
            let fits = doubled.1 || !borrow;
            remainder = if fits { less_p } else { doubled.0 };
            quotient = quotient << 1 | fits as u64;
            i += 1;
        }
        quotient - (1 << 20)
    };
}

impl<P: Prime<4>> LanePrime for P {}

/// `integer` R mod p, for an integer below p: the form of a constant, as tables hold it.
pub(crate) const fn form_of<P: Prime<4>>(integer: &[u64; 4]) -> [u64; 4] {
    let (mut form, mut i) = (Residue::<P, 4>::from_integer(integer), 0);
    while i < 5 * LIMB_BITS {
        form = form.double();
        i += 1;
    }
    form.to_integer()
}

/// `count` p, count < 64; the upper limb takes what 52 bits do not hold.
pub(super) const fn multiple<P: LanePrime>(count: u32) -> [u64; 5] {
    let (mut limbs, mut carry, mut i) = ([0; 5], 0, 0);
    while i < 5 {
        let sum = P::LIMBS[i] * count as u64 + carry;
        limbs[i] = sum & LIMB_MASK;
        carry = sum >> LIMB_BITS;
        i += 1;
    }
    limbs[4] += carry << LIMB_BITS;
    limbs
}
