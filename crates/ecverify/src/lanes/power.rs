//! Powers of elements: inverses and square roots, all lanes by one exponent.

use super::{Elements, LanePrime, Lanes};
use crate::limbs::{add, bits, shift_right, small, sub};

/// Powers of a value whose exponents are runs of ones in binary: 2^30 - 1 and 2^32 - 1.
struct Runs<V: Lanes, P> {
    thirty: Elements<V, P>,
    thirty_two: Elements<V, P>,
}

impl<V: Lanes, P: LanePrime> Elements<V, P> {
    /// x to the power of 2^count, times y.
    #[inline(always)]
    fn raise(&self, count: usize, other: &Self) -> Self {
        self.square_times(count).multiply(other)
    }

    #[inline(always)]
    fn runs(&self) -> Runs<V, P> {
        let two = self.raise(1, self);
        let three = two.raise(1, self);
        let six = three.raise(3, &three);
        let twelve = six.raise(6, &six);
        let fifteen = twelve.raise(3, &three);
        let thirty = fifteen.raise(15, &fifteen);
        Runs {
            thirty,
            thirty_two: thirty.raise(2, &two),
        }
    }

    /// x^exponent, four bits of the exponent at a time.
    #[inline(always)]
    fn power(&self, exponent: &[u64; 4]) -> Self {
        let mut powers = [*self; 16];
        powers[0] = Self::one();
        for i in 2..16 {
            powers[i] = powers[i - 1].multiply(self);
        }
        let mut value = powers[bits(exponent, 252, 4) as usize];
        for i in (0..63).rev() {
            value = value.square_times(4);
            let digit = bits(exponent, 4 * i, 4) as usize;
            if digit != 0 {
                value = value.multiply(&powers[digit]);
            }
        }
        value
    }

    /// 1/x, and zero for zero: x^(p - 2). Up to 2 p.
    #[inline(always)]
    pub(crate) fn invert(&self) -> Self {
        V::outline(
            #[inline(always)]
            || {
                if !P::IS_P256 {
                    return self.power(&sub(&P::MODULUS, &small(2)).0);
                }
                // p - 2 in binary: 32 ones, 31 zeros, a one, 96 zeros, 94 ones, 01.
                let runs = self.runs();
                runs.thirty_two
                    .raise(32, self)
                    .raise(128, &runs.thirty_two)
                    .raise(32, &runs.thirty_two)
                    .raise(30, &runs.thirty)
                    .raise(2, self)
            },
        )
    }

    /// The square roots x^((p + 1)/4), p = 3 (mod 4), and the lanes in which they are roots.
    #[inline(always)]
    pub(crate) fn square_root(&self) -> (Self, u8) {
        const { assert!(P::MODULUS[0] & 3 == 3) };
        let root = V::outline(
            #[inline(always)]
            || {
                if !P::IS_P256 {
                    // (p + 1)/4 = (p - 3)/4 + 1.
                    return self.power(&add(&shift_right(&P::MODULUS, 2), &small(1)).0);
                }
                // (p + 1)/4 in binary: 32 ones, 31 zeros, a one, 95 zeros, a one, 94 zeros.
                let runs = self.runs();
                runs.thirty_two
                    .raise(32, self)
                    .raise(96, self)
                    .square_times(94)
            },
        );
        let found = root.square().equal_mask(self);
        (root, found)
    }

    /// Replaces each of `values` by its inverse, zeros by zero: one inversion for all, and three
    /// products and a comparison each. `products` is room of the same length.
    ///
    /// P. L. Montgomery, "Speeding the Pollard and Elliptic Curve Methods of Factorization", 1987.
    #[inline(always)]
    pub(crate) fn invert_all(values: &mut [Self], products: &mut [Self]) {
        debug_assert_eq!(values.len(), products.len());
        let (zero, one) = (Self::zero(), Self::one());
        let mut product = one;
        for (value, before) in values.iter().zip(products.iter_mut()) {
            *before = product;
            // A zero would make zeros of its lane in all of the slice.
            product = product.multiply(&Self::select(value.zero_mask(), &one, value));
        }
        let mut inverse = product.invert();
        for (value, before) in values.iter_mut().zip(products.iter()).rev() {
            let zeros = value.zero_mask();
            let own = inverse.multiply(before);
            inverse = inverse.multiply(&Self::select(zeros, &one, value));
            *value = Self::select(zeros, &zero, &own);
        }
    }
}
