//! Integers modulo the prime order N, and the reduction of 256-bit integers to them.
//!
//! Four 64-bit limbs on every target: a signature needs only a few of these products, so a version
//! with narrower limbs for small processors would gain nothing. Products are Montgomery products
//! with R = 2^256; all operations are constant time. N and R² mod N are the only constants, the
//! latter computed by the compiler.

use zeroize::Zeroize;

use crate::backend::Mask;
use crate::constants::ORDER;

/// An integer in [0, N).
#[derive(Clone, Copy, Zeroize)]
pub(crate) struct Scalar([u64; 4]);

/// -1/N mod 2^64 by Newton's iteration: each step doubles the number of right bits, from 5.
const MONTGOMERY_FACTOR: u64 = {
    let n = ORDER[0];
    let mut inverse = n.wrapping_mul(3) ^ 2;
    let mut step = 0;
    while step < 4 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(inverse)));
        step += 1;
    }
    inverse.wrapping_neg()
};

/// 2^512 mod N: 2^245 < N doubled 267 times.
const R_SQUARED: [u64; 4] = {
    let mut value = [0, 0, 0, 1 << 53];
    let mut step = 0;
    while step < 512 - 245 {
        let mut carry = 0;
        let mut i = 0;
        while i < 4 {
            let limb: u64 = value[i];
            value[i] = limb << 1 | carry;
            carry = limb >> 63;
            i += 1;
        }
        let (reduced, borrow) = subtract(value, ORDER);
        if borrow == 0 {
            value = reduced;
        }
        step += 1;
    }
    value
};

/// a - b mod 2^256 and the borrow.
const fn subtract(a: [u64; 4], b: [u64; 4]) -> ([u64; 4], u64) {
    let (mut difference, mut borrow, mut i) = ([0; 4], 0, 0);
    while i < 4 {
        let wide = (a[i] as u128).wrapping_sub(b[i] as u128 + borrow as u128);
        difference[i] = wide as u64;
        borrow = (wide >> 127) as u64;
        i += 1;
    }
    (difference, borrow)
}

/// a + (b where the mask is set) mod 2^256.
fn add_if(a: [u64; 4], b: [u64; 4], mask: Mask) -> [u64; 4] {
    let (mut sum, mut carry) = ([0; 4], 0);
    for i in 0..4 {
        let wide = u128::from(a[i]) + u128::from(mask.and(b[i])) + carry;
        sum[i] = wide as u64;
        carry = wide >> 64;
    }
    sum
}

/// `value - N` if that is not negative, for `value < 2N`.
fn reduce_once(value: [u64; 4]) -> [u64; 4] {
    let (difference, borrow) = subtract(value, ORDER);
    add_if(difference, ORDER, Mask::from_bit(borrow))
}

/// a b / 2^256 mod N for a < 2^256 and b < N.
fn montgomery_mul(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    // Before and after each round: t < 2N < 2^247 (fits four limbs), since
    // (t + a_i b + m N) / 2^64 < (2N + 2^64 N + 2^64 N) / 2^64 would be 2N + small; with
    // a_i, m <= 2^64 - 1 the sum is at most 2N + 2 (2^64 - 1) N = 2^65 N, so t <= 2N.
    let mut t = [0u64; 4];
    for limb in a {
        let mut carry = 0;
        let mut round = [0u64; 5];
        for j in 0..4 {
            let wide = u128::from(t[j]) + u128::from(limb) * u128::from(b[j]) + carry;
            round[j] = wide as u64;
            carry = wide >> 64;
        }
        round[4] = carry as u64;
        let m = round[0].wrapping_mul(MONTGOMERY_FACTOR);
        let mut carry = (u128::from(round[0]) + u128::from(m) * u128::from(ORDER[0])) >> 64;
        for j in 1..4 {
            let wide = u128::from(round[j]) + u128::from(m) * u128::from(ORDER[j]) + carry;
            t[j - 1] = wide as u64;
            carry = wide >> 64;
        }
        // The round's total is below 2^65 N < 2^311: nothing is lost above.
        t[3] = (u128::from(round[4]) + carry) as u64;
    }
    reduce_once(t)
}

/// The little-endian limbs of 32 bytes.
pub(crate) fn limbs(bytes: &[u8; 32]) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
        for (i, &byte) in chunk.iter().enumerate() {
            *limb |= u64::from(byte) << (8 * i);
        }
    }
    limbs
}

impl Scalar {
    pub(crate) const ZERO: Self = Self([0; 4]);

    /// `value mod N` of any 256-bit integer.
    pub(crate) fn reduce(value: [u64; 4]) -> Self {
        let montgomery = montgomery_mul(value, R_SQUARED);
        Self(montgomery_mul(montgomery, [1, 0, 0, 0]))
    }

    /// `bytes mod N`, little endian.
    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self::reduce(limbs(bytes))
    }

    /// The integer in [0, N) or `None` for a larger one; variable time, for public input.
    pub(crate) fn from_canonical_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let limbs = limbs(bytes);
        let (_, borrow) = subtract(limbs, ORDER);
        (borrow == 1).then_some(Self(limbs))
    }

    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (chunk, limb) in bytes.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&limb.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn to_limbs(self) -> [u64; 4] {
        self.0
    }

    pub(crate) fn mul(self, other: Self) -> Self {
        Self(montgomery_mul(montgomery_mul(self.0, other.0), R_SQUARED))
    }

    pub(crate) fn add(self, other: Self) -> Self {
        // Below 2N < 2^247.
        Self(reduce_once(add_if(self.0, other.0, Mask::from_bit(1))))
    }

    pub(crate) fn sub(self, other: Self) -> Self {
        let (difference, borrow) = subtract(self.0, other.0);
        Self(add_if(difference, ORDER, Mask::from_bit(borrow)))
    }

    /// `self` or `self + N`, whichever is odd: below 2N < 2^247.
    pub(crate) fn to_odd(self) -> [u64; 4] {
        add_if(self.0, ORDER, Mask::from_bit(!self.0[0]))
    }
}
