//! Sums of multiples of points, by non-adjacent forms: fast, in variable time, for public scalars.
//!
//! A scalar is written with signed odd digits, any two of which are a window apart (width-w NAF;
//! D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography", §3.3), and the
//! multiples of several points share their doublings. For the generator the odd multiples are kept
//! in read-only memory, and those of some of its powers of two, so that a multiple of it alone
//! takes few doublings. Scalars have full length; nothing is halved, no point recovered.

use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, P256, P384, Weierstrass};
use crate::group::{Affine, Cached, Jacobian};
use crate::limbs::bits;
use crate::residue::Residue;

/// Digits of the longest form: of 384 bits and a carry.
const DIGITS: usize = 6 * 64 + 1;

/// Window of the generator: odd multiples 1, 3, ..., 63.
const GENERATOR_WINDOW: u32 = 7;
pub(crate) const GENERATOR_MULTIPLES: usize = 1 << (GENERATOR_WINDOW - 2);
/// Powers of two times the generator whose multiples are in the files.
pub(crate) const STORED_PIECES: usize = 8;
/// Powers 2^(s i) of the generator with tables, s = 64 N / PIECES. One where memory is short.
pub(crate) const PIECES: usize = if cfg!(target_pointer_width = "64") {
    STORED_PIECES
} else {
    1
};
/// Window of other points: odd multiples 1, 3, ..., 15.
const POINT_WINDOW: u32 = 5;
const POINT_MULTIPLES: usize = 1 << (POINT_WINDOW - 2);

/// Entry `[i][j]` is (2 j + 1) 2^(s i) G: 16 KiB for 256 bits, 24 KiB for 384.
pub(crate) type GeneratorTable<C, const N: usize> = [[Affine<C, N>; GENERATOR_MULTIPLES]; PIECES];

/// A curve whose generator has its multiples in read-only memory.
pub(crate) trait Tabulated<const N: usize>: Weierstrass<N> {
    const GENERATOR_TABLE: &'static GeneratorTable<Self, N>;
}

/// Lays down the table of a curve, which is stored in the form of the field's elements.
macro_rules! tabulate {
    ($curve:ident, $limbs:literal, $file:literal) => {
        impl Tabulated<$limbs> for $curve {
            const GENERATOR_TABLE: &'static GeneratorTable<Self, $limbs> = {
                static TABLE: GeneratorTable<$curve, $limbs> = read_table(include_bytes!($file));
                &TABLE
            };
        }
    };
}
tabulate!(P256, 4, "tables/p256.bin");
tabulate!(P384, 6, "tables/p384.bin");
tabulate!(BrainpoolP256r1, 4, "tables/brainpool_p256r1.bin");
tabulate!(BrainpoolP384r1, 6, "tables/brainpool_p384r1.bin");

/// Doublings between two pieces of the generator's table.
pub(crate) const fn spacing<const N: usize>() -> usize {
    64 * N / PIECES
}

/// Reads limbs, each little-endian: x and y of an entry, entry after entry, piece after piece. Run
/// by the compiler; the arithmetic would take it a minute, so the table is a file that the tests
/// compute anew.
const fn read_table<C: Weierstrass<N>, const N: usize>(bytes: &[u8]) -> GeneratorTable<C, N> {
    assert!(bytes.len() == STORED_PIECES * GENERATOR_MULTIPLES * 16 * N);
    let mut table = [[Affine::GENERATOR; GENERATOR_MULTIPLES]; PIECES];
    let step = STORED_PIECES / PIECES;
    let (mut i, mut j) = (0, 0);
    while i < PIECES {
        let start = (i * step * GENERATOR_MULTIPLES + j) * 16 * N;
        table[i][j] = Affine {
            x: Residue::from_stored(read_limbs(bytes, start)),
            y: Residue::from_stored(read_limbs(bytes, start + 8 * N)),
        };
        j += 1;
        if j == GENERATOR_MULTIPLES {
            (i, j) = (i + 1, 0);
        }
    }
    table
}

/// Reads N limbs from `start` on.
const fn read_limbs<const N: usize>(bytes: &[u8], start: usize) -> [u64; N] {
    let (mut limbs, mut i) = ([0; N], 8 * N);
    while i > 0 {
        i -= 1;
        limbs[i / 8] = limbs[i / 8] << 8 | bytes[start + i] as u64;
    }
    limbs
}

/// A scalar in signed odd digits, zeros between them.
struct NonAdjacentForm {
    digits: [i8; DIGITS],
    /// Digits up to the highest one that is not zero.
    length: usize,
}

impl NonAdjacentForm {
    /// Writes `scalar` with digits of absolute value below 2^(window - 1); window at most 8.
    fn new<const N: usize>(scalar: &[u64; N], window: u32) -> Self {
        let mut form = Self {
            digits: [0; DIGITS],
            length: 0,
        };
        let (mut position, mut carry) = (0, 0);
        // At position 64 N only a carry can be left, which is a digit 1.
        while position <= 64 * N {
            if bits(scalar, position, 1) == carry {
                position += 1;
                continue;
            }
            let digit = bits(scalar, position, window) + carry;
            carry = digit >> (window - 1);
            // Below 2^window, odd; the upper half counts from 2^window down.
            form.digits[position] = (digit as i64 - ((carry as i64) << window)) as i8;
            form.length = position + 1;
            position += window as usize;
        }
        form
    }
}

/// The odd multiples 1, 3, ..., 15 of a point.
fn odd_multiples<C: Weierstrass<N>, const N: usize>(
    point: &Affine<C, N>,
) -> [Cached<C, N>; POINT_MULTIPLES] {
    let first = point.to_jacobian();
    let twice = first.double().cache();
    let mut multiples = [first.cache(); POINT_MULTIPLES];
    let mut last = first;
    for multiple in &mut multiples[1..] {
        last = last.add_cached(&twice);
        *multiple = last.cache();
    }
    multiples
}

/// The index of a digit in a table of odd multiples.
#[inline(always)]
fn index(digit: i8) -> usize {
    usize::from(digit.unsigned_abs() / 2)
}

/// `generator` G + sum of the scalars times the points, doublings shared by all.
///
/// One term: ECDSA's u1 G + u2 Q. Two: u2 e P + u2 C, where `generator` is zero. The scalars may
/// be anything below 2^(64 N).
pub(crate) fn combine<C: Tabulated<N>, const N: usize, const TERMS: usize>(
    generator: &[u64; N],
    terms: &[([u64; N], Affine<C, N>); TERMS],
) -> Jacobian<C, N> {
    let fixed = NonAdjacentForm::new(generator, GENERATOR_WINDOW);
    let forms = terms
        .each_ref()
        .map(|(scalar, _)| NonAdjacentForm::new(scalar, POINT_WINDOW));
    let tables = terms.each_ref().map(|(_, point)| odd_multiples(point));
    let length = forms
        .iter()
        .fold(fixed.length, |length, form| length.max(form.length));
    let mut sum = Jacobian::INFINITY;
    for position in (0..length).rev() {
        sum = sum.double();
        for (form, table) in forms.iter().zip(&tables) {
            let digit = form.digits[position];
            if digit != 0 {
                sum = sum.add_signed(&table[index(digit)], digit < 0);
            }
        }
        let digit = fixed.digits[position];
        if digit != 0 {
            let entry = C::GENERATOR_TABLE[0][index(digit)];
            sum = sum.add_affine(&entry.negate_if(digit < 0));
        }
    }
    sum
}

/// `scalar` G alone, for any scalar below 2^(64 N).
pub(crate) fn multiply_generator<C: Tabulated<N>, const N: usize>(
    scalar: &[u64; N],
) -> Jacobian<C, N> {
    let form = NonAdjacentForm::new(scalar, GENERATOR_WINDOW);
    let spacing = spacing::<N>();
    let mut sum = Jacobian::INFINITY;
    // The carry at position 64 N belongs to the last piece, which is a digit longer.
    for offset in (0..=spacing).rev() {
        sum = sum.double();
        for (piece, table) in C::GENERATOR_TABLE.iter().enumerate() {
            let digit = form.digits[piece * spacing + offset];
            let own = offset < spacing || piece + 1 == PIECES;
            if own && digit != 0 {
                sum = sum.add_affine(&table[index(digit)].negate_if(digit < 0));
            }
        }
    }
    sum
}
