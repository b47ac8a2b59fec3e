//! Residues modulo a prime of exactly 64 N bits, in Montgomery's form, always below the prime.
//!
//! A residue x is kept as x 2^(64 N) mod p, so that equal residues have equal limbs. Each constant
//! is computed from the modulus by the compiler. The only prime with a reduction of its own is
//! P-256's; read FIPS 186-5 and SP 800-186 for it, and P. L. Montgomery, "Modular Multiplication
//! Without Trial Division", 1985, for the form. Time varies with the exponent of a power only, but
//! nothing above relies on that: all data are public.

use core::marker::PhantomData;

use crate::limbs::{
    add, add_carry, equal, from_bytes, is_zero, less, mul_add, shift_right, small, sub,
};

/// Limbs of the widest product: two factors of six limbs.
const WIDE: usize = 12;

/// A prime modulus; a type without values that stands for a number.
pub(crate) trait Prime<const N: usize>: Copy + 'static {
    /// The prime: of exactly 64 N bits, and 3 modulo 4 where square roots are taken.
    const MODULUS: [u64; N];
}

/// An integer modulo `P`.
pub(crate) struct Residue<P, const N: usize> {
    /// x 2^(64 N) mod p, below p.
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
        assert!(P::MODULUS[N - 1] >> 63 == 1 && P::MODULUS[0] & 1 == 1 && 2 * N <= WIDE);
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
    /// -1/p mod 2^64, by Newton's iteration: p itself is 1/p mod 8, each step doubles the bits.
    const NEGATED_INVERSE: u64 = {
        let (mut inverse, mut i) = (P::MODULUS[0], 0);
        while i < 5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(P::MODULUS[0].wrapping_mul(inverse)));
            i += 1;
        }
        inverse.wrapping_neg()
    };
    /// Whether p is 2^256 - 2^224 + 2^192 + 2^96 - 1.
    const IS_P256: bool = N == 4
        && P::MODULUS[0] == u64::MAX
        && P::MODULUS[1] == 0xffff_ffff
        && P::MODULUS[2] == 0
        && P::MODULUS[3] == 0xffff_ffff_0000_0001;

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

    /// The residue whose form, as a table stores it, is `limbs`.
    pub(crate) const fn from_stored(limbs: [u64; N]) -> Self {
        assert!(less(&limbs, &P::MODULUS));
        Self::new(limbs)
    }

    /// The form of the residue, as a table stores it.
    #[cfg(test)]
    pub(crate) const fn stored(&self) -> [u64; N] {
        self.limbs
    }

    /// The residue of a big-endian integer of any length.
    pub(crate) fn from_bytes_reduced(bytes: &[u8]) -> Self {
        let mut value = Self::ZERO;
        for chunk in bytes.rchunks(8 * N).rev() {
            // Never more than 8 N bytes.
            let chunk = from_bytes(chunk).unwrap_or([0; N]);
            let chunk = Self::from_integer(&Self::reduce_once(chunk, 0));
            value = value.mul(&Self::RADIX).add(&chunk);
        }
        value
    }

    /// The integer in [0, p).
    #[inline(always)]
    pub(crate) const fn to_integer(self) -> [u64; N] {
        self.mul(&Self::new(small(1))).limbs
    }

    #[inline(always)]
    pub(crate) const fn is_zero(&self) -> bool {
        is_zero(&self.limbs)
    }

    #[inline(always)]
    pub(crate) const fn equals(&self, other: &Self) -> bool {
        equal(&self.limbs, &other.limbs)
    }

    /// `value + carry 2^(64 N)`, below 2 p, less p where it is not below p.
    #[inline(always)]
    const fn reduce_once(value: [u64; N], carry: u64) -> [u64; N] {
        let (reduced, borrow) = sub(&value, &P::MODULUS);
        // All ones if the value is below p: nothing carried, and the difference borrowed.
        let keep = (borrow & (carry ^ 1)).wrapping_neg();
        let (mut result, mut i) = ([0; N], 0);
        while i < N {
            result[i] = reduced[i] ^ keep & (reduced[i] ^ value[i]);
            i += 1;
        }
        result
    }

    #[inline(always)]
    pub(crate) const fn add(&self, other: &Self) -> Self {
        let (sum, carry) = add(&self.limbs, &other.limbs);
        Self::new(Self::reduce_once(sum, carry))
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
        let (mask, mut back, mut i) = (borrow.wrapping_neg(), [0; N], 0);
        while i < N {
            back[i] = P::MODULUS[i] & mask;
            i += 1;
        }
        Self::new(add(&difference, &back).0)
    }

    #[inline(always)]
    pub(crate) const fn neg(&self) -> Self {
        Self::ZERO.sub(self)
    }

    /// x/2: of the limbs, or of the limbs and p, which is odd.
    #[inline(always)]
    pub(crate) const fn half(&self) -> Self {
        let (mask, mut addend, mut i) = ((self.limbs[0] & 1).wrapping_neg(), [0; N], 0);
        while i < N {
            addend[i] = P::MODULUS[i] & mask;
            i += 1;
        }
        let (sum, carry) = add(&self.limbs, &addend);
        let mut halved = shift_right(&sum, 1);
        halved[N - 1] |= carry << 63;
        Self::new(halved)
    }

    /// Adds the multiple of p that clears the lowest word of `t`, and moves `t` down by a word.
    /// `t` has N + 1 words and a carry; it stays below 2 p 2^64 before, hence below 2 p after.
    #[inline(always)]
    const fn reduce_word(t: &mut [u64; N], high: u64, carry_in: u64) -> u64 {
        let mut carry;
        if Self::IS_P256 {
            // m = t0, and m p + m = m 2^96 + m (2^64 - 2^32 + 1) 2^192: one multiplication.
            let m = t[0];
            (t[0], carry) = add_carry(t[1], m << 32, 0);
            (t[1], carry) = add_carry(t[2], m >> 32, carry);
            (t[2], carry) = mul_add(t[3], m, P::MODULUS[3], carry);
        } else {
            let m = t[0].wrapping_mul(Self::NEGATED_INVERSE);
            (_, carry) = mul_add(t[0], m, P::MODULUS[0], 0);
            let mut i = 1;
            while i < N {
                (t[i - 1], carry) = mul_add(t[i], m, P::MODULUS[i], carry);
                i += 1;
            }
        }
        (t[N - 1], carry) = add_carry(high, carry, 0);
        carry + carry_in
    }

    #[inline]
    pub(crate) const fn mul(&self, other: &Self) -> Self {
        let (a, b) = (&self.limbs, &other.limbs);
        let (mut t, mut top, mut i) = ([0; N], 0, 0);
        while i < N {
            let (mut carry, mut j) = (0, 0);
            while j < N {
                (t[j], carry) = mul_add(t[j], a[j], b[i], carry);
                j += 1;
            }
            let (high, carry) = add_carry(top, carry, 0);
            top = Self::reduce_word(&mut t, high, carry);
            i += 1;
        }
        Self::new(Self::reduce_once(t, top))
    }

    #[inline]
    pub(crate) const fn sqr(&self) -> Self {
        if N <= 4 {
            // The six products saved cost more than they bring: the chain of carries gets longer.
            return self.mul(self);
        }
        let a = &self.limbs;
        let mut product = [0; WIDE];
        // The products of different limbs, each once.
        let mut i = 0;
        while i + 1 < N {
            let (mut carry, mut j) = (0, i + 1);
            while j < N {
                (product[i + j], carry) = mul_add(product[i + j], a[i], a[j], carry);
                j += 1;
            }
            product[i + N] = carry;
            i += 1;
        }
        // Twice their sum, below 2^(128 N), and the squares.
        let (mut carry, mut bit, mut i) = (0, 0, 0);
        while i < N {
            let (low, high) = (product[2 * i], product[2 * i + 1]);
            let square = a[i] as u128 * a[i] as u128;
            (product[2 * i], carry) = add_carry(low << 1 | bit, square as u64, carry);
            (product[2 * i + 1], carry) =
                add_carry(high << 1 | low >> 63, (square >> 64) as u64, carry);
            bit = high >> 63;
            i += 1;
        }
        let (mut t, mut top, mut i) = ([0; N], 0, 0);
        while i < N {
            t[i] = product[i];
            i += 1;
        }
        // The upper words join one by one, as if they had been there from the start.
        let mut i = 0;
        while i < N {
            let (high, carry) = add_carry(product[N + i], top, 0);
            top = Self::reduce_word(&mut t, high, carry);
            i += 1;
        }
        Self::new(Self::reduce_once(t, top))
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

    /// 1/x, and zero for zero: x^(p - 2).
    pub(crate) const fn invert(&self) -> Self {
        self.power(&sub(&P::MODULUS, &small(2)).0)
    }

    /// A square root, if there is one: x^((p + 1)/4), p = 3 (mod 4).
    pub(crate) fn square_root(&self) -> Option<Self> {
        const { assert!(P::MODULUS[0] & 3 == 3) };
        // (p + 1)/4 = (p - 3)/4 + 1.
        let exponent = add(&shift_right(&P::MODULUS, 2), &small(1)).0;
        let root = self.power(&exponent);
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
