//! Residues modulo a prime of exactly 64 N bits, in Montgomery's form.
//!
//! A residue x is kept as x 2^(64 N) mod p. Where p is close below 2^(64 N) any integer of N limbs
//! with that remainder will do, which saves most comparisons with p; equality and what leaves this
//! file see to it. Each constant is computed from the modulus by the compiler. Products stand in
//! `product`, reductions in `reduction`, inversion in `inversion`. Read FIPS 186-5 and SP 800-186
//! for the primes, and P. L. Montgomery, "Modular Multiplication Without Trial Division", 1985,
//! for the form. Time varies with the values: all data are public.

mod inversion;
mod product;
mod reduction;

use core::marker::PhantomData;

use crate::limbs::{add, equal, from_bytes, is_zero, less, shift_right, small, sub};
use reduction::Shape;

/// A prime modulus; a type without values that stands for a number.
pub(crate) trait Prime<const N: usize>: Copy + 'static {
    /// The prime: of exactly 64 N bits, and 3 modulo 4 where square roots are taken.
    const MODULUS: [u64; N];
}

/// An integer modulo `P`.
pub(crate) struct Residue<P, const N: usize> {
    /// x 2^(64 N) mod p: below p, or any number with this remainder if p is [`Self::LOOSE`].
    limbs: [u64; N],
    prime: PhantomData<P>,
}

impl<P, const N: usize> Clone for Residue<P, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, const N: usize> Copy for Residue<P, N> {}

impl<P: Prime<N>, const N: usize> Residue<P, N> {
    pub(crate) const ZERO: Self = Self::new([0; N]);
    /// 2^(64 N) mod p is 2^(64 N) - p, since p has its top bit set.
    pub(crate) const ONE: Self = {
        assert!(P::MODULUS[N - 1] >> 63 == 1 && P::MODULUS[0] & 1 == 1 && 2 * N <= product::WIDE);
        Self::new(sub(&[0; N], &P::MODULUS).0)
    };
    /// 2^(64 N), whose form is 2^(128 N) mod p: what brings an integer into the form.
    const RADIX: Self = {
        let (mut value, mut i) = (Self::ONE, 0);
        while i < 64 * N {
            value = value.double();
            i += 1;
        }
        value
    };
    /// True if p is so close below 2^(64 N) that residues need not be below it: a sum of two
    /// integers of N limbs leaves N limbs twice in a row only if both are at the top.
    const LOOSE: bool = P::MODULUS[N - 1] >> 32 == 0xffff_ffff;

    #[inline(always)]
    const fn new(limbs: [u64; N]) -> Self {
        Self {
            limbs,
            prime: PhantomData,
        }
    }

    /// The residue of an integer below the prime.
    #[inline(always)]
    pub(crate) const fn from_integer(integer: &[u64; N]) -> Self {
        debug_assert!(less(integer, &P::MODULUS));
        Self::new(*integer).mul(&Self::RADIX)
    }

    /// Becomes the residue whose form, as a table stores it, is `limbs`.
    ///
    /// # Panics
    /// If those are not N.
    #[inline(always)]
    pub(crate) fn copy_stored(&mut self, limbs: &[u64]) {
        self.limbs.copy_from_slice(limbs);
        debug_assert!(less(&self.limbs, &P::MODULUS));
    }

    /// The form of the residue, as a table stores it.
    #[cfg(any(test, feature = "alloc", target_arch = "x86_64"))]
    pub(crate) const fn stored(&self) -> [u64; N] {
        Self::canonical(&self.limbs)
    }

    /// The residue whose form is any integer of N limbs, below p or not.
    #[cfg(test)]
    pub(crate) const fn from_loose(limbs: [u64; N]) -> Self {
        assert!(Self::LOOSE);
        Self::new(limbs)
    }

    /// Returns true if forms above the prime are possible.
    #[cfg(test)]
    pub(crate) const fn is_loose() -> bool {
        Self::LOOSE
    }

    /// x/16: the product with 2^(64 N - 4) as it stands.
    #[inline(always)]
    pub(crate) const fn sixteenth(&self) -> Self {
        let mut factor = Self::ZERO;
        factor.limbs[N - 1] = 1 << 60;
        self.mul(&factor)
    }

    #[cfg(any(test, feature = "alloc", target_arch = "x86_64"))]
    pub(crate) const fn times_sixteen(&self) -> Self {
        self.double().double().double().double()
    }

    /// The residue of a big-endian integer of any length.
    pub(crate) fn from_bytes_reduced(bytes: &[u8]) -> Self {
        let mut value = Self::ZERO;
        for chunk in bytes.rchunks(8 * N).rev() {
            // Never more than 8 N bytes.
            let chunk = from_bytes(chunk).unwrap_or([0; N]);
            let chunk = Self::from_integer(&Self::canonical(&chunk));
            value = value.mul(&Self::RADIX).add(&chunk);
        }
        value
    }

    /// The integer in [0, p).
    #[inline(always)]
    pub(crate) const fn to_integer(self) -> [u64; N] {
        let (mut wide, mut i) = ([0; product::WIDE], 0);
        while i < N {
            wide[i] = self.limbs[i];
            i += 1;
        }
        Self::canonical(&Self::reduce(&wide).limbs)
    }

    #[inline(always)]
    pub(crate) const fn is_zero(&self) -> bool {
        is_zero(&self.limbs) || Self::LOOSE && equal(&self.limbs, &P::MODULUS)
    }

    #[inline(always)]
    pub(crate) const fn equals(&self, other: &Self) -> bool {
        equal(&self.limbs, &other.limbs) || Self::LOOSE && self.sub(other).is_zero()
    }

    /// `value` modulo p; any value of N limbs is below 2 p.
    #[inline(always)]
    const fn canonical(value: &[u64; N]) -> [u64; N] {
        let (reduced, borrow) = sub(value, &P::MODULUS);
        if borrow { *value } else { reduced }
    }

    /// p, or zero.
    #[inline(always)]
    const fn prime_if(flag: bool) -> [u64; N] {
        let (mask, mut masked, mut i) = ((flag as u64).wrapping_neg(), [0; N], 0);
        while i < N {
            masked[i] = P::MODULUS[i] & mask;
            i += 1;
        }
        masked
    }

    /// `value + carry 2^(64 N)`, below 2^(64 N) + p if p is [`Self::LOOSE`] and below 2 p
    /// otherwise, as a residue has to be.
    #[inline(always)]
    const fn reduce_once(value: [u64; N], carry: bool) -> [u64; N] {
        if Self::LOOSE {
            return sub(&value, &Self::prime_if(carry)).0;
        }
        let (reduced, borrow) = sub(&value, &P::MODULUS);
        // Below p: nothing carried, and the difference borrowed.
        if borrow & !carry { value } else { reduced }
    }

    #[inline(always)]
    pub(crate) const fn add(&self, other: &Self) -> Self {
        let (sum, carry) = add(&self.limbs, &other.limbs);
        if !Self::LOOSE {
            return Self::new(Self::reduce_once(sum, carry));
        }
        let (mut sum, borrow) = sub(&sum, &Self::prime_if(carry));
        if carry != borrow {
            // Still 2^(64 N) or above, which takes two summands at the top of the range.
            sum = sub(&sum, &P::MODULUS).0;
        }
        Self::new(sum)
    }

    #[inline(always)]
    pub(crate) const fn double(&self) -> Self {
        self.add(self)
    }

    #[inline(always)]
    pub(crate) const fn triple(&self) -> Self {
        self.double().add(self)
    }

    #[inline(always)]
    pub(crate) const fn sub(&self, other: &Self) -> Self {
        let (difference, borrow) = sub(&self.limbs, &other.limbs);
        if !Self::LOOSE {
            // Both are computed, and one is chosen: neither waits for the other.
            let (sum, _) = add(&difference, &P::MODULUS);
            return Self::new(if borrow { sum } else { difference });
        }
        let (mut difference, carry) = add(&difference, &Self::prime_if(borrow));
        if carry != borrow {
            // Still negative, which takes a subtrahend at the top of the range.
            difference = add(&difference, &P::MODULUS).0;
        }
        Self::new(difference)
    }

    #[inline(always)]
    pub(crate) const fn neg(&self) -> Self {
        Self::ZERO.sub(self)
    }

    /// x/2: of the limbs, or of the limbs and p, which is odd.
    #[inline(always)]
    pub(crate) const fn half(&self) -> Self {
        let (sum, carry) = add(&self.limbs, &Self::prime_if(self.limbs[0] & 1 == 1));
        let mut halved = shift_right(&sum, 1);
        halved[N - 1] |= (carry as u64) << 63;
        Self::new(halved)
    }

    /// Inlined only where the product is short, as for P-256: the rest would fill the caches.
    #[inline(always)]
    pub(crate) const fn mul(&self, other: &Self) -> Self {
        match Self::SHAPE {
            Shape::P256 => Self::reduce(&product::product(&self.limbs, &other.limbs)),
            _ => self.mul_called(other),
        }
    }

    #[inline(never)]
    const fn mul_called(&self, other: &Self) -> Self {
        Self::reduce(&product::product(&self.limbs, &other.limbs))
    }

    /// As [`Self::mul`].
    #[inline(always)]
    pub(crate) const fn sqr(&self) -> Self {
        match Self::SHAPE {
            Shape::P256 => Self::reduce(&product::square(&self.limbs)),
            _ => self.sqr_called(),
        }
    }

    #[inline(never)]
    const fn sqr_called(&self) -> Self {
        Self::reduce(&product::square(&self.limbs))
    }

    /// x `other` - a b. One reduction for both products where reductions are dear and residues
    /// below p.
    #[inline(always)]
    pub(crate) const fn mul_less_product(&self, other: &Self, a: &Self, b: &Self) -> Self {
        match Self::SHAPE {
            Shape::Other if !Self::LOOSE => self.mul_less_product_called(other, a, b),
            _ => self.mul(other).sub(&a.mul(b)),
        }
    }

    #[inline(never)]
    const fn mul_less_product_called(&self, other: &Self, a: &Self, b: &Self) -> Self {
        let minuend = product::product(&self.limbs, &other.limbs);
        Self::reduce_difference(&minuend, &product::product(&a.limbs, &b.limbs))
    }

    /// x `other` - a^2, as [`Self::mul_less_product`].
    #[inline(always)]
    pub(crate) const fn mul_less_square(&self, other: &Self, a: &Self) -> Self {
        match Self::SHAPE {
            Shape::Other if !Self::LOOSE => self.mul_less_square_called(other, a),
            _ => self.mul(other).sub(&a.sqr()),
        }
    }

    #[inline(never)]
    const fn mul_less_square_called(&self, other: &Self, a: &Self) -> Self {
        let minuend = product::product(&self.limbs, &other.limbs);
        Self::reduce_difference(&minuend, &product::square(&a.limbs))
    }

    /// x^(2^count).
    const fn sqr_times(mut self, count: u32) -> Self {
        let mut i = 0;
        while i < count {
            self = self.sqr();
            i += 1;
        }
        self
    }

    /// x^exponent, four bits of the exponent at a time.
    pub(crate) const fn power(&self, exponent: &[u64; N]) -> Self {
        let (mut powers, mut i) = ([Self::ONE; 16], 1);
        while i < 16 {
            powers[i] = powers[i - 1].mul(self);
            i += 1;
        }
        let (mut value, mut i) = (Self::ONE, 16 * N);
        while i > 0 {
            i -= 1;
            value = value.sqr().sqr().sqr().sqr();
            let digit = exponent[i / 16] >> (4 * (i % 16)) & 15;
            if digit != 0 {
                value = value.mul(&powers[digit as usize]);
            }
        }
        value
    }

    /// A square root, if there is one: x^((p + 1)/4), p = 3 (mod 4).
    pub(crate) fn square_root(&self) -> Option<Self> {
        const { assert!(P::MODULUS[0] & 3 == 3) };
        let root = match const { Self::SHAPE } {
            Shape::P256 => {
                // (p + 1)/4 = (((2^32 - 1) 2^32 + 1) 2^96 + 1) 2^94
                let (mut ones, mut bits) = (*self, 1);
                while bits < 32 {
                    ones = ones.sqr_times(bits).mul(&ones);
                    bits *= 2;
                }
                let upper = ones.sqr_times(32).mul(self);
                upper.sqr_times(96).mul(self).sqr_times(94)
            }
            // (p + 1)/4 = (p - 3)/4 + 1
            _ => self.power(&add(&shift_right(&P::MODULUS, 2), &small(1)).0),
        };
        root.sqr().equals(self).then_some(root)
    }

    /// Replaces each of `values`, none of them zero, by its inverse: one inversion and three
    /// multiplications each. `products` is room of the same length.
    pub(crate) fn invert_all(values: &mut [Self], products: &mut [Self]) {
        debug_assert_eq!(values.len(), products.len());
        let mut product = Self::ONE;
        for (value, before) in values.iter().zip(products.iter_mut()) {
            *before = product;
            product = product.mul(value);
        }
        let mut inverse = product.invert();
        for (value, before) in values.iter_mut().zip(products.iter()).rev() {
            let own = inverse.mul(before);
            inverse = inverse.mul(value);
            *value = own;
        }
    }
}
