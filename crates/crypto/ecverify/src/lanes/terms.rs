//! Multiples of points in all lanes, by tables of odd multiples and digits that are never zero.
//!
//! An odd scalar k below 2^256 is a sum of powers of two that all have signs: the sum of
//! (2 b_i - 1) 2^i over the bits b_i of b = (k - 1)/2 + 2^255. So any window of bits of b stands
//! for an odd digit, and all lanes add at the same places. The multiple of an even scalar k is that
//! of n - k with all signs turned, which is that of the complement of b. After M. Joye and
//! M. Tunstall, "Exponent Recoding and Regular Exponentiation Algorithms", 2009.

use super::points::{AffinePoints, Field, Points};
use super::{Elements, Lanes};
use crate::curves::Weierstrass;
use crate::limbs::{bits, shift_right, sub};
use crate::multiply::Shape;
use crate::residue::Prime;

/// A point of a table: the words of x and of y, in the form of the lanes.
pub(crate) type Row = [u64; 8];

/// Bits that stand for the odd digits of a scalar below the order: b above.
pub(super) fn odd_digits<P: Prime<4>>(scalar: &[u64; 4]) -> [u64; 4] {
    let even = scalar[0] & 1 == 0;
    let odd = if even {
        sub(&P::MODULUS, scalar).0
    } else {
        *scalar
    };
    let mut digits = shift_right(&odd, 1);
    digits[3] |= 1 << 63;
    if even {
        digits.map(|word| !word)
    } else {
        digits
    }
}

/// A point in each lane that is to be multiplied by a scalar in each lane.
pub(super) struct Term<'a, const K: usize> {
    /// Digits of each lane of each vector.
    pub(super) digits: [[[u64; 4]; 8]; K],
    /// Rows of each: entry j of piece i, (2 j + 1) 2^(s i) times the point, is row
    /// i `stride` + j.
    pub(super) rows: [[&'a [Row]; 8]; K],
    pub(super) stride: usize,
    /// Bits of a digit.
    pub(super) width: u32,
    /// Bits of a piece.
    pub(super) spacing: usize,
    pub(super) pieces: usize,
}

impl<'a, const K: usize> Term<'a, K> {
    /// A term by tables of one shape, whose digits have a bit less here, since none is zero.
    pub(super) fn new(digits: [[[u64; 4]; 8]; K], rows: [[&'a [Row]; 8]; K], shape: Shape) -> Self {
        Self {
            digits,
            rows,
            stride: shape.multiples(),
            width: shape.window - 1,
            spacing: shape.spacing::<4>(),
            pieces: shape.pieces,
        }
    }

    /// Returns true if digits begin at this bit of each piece.
    #[inline(always)]
    fn begins_at(&self, bit: usize) -> bool {
        bit < self.spacing && bit.is_multiple_of(self.width as usize)
    }

    /// Fetches the multiples that the digits at this bit of a piece call for.
    #[inline(always)]
    fn fetch<V: Lanes, C: Weierstrass<4>>(
        &self,
        piece: usize,
        bit: usize,
        points: &mut AffinePoints<V, C, K>,
    ) {
        // The last digit of a piece may be shorter.
        let width = self.width.min((self.spacing - bit) as u32);
        let half = 1 << (width - 1);
        let mut g = 0;
        while g < K {
            let mut rows: [&Row; 8] = [&[0; 8]; 8];
            let (mut negative, mut lane) = (0, 0);
            while lane < 8 {
                let at = piece * self.spacing + bit;
                let digit = bits(&self.digits[g][lane], at, width) as usize;
                // The digit is 2 digit + 1 - 2^width; its absolute value is 2 j + 1.
                let (j, sign) = if digit < half {
                    (half - 1 - digit, 1)
                } else {
                    (digit - half, 0)
                };
                rows[lane] = &self.rows[g][lane][piece * self.stride + j];
                negative |= sign << lane;
                lane += 1;
            }
            let [a, b, c, d, e, f, h, i] = V::transpose_rows(rows);
            let y: Field<V, C> = Elements::from_words([e, f, h, i]);
            let minus = Elements::zero().minus(&y).carry::<2>();
            points.x[g] = Elements::from_words([a, b, c, d]);
            points.y[g] = Elements::select(negative, &minus, &y);
            g += 1;
        }
    }
}

/// The sum of at least one term, doublings shared by all: as many as the widest piece has bits,
/// less a digit.
#[inline(always)]
pub(super) fn sum<V: Lanes, C: Weierstrass<4>, const K: usize, const CHECKED: bool>(
    terms: &[Term<'_, K>],
) -> Points<V, C, K> {
    V::outline(
        #[inline(always)]
        || add_up::<V, C, K, CHECKED>(terms),
    )
}

#[inline(always)]
fn add_up<V: Lanes, C: Weierstrass<4>, const K: usize, const CHECKED: bool>(
    terms: &[Term<'_, K>],
) -> Points<V, C, K> {
    let widest = terms.iter().map(|term| term.spacing).max().unwrap_or(0);
    let mut multiples = AffinePoints {
        x: [Elements::zero(); K],
        y: [Elements::zero(); K],
    };
    let mut sum = Points::from_affine(&multiples);
    let mut begun = false;
    for bit in (0..widest).rev() {
        if begun {
            sum.double();
        }
        for term in terms {
            if !term.begins_at(bit) {
                continue;
            }
            for piece in 0..term.pieces {
                term.fetch(piece, bit, &mut multiples);
                if begun {
                    sum.add_affine::<CHECKED>(&multiples);
                } else {
                    sum = Points::from_affine(&multiples);
                    begun = true;
                }
            }
        }
    }
    sum
}
