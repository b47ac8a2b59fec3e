//! Sums of multiples of public points by public scalars. VARIABLE TIME: never for secrets.
//!
//! All routines interleave width-w non-adjacent forms over one chain of doublings (Straus). For
//! one signature the scalars are first split by the endomorphisms, so the chain has 64 steps; for
//! a batch it is as long as the scalars and shared by all of them ([`crate::batch`]).

use crate::backend::GENERATOR_WINDOW;
use crate::curve::{AffineCached, Cached, Extended, normalise};
use crate::decompose::decompose;
use crate::endomorphism::{phi, psi};
use crate::multiply::fixed::GENERATOR;

/// Width of the form for points that come at run time: digits ±1, ±3, ±5, ±7.
pub(crate) const POINT_WINDOW: u32 = 4;
/// Odd multiples kept of such a point.
pub(crate) const POINT_MULTIPLES: usize = 1 << (POINT_WINDOW - 2);
/// Odd multiples kept of the generator and its three images.
const GENERATOR_MULTIPLES: usize = 1 << (GENERATOR_WINDOW - 2);

/// Row i: odd multiples of G, phi(G), psi(G), psi(phi(G)); 24 KiB at width 8.
static GENERATOR_TABLE: [[AffineCached; GENERATOR_MULTIPLES]; 4] = build();

const fn build() -> [[AffineCached; GENERATOR_MULTIPLES]; 4] {
    let generator = GENERATOR.to_extended();
    let image = phi(&generator);
    let bases = [generator, image, psi(&generator), psi(&image)];
    let mut multiples = [Extended::NEUTRAL; 4 * GENERATOR_MULTIPLES];
    let mut row = 0;
    while row < 4 {
        let twice = bases[row].double().to_cached();
        let mut point = bases[row];
        let mut i = 0;
        while i < GENERATOR_MULTIPLES {
            multiples[row * GENERATOR_MULTIPLES + i] = point;
            point = point.add(&twice);
            i += 1;
        }
        row += 1;
    }
    let affine = normalise(&multiples);
    let mut table = [[GENERATOR.to_cached(); GENERATOR_MULTIPLES]; 4];
    let mut k = 0;
    while k < 4 * GENERATOR_MULTIPLES {
        table[k / GENERATOR_MULTIPLES][k % GENERATOR_MULTIPLES] = affine[k].to_cached();
        k += 1;
    }
    table
}

/// The width-`window` non-adjacent form of a scalar, least significant digit first: digits are
/// zero or odd and below 2^(window - 1) in size, at most one of any `window` in a row is not zero.
/// `DIGITS` must exceed the bit length.
pub(crate) fn non_adjacent<const LIMBS: usize, const DIGITS: usize>(
    scalar: &[u64; LIMBS],
    window: u32,
) -> [i8; DIGITS] {
    let mut digits = [0; DIGITS];
    let mut carry = 0;
    let mut position = 0;
    while position < DIGITS {
        let (limb, shift) = (position / 64, position % 64);
        let low = if limb < LIMBS {
            scalar[limb] >> shift
        } else {
            0
        };
        let high = if shift != 0 && limb + 1 < LIMBS {
            scalar[limb + 1] << (64 - shift)
        } else {
            0
        };
        let value = carry + ((low | high) & ((1 << window) - 1));
        if value & 1 == 0 {
            // Bit plus carry even: the carry, if any, stays.
            position += 1;
            continue;
        }
        carry = value >> (window - 1);
        // value is odd, at most 2^window - 1 (its carry makes an even bit odd); window <= 8.
        digits[position] = (value as i64 - ((carry as i64) << window)) as i8;
        position += window as usize;
    }
    digits
}

/// P, 3P, 5P, 7P.
pub(crate) fn odd_multiples(point: &Extended) -> [Cached; POINT_MULTIPLES] {
    let twice = point.double().to_cached();
    let mut multiple = *point;
    let mut table = [multiple.to_cached(); POINT_MULTIPLES];
    for entry in &mut table[1..] {
        multiple = multiple.add(&twice);
        *entry = multiple.to_cached();
    }
    table
}

/// `sum + [digit]P` from the odd multiples of P.
#[inline(always)]
pub(crate) fn add_digit(sum: &mut Extended, table: &[Cached], digit: i8) {
    if digit > 0 {
        sum.add_assign(&table[digit as usize / 2]);
    } else if digit < 0 {
        sum.sub_assign(&table[digit.unsigned_abs() as usize / 2]);
    }
}

/// `sum + [digit]` times generator image `row`.
#[inline(always)]
pub(crate) fn add_generator_digit(sum: &mut Extended, row: usize, digit: i8) {
    if digit > 0 {
        sum.add_affine_assign(&GENERATOR_TABLE[row][digit as usize / 2]);
    } else if digit < 0 {
        sum.sub_affine_assign(&GENERATOR_TABLE[row][digit.unsigned_abs() as usize / 2]);
    }
}

/// `[a]G + [b]P` for `point` of order N; any 256-bit integers. Variable time.
pub(crate) fn double_multiply(a: &[u64; 4], b: &[u64; 4], point: &Extended) -> Extended {
    // Parts below 2^64 and the final carry.
    const DIGITS: usize = 65;
    let image = phi(point);
    let tables = [*point, image, psi(point), psi(&image)].map(|base| odd_multiples(&base));
    let forms_g = decompose(a).map(|part| non_adjacent::<1, DIGITS>(&[part], GENERATOR_WINDOW));
    let forms_p = decompose(b).map(|part| non_adjacent::<1, DIGITS>(&[part], POINT_WINDOW));
    let mut sum = Extended::NEUTRAL;
    for i in (0..DIGITS).rev() {
        sum.double_assign();
        for row in 0..4 {
            add_digit(&mut sum, &tables[row], forms_p[row][i]);
            add_generator_digit(&mut sum, row, forms_g[row][i]);
        }
    }
    sum
}
