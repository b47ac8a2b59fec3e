//! \[k\]G for a secret k: a signed comb over 80 stored points, 50 additions and 9 doublings.
//!
//! An odd k below 2^250 is a sum of +2^i and -2^i over all i < 250: with k' = (k + 2^250 - 1)/2 the
//! sign at i is bit i of k' [Hamburg §3.3]. The 250 signs are five rows of 50; a column is one sign
//! of each row, worth (±2^200 ± 2^150 ± 2^100 ± 2^50 ± 1) 2^column, and up to the common sign there
//! are 16 of them. Five tables, for columns 0, 10, 20, 30, 40, leave nine doublings. No digit is
//! zero, all points are read at each look-up, signs are masked swaps: constant time. The table is
//! computed by the compiler from the generator alone.

use zeroize::Zeroizing;

use crate::backend::{LIMBS, Mask};
use crate::constants::{GENERATOR_X, GENERATOR_Y};
use crate::curve::{Affine, AffineCached, Extended, normalise};
use crate::look_up::{FlatAffine, scan};
use crate::scalar::Scalar;

const ROWS: usize = 5;
const TABLES: usize = 5;
/// Columns between two tables, hence doublings plus one.
const SPACING: usize = 10;
const COLUMNS: usize = TABLES * SPACING;
/// Signs of all rows but the last, which only decides the sign of the whole.
const ENTRIES: usize = 1 << (ROWS - 1);

/// 7.5 KiB, read-only: entry `[t][i]` is 2^(10 t) (2^200 + sum of ±2^(50 j), plus where bit j of i
/// is set) G.
static TABLE: [[FlatAffine; ENTRIES]; TABLES] = build();

/// The generator.
pub(crate) const GENERATOR: Affine = Affine {
    x: GENERATOR_X,
    y: GENERATOR_Y,
};

const fn build() -> [[FlatAffine; ENTRIES]; TABLES] {
    // powers[m] = 2^(10 m) G; row j of table t starts at 2^(50 j + 10 t).
    let mut powers = [GENERATOR.to_extended(); ROWS * TABLES];
    let mut m = 1;
    while m < ROWS * TABLES {
        powers[m] = powers[m - 1].double_times(SPACING as u32);
        m += 1;
    }
    let mut sums = [Extended::NEUTRAL; TABLES * ENTRIES];
    let mut t = 0;
    while t < TABLES {
        let mut lowest = powers[(ROWS - 1) * TABLES + t];
        let mut j = 0;
        while j < ROWS - 1 {
            lowest = lowest.sub(&powers[j * TABLES + t].to_cached());
            j += 1;
        }
        sums[t * ENTRIES] = lowest;
        let mut i = 1;
        while i < ENTRIES {
            // Turning a minus at the highest set bit into a plus adds twice the power.
            let bit = i.ilog2() as usize;
            let twice = powers[bit * TABLES + t].double().to_cached();
            sums[t * ENTRIES + i] = sums[t * ENTRIES + (i ^ (1 << bit))].add(&twice);
            i += 1;
        }
        t += 1;
    }
    let affine = normalise(&sums);
    let mut table = [[[0; 6 * LIMBS]; ENTRIES]; TABLES];
    let mut k = 0;
    while k < TABLES * ENTRIES {
        table[k / ENTRIES][k % ENTRIES] = affine[k].to_cached().to_flat();
        k += 1;
    }
    table
}

/// Bits 0..250 of (k + 2^250 - 1)/2 for odd k < 2^247: k >> 1 with bit 249 set, since k = 2 h + 1
/// gives (2 h + 2^250)/2 = h + 2^249.
fn signs(odd: &[u64; 4]) -> [u64; 4] {
    let [a, b, c, d] = *odd;
    [
        a >> 1 | b << 63,
        b >> 1 | c << 63,
        c >> 1 | d << 63,
        d >> 1 | 1 << (249 - 192),
    ]
}

/// Bit `position` (public) of the signs.
#[inline(always)]
fn sign(signs: &[u64; 4], position: usize) -> u64 {
    signs[position / 64] >> (position % 64) & 1
}

/// The point that `column` of the signs stands for, up to the factor 2^(column mod 10).
#[inline(always)]
fn look_up(signs: &[u64; 4], column: usize) -> AffineCached {
    let leading = sign(signs, (ROWS - 1) * COLUMNS + column);
    let minus = leading ^ 1;
    let mut index = 0;
    for row in 0..ROWS - 1 {
        // Under a leading minus all signs are turned, and the entry negated.
        index |= (sign(signs, row * COLUMNS + column) ^ minus) << row;
    }
    let entry = AffineCached::from_flat(&scan(&TABLE[column / SPACING], index));
    entry.negate_if(Mask::from_bit(minus))
}

/// `[scalar]G` in constant time.
pub(crate) fn multiply(scalar: &Scalar) -> Extended {
    let odd = Zeroizing::new(scalar.to_odd());
    let signs = Zeroizing::new(signs(&odd));
    let mut sum = Extended::NEUTRAL;
    for offset in (0..SPACING).rev() {
        if offset != SPACING - 1 {
            sum.double_assign();
        }
        for table in 0..TABLES {
            sum.add_affine_assign(&look_up(&signs, table * SPACING + offset));
        }
    }
    sum
}
