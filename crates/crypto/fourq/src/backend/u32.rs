//! GF(p), p = 2^127 - 1, in four 32-bit limbs: the counterpart of `u64.rs` for small processors.
//!
//! Same representation (values in [0, p], p a second zero), same names, same promises; read the
//! other file for the ideas. What differs is the inner step: a 32 by 32 bit product plus two
//! 32-bit words never exceeds 2^64 - 1, which is one instruction (UMAAL) on Cortex-M4 and later.
//! Constant time where the multiplier is: on Cortex-M3 it is not, and this backend then neither.

use core::hint::black_box;

use zeroize::Zeroize;

/// Width of the non-adjacent form for the generator in verification: 3 KiB of table, since flash
/// is dear where this backend runs.
pub(crate) const GENERATOR_WINDOW: u32 = 5;

/// Bits of the top limb that are in use.
const TOP: u32 = 0x7fff_ffff;

/// A machine word.
pub(crate) type Limb = u32;
/// Limbs of an element.
pub(crate) const LIMBS: usize = 4;

/// An element of GF(2^127 - 1), little-endian limbs, value in [0, p].
#[derive(Clone, Copy, Zeroize)]
pub(crate) struct Fp([Limb; LIMBS]);

/// A mask of zeros or of ones, hidden from the optimiser.
#[derive(Clone, Copy)]
pub(crate) struct Mask(u32);

impl Mask {
    /// All ones if `a == b`; both below 2^31.
    #[inline(always)]
    pub(crate) fn equal(a: u64, b: u64) -> Self {
        // a ^ b < 2^31: minus one has the top bit set only for a == b.
        Self(black_box(
            (((a ^ b) as u32).wrapping_sub(1) >> 31).wrapping_neg(),
        ))
    }

    /// All ones if the lowest bit of `bit` is set.
    #[inline(always)]
    pub(crate) fn from_bit(bit: u64) -> Self {
        Self(black_box((bit as u32 & 1).wrapping_neg()))
    }

    /// `limb` where the mask is set, else zero.
    #[inline(always)]
    pub(crate) fn and_limb(self, limb: Limb) -> Limb {
        self.0 & limb
    }

    /// `value` where the mask is set, else zero.
    #[inline(always)]
    pub(crate) fn and(self, value: u64) -> u64 {
        (u64::from(self.0) << 32 | u64::from(self.0)) & value
    }
}

/// a b + c + d, at most (2^32 - 1)² + 2 (2^32 - 1) = 2^64 - 1.
#[inline(always)]
const fn multiply_add(a: u32, b: u32, c: u32, d: u32) -> u64 {
    a as u64 * b as u64 + c as u64 + d as u64
}

/// `total + a b`; the result must be below 2^256.
#[inline(always)]
const fn accumulate(mut total: [u32; 8], a: [u32; 4], b: [u32; 4]) -> [u32; 8] {
    let mut i = 0;
    while i < 4 {
        let (mut carry, mut j) = (0, 0);
        while j < 4 {
            let wide = multiply_add(a[i], b[j], total[i + j], carry);
            total[i + j] = wide as u32;
            carry = (wide >> 32) as u32;
            j += 1;
        }
        // Nothing beyond the last limb, by the bound above.
        while i + j < 8 {
            let wide = total[i + j] as u64 + carry as u64;
            total[i + j] = wide as u32;
            carry = (wide >> 32) as u32;
            j += 1;
        }
        i += 1;
    }
    total
}

impl Fp {
    pub(crate) const ZERO: Self = Self([0; 4]);
    pub(crate) const ONE: Self = Self([1, 0, 0, 0]);

    /// The element `value`; `value` must be at most p.
    pub(crate) const fn from_u128(value: u128) -> Self {
        debug_assert!(value >> 127 == 0);
        Self([
            value as u32,
            (value >> 32) as u32,
            (value >> 64) as u32,
            (value >> 96) as u32,
        ])
    }

    /// a + b + carry of two numbers whose sum is at most 2^128 - 2, folded into [0, p].
    #[inline(always)]
    const fn sum(a: [u32; 4], b: [u32; 4], mut carry: u32) -> Self {
        let (mut sum, mut i) = ([0; 4], 0);
        while i < 4 {
            let wide = a[i] as u64 + b[i] as u64 + carry as u64;
            sum[i] = wide as u32;
            carry = (wide >> 32) as u32;
            i += 1;
        }
        debug_assert!(carry == 0);
        // Bit 127 is worth one; the excluded 2^128 - 1 would be the one to reach 2^127.
        let mut carry = sum[3] >> 31;
        sum[3] &= TOP;
        i = 0;
        while i < 4 {
            let wide = sum[i] as u64 + carry as u64;
            sum[i] = wide as u32;
            carry = (wide >> 32) as u32;
            i += 1;
        }
        Self(sum)
    }

    /// A number below 2^255 (at most 2 p²) mod p.
    #[inline(always)]
    const fn reduce(total: [u32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = total;
        // Bits 127..254, and bit 254 alone, which is worth one again. With it set the others are
        // at most 2^127 - 4, so lower + upper + top is at most 2^128 - 2 in either case.
        let upper = [
            e << 1 | d >> 31,
            f << 1 | e >> 31,
            g << 1 | f >> 31,
            (h << 1 | g >> 31) & TOP,
        ];
        Self::sum([a, b, c, d & TOP], upper, h >> 30)
    }

    /// The limbs as they stand, not canonical.
    #[inline(always)]
    pub(crate) const fn to_limbs(self) -> [Limb; LIMBS] {
        self.0
    }

    /// The element with these limbs, which [`Self::to_limbs`] gave.
    #[inline(always)]
    pub(crate) const fn from_limbs(limbs: [Limb; LIMBS]) -> Self {
        Self(limbs)
    }

    /// The canonical integer in [0, p).
    pub(crate) const fn to_u128(self) -> u128 {
        let [a, b, c, d] = self.0;
        let value = a as u128 | (b as u128) << 32 | (c as u128) << 64 | (d as u128) << 96;
        // value + 1 reaches 2^127 exactly for value = p; then one more and the mask give zero.
        (value + ((value + 1) >> 127)) & ((1 << 127) - 1)
    }

    /// Returns true if this is zero. Computed without branches; the caller's use of it is public.
    #[inline(always)]
    pub(crate) const fn is_zero(self) -> bool {
        self.to_u128() == 0
    }

    #[inline(always)]
    pub(crate) const fn add(self, other: Self) -> Self {
        // At most 2p = 2^128 - 2.
        Self::sum(self.0, other.0, 0)
    }

    #[inline(always)]
    pub(crate) const fn neg(self) -> Self {
        // p - value, no borrow since value <= p.
        let [a, b, c, d] = self.0;
        Self([!a, !b, !c, d ^ TOP])
    }

    #[inline(always)]
    pub(crate) const fn sub(self, other: Self) -> Self {
        self.add(other.neg())
    }

    /// 2a: a rotation of 127 bits.
    #[inline(always)]
    pub(crate) const fn double(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([
            a << 1 | d >> 30,
            b << 1 | a >> 31,
            c << 1 | b >> 31,
            (d << 1 | c >> 31) & TOP,
        ])
    }

    /// a/2: the same rotation the other way.
    #[inline(always)]
    pub(crate) const fn half(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([
            a >> 1 | b << 31,
            b >> 1 | c << 31,
            c >> 1 | d << 31,
            d >> 1 | (a & 1) << 30,
        ])
    }

    /// Out of line, as [`Self::mul_pair`]: the call costs little beside 16 products, and flash is
    /// dear where this backend runs.
    #[inline(never)]
    pub(crate) const fn mul(self, other: Self) -> Self {
        // At most p².
        Self::reduce(accumulate([0; 8], self.0, other.0))
    }

    #[inline(always)]
    pub(crate) const fn sqr(self) -> Self {
        self.mul(self)
    }

    /// `a*b + c*d`, reduced once.
    #[inline(never)]
    pub(crate) const fn mul_pair(a: Self, b: Self, c: Self, d: Self) -> Self {
        // At most 2 p² = 2^255 - 2^129 + 2.
        Self::reduce(accumulate(accumulate([0; 8], a.0, b.0), c.0, d.0))
    }

    /// a^(2^n), n public.
    #[inline(always)]
    pub(crate) const fn sqr_times(self, n: u32) -> Self {
        let (mut value, mut i) = (self, 0);
        while i < n {
            value = value.sqr();
            i += 1;
        }
        value
    }

    /// `other` where the mask is set, else `self`.
    #[inline(always)]
    pub(crate) fn select(self, other: Self, mask: Mask) -> Self {
        let mut result = self;
        for (limb, other) in result.0.iter_mut().zip(other.0) {
            *limb ^= mask.0 & (*limb ^ other);
        }
        result
    }
}
