//! GF(p), p = 2^127 - 1, in two 64-bit limbs.
//!
//! A value is kept in [0, p], *both ends included*: p is a second name of zero that only
//! [`Fp::to_u128`] removes. Because 2^127 = 1 (mod p), reduction is an addition of the bits
//! above 127 to the bits below, and negation is the complement of 127 bits. Nothing here
//! branches or indexes on a value. Read [FourQ §4.1] first; the lazy sum of two products
//! ([`Fp::mul_pair`]) is what GF(p^2) is built on.

use core::hint::black_box;

use zeroize::Zeroize;

/// Width of the non-adjacent form for the generator in verification: 24 KiB of table.
pub(crate) const GENERATOR_WINDOW: u32 = 8;

/// Low 127 bits set: p itself.
const P: u128 = (1 << 127) - 1;

/// A machine word.
pub(crate) type Limb = u64;
/// Limbs of an element.
pub(crate) const LIMBS: usize = 2;

/// An element of GF(2^127 - 1), little-endian limbs, value in [0, p].
#[derive(Clone, Copy, Zeroize)]
pub(crate) struct Fp([Limb; LIMBS]);

/// A mask of zeros or of ones, hidden from the optimiser.
#[derive(Clone, Copy)]
pub(crate) struct Mask(u64);

impl Mask {
    /// All ones if `a == b`; both below 2^63.
    #[inline(always)]
    pub(crate) fn equal(a: u64, b: u64) -> Self {
        // a ^ b < 2^63: minus one has the top bit set only for a == b.
        Self(black_box(((a ^ b).wrapping_sub(1) >> 63).wrapping_neg()))
    }

    /// All ones if the lowest bit of `bit` is set.
    #[inline(always)]
    pub(crate) fn from_bit(bit: u64) -> Self {
        Self(black_box((bit & 1).wrapping_neg()))
    }

    /// `limb` where the mask is set, else zero.
    #[inline(always)]
    pub(crate) fn and_limb(self, limb: Limb) -> Limb {
        self.0 & limb
    }

    /// `value` where the mask is set, else zero.
    #[inline(always)]
    pub(crate) fn and(self, value: u64) -> u64 {
        self.0 & value
    }
}

#[inline(always)]
const fn wide(a: u64, b: u64) -> u128 {
    a as u128 * b as u128
}

impl Fp {
    pub(crate) const ZERO: Self = Self([0, 0]);
    pub(crate) const ONE: Self = Self([1, 0]);

    /// The element `value`; `value` must be at most p.
    #[inline(always)]
    pub(crate) const fn from_u128(value: u128) -> Self {
        debug_assert!(value <= P);
        Self([value as u64, (value >> 64) as u64])
    }

    #[inline(always)]
    const fn raw(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// `t mod p` in [0, p] for t <= 2^128 - 2: the top bit is worth one, and the sum cannot
    /// reach 2^127 because t = 2^128 - 1 is excluded.
    #[inline(always)]
    const fn fold(t: u128) -> Self {
        debug_assert!(t < u128::MAX);
        Self::from_u128((t & P) + (t >> 127))
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
    #[inline(always)]
    pub(crate) const fn to_u128(self) -> u128 {
        let value = self.raw();
        // value + 1 reaches 2^127 exactly for value = p; then one more and the mask give zero.
        (value + ((value + 1) >> 127)) & P
    }

    /// Returns true if this is zero. Computed without branches; the caller's use of it is public.
    #[inline(always)]
    pub(crate) const fn is_zero(self) -> bool {
        self.to_u128() == 0
    }

    #[inline(always)]
    pub(crate) const fn add(self, other: Self) -> Self {
        // At most 2p = 2^128 - 2.
        Self::fold(self.raw() + other.raw())
    }

    #[inline(always)]
    pub(crate) const fn neg(self) -> Self {
        // p - value, no borrow since value <= p.
        Self::from_u128(self.raw() ^ P)
    }

    #[inline(always)]
    pub(crate) const fn sub(self, other: Self) -> Self {
        self.add(other.neg())
    }

    #[inline(always)]
    pub(crate) const fn double(self) -> Self {
        // The mask changes nothing; it keeps the compiler from seeing a 128-bit shift, which
        // costs six operations on some processors where an addition with carry costs two.
        Self::fold((self.raw() & P) + self.raw())
    }

    /// a/2: the same rotation the other way.
    #[inline(always)]
    pub(crate) const fn half(self) -> Self {
        let value = self.raw();
        Self::from_u128((value >> 1) | ((value & 1) << 126))
    }

    #[inline(always)]
    pub(crate) const fn mul(self, other: Self) -> Self {
        let ([a0, a1], [b0, b1]) = (self.0, other.0);
        // Limbs: a0, b0 < 2^64 and a1, b1 < 2^63, so each cross product is below 2^127 and
        // doubling b1 loses nothing.
        let cross = wide(a0, b1) + wide(a1, b0);
        Self::reduce_product(wide(a0, b0), cross, wide(a1, b1 << 1))
    }

    #[inline(always)]
    pub(crate) const fn sqr(self) -> Self {
        let [a0, a1] = self.0;
        let twice_a1 = a1 << 1;
        Self::reduce_product(wide(a0, a0), wide(a0, twice_a1), wide(a1, twice_a1))
    }

    /// `low + 2^64 cross + 2^127 twice_high` mod p, for a product of two elements.
    ///
    /// The product is split at bit 128 because words end there, and 2^128 = 2: what lies above
    /// counts twice. Doubling the operands and not the sum avoids shifts across words.
    #[inline(always)]
    const fn reduce_product(low: u128, cross: u128, twice_high: u128) -> Self {
        // cross is at most 2 (2^64 - 1)(2^63 - 1) < 2^128 - 2^65: room for one more word.
        let middle = cross + (low >> 64);
        // The product is at most p^2 < 2^254: this is even and at most 2^127 - 2.
        let upper = twice_high + ((middle >> 64) << 1);
        let lower = (low as u64 as u128) | (middle << 64);
        // At most (2^127 - 1) + 1 + (2^127 - 2) = 2^128 - 2.
        Self::fold((lower & P) + (lower >> 127) + upper)
    }

    /// `a*b + c*d`, reduced once.
    #[inline(always)]
    pub(crate) const fn mul_pair(a: Self, b: Self, c: Self, d: Self) -> Self {
        let ([a0, a1], [b0, b1], [c0, c1], [d0, d1]) = (a.0, b.0, c.0, d.0);
        let (low, low_carry) = wide(a0, b0).overflowing_add(wide(c0, d0));
        // Each pair of cross products is below 2^128 - 2^65, room for one more word.
        let cross_ab = wide(a0, b1) + wide(a1, b0) + (low >> 64);
        let cross_cd = wide(c0, d1) + wide(c1, d0);
        let (middle, carry) = cross_ab.overflowing_add(cross_cd);
        // At most 4 (2^63 - 1)^2 < 2^128.
        let twice_high = wide(a1, b1 << 1) + wide(c1, d1 << 1);
        // The whole is at most 2 p^2 = 2^255 - 2^129 + 2: this is even and at most 2^128 - 4.
        let upper =
            twice_high + ((middle >> 64) << 1) + ((low_carry as u128) << 1 | (carry as u128) << 65);
        let lower = (low as u64 as u128) | (middle << 64);
        // With the top bit of `upper` clear at most (2^127 - 1) + (2^127 - 2) + 1 = 2^128 - 2;
        // with it set the second term is at most 2^127 - 4 and the sum at most 2^128 - 3.
        Self::fold((lower & P) + (upper & P) + ((lower >> 127) + (upper >> 127)))
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
        Self([
            self.0[0] ^ (mask.0 & (self.0[0] ^ other.0[0])),
            self.0[1] ^ (mask.0 & (self.0[1] ^ other.0[1])),
        ])
    }
}
