//! Square roots, of several vectors side by side, and inverses.

use super::each::{each, for_each};
use super::{Elements, LanePrime, Lanes};
use crate::limbs::{add, bits, shift_right, small};
use crate::residue::Residue;

/// The same prime's elements in K vectors. A power of one vector alone would take twice as long:
/// each square waits for the one before.
type Vectors<V, P, const K: usize> = [Elements<V, P>; K];

/// Squares `count` times.
#[inline(always)]
fn square_times<V: Lanes, P: LanePrime, const K: usize>(
    values: &Vectors<V, P, K>,
    count: usize,
) -> Vectors<V, P, K> {
    V::outline(
        #[inline(always)]
        || {
            let mut values = *values;
            for _ in 0..count {
                for_each!(g, values[g] = values[g].square_inline());
            }
            values
        },
    )
}

/// x to the power of 2^count, times y.
#[inline(always)]
fn raise<V: Lanes, P: LanePrime, const K: usize>(
    values: &Vectors<V, P, K>,
    count: usize,
    others: &Vectors<V, P, K>,
) -> Vectors<V, P, K> {
    let raised = square_times(values, count);
    each!(g, raised[g].multiply(&others[g]))
}

/// x^exponent, four bits of the exponent at a time.
#[inline(always)]
fn power<V: Lanes, P: LanePrime, const K: usize>(
    values: &Vectors<V, P, K>,
    exponent: &[u64; 4],
) -> Vectors<V, P, K> {
    let mut powers = [*values; 16];
    powers[0] = [Elements::one(); K];
    for i in 2..16 {
        powers[i] = each!(g, powers[i - 1][g].multiply(&values[g]));
    }
    let mut raised = powers[bits(exponent, 252, 4) as usize];
    for i in (0..63).rev() {
        let digit = bits(exponent, 4 * i, 4) as usize;
        raised = raise(&raised, 4, &powers[digit]);
    }
    raised
}

/// x^((p + 1)/4), p = 3 (mod 4): the square roots, in lanes in which there is one.
#[inline(always)]
pub(crate) fn square_roots<V: Lanes, P: LanePrime, const K: usize>(
    values: &Vectors<V, P, K>,
) -> Vectors<V, P, K> {
    const { assert!(P::MODULUS[0] & 3 == 3) };
    V::outline(
        #[inline(always)]
        || {
            if !P::IS_P256 {
                // (p + 1)/4 = (p - 3)/4 + 1.
                return power(values, &add(&shift_right(&P::MODULUS, 2), &small(1)).0);
            }
            // (p + 1)/4 in binary: 32 ones, 31 zeros, a one, 95 zeros, a one, 94 zeros.
            let (mut ones, mut count) = (*values, 1);
            while count < 32 {
                ones = raise(&ones, count, &ones);
                count *= 2;
            }
            let upper = raise(&ones, 32, values);
            square_times(&raise(&upper, 96, values), 94)
        },
    )
}

impl<V: Lanes, P: LanePrime> Elements<V, P> {
    /// 1/x, and zero for zero, lane by lane.
    #[inline(always)]
    pub(crate) fn invert(&self) -> Self {
        let [a, b, c, d] = self.to_words();
        let none = V::splat(0);
        let mut rows = V::to_rows([a, b, c, d, none, none, none, none]);
        invert_rows::<P>(&mut rows);
        let [a, b, c, d, ..] = V::transpose_rows(rows.each_ref());
        Self::from_words([a, b, c, d])
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

/// Inverts the forms in the first four words of each row. Eight plain residues by division steps
/// take half as long as one power of a vector, whose squares wait for each other.
#[inline(never)]
fn invert_rows<P: LanePrime>(rows: &mut [[u64; 8]; 8]) {
    let mut values = [Residue::<P, 4>::ONE; 8];
    for (value, row) in values.iter_mut().zip(rows.iter()) {
        let mut read = Residue::ZERO;
        read.copy_stored(&row[..4]);
        if !read.is_zero() {
            *value = read;
        }
    }
    Residue::invert_all(&mut values, &mut [Residue::ONE; 8]);
    for (value, row) in values.iter().zip(rows) {
        if row[..4] != [0; 4] {
            // The form of x is the plain residue 16 x, and that of 1/x is 16/x.
            let inverse = value.times_sixteen().times_sixteen();
            row[..4].copy_from_slice(&inverse.stored());
        }
    }
}
