//! Products of N limbs by N limbs: plain integers of 2 N limbs.
//!
//! Rows are written out for each limb, with indices that the compiler knows: loops over rows would
//! keep the sums in memory.

use crate::limbs::{add_carry, mul_wide, multiply_add};

/// Limbs of the widest product: two factors of six limbs.
pub(super) const WIDE: usize = 12;

/// Repeats a block for each constant `$i` below `$n`, which is at most 6, written out.
macro_rules! for_each_limb {
    ($i:ident, $n:expr, $block:block) => {
        for_each_limb!($i, $n, $block, 0 1 2 3 4 5)
    };
    ($i:ident, $n:expr, $block:block, $($limb:literal)*) => {
        $(if $limb < $n {
            const $i: usize = $limb;
            $block
        })*
    };
}
pub(super) use for_each_limb;

/// Adds a b for a word b to N words of `t`, from `at` on, and returns the word above them.
#[inline(always)]
pub(super) const fn add_row<const N: usize>(
    t: &mut [u64; WIDE],
    at: usize,
    a: &[u64; N],
    b: u64,
) -> u64 {
    let (mut above, mut j) = (0, 0);
    while j < N {
        (t[at + j], above) = multiply_add(a[j], b, t[at + j], above);
        j += 1;
    }
    above
}

/// a b, in the first 2 N limbs.
#[inline(always)]
pub(super) const fn product<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; WIDE] {
    let mut product = [0; WIDE];
    for_each_limb!(I, N, {
        product[N + I] = add_row(&mut product, I, a, b[I]);
    });
    product
}

/// Adds the products of a limb of a and all limbs above it to `t`, which has nothing above them
/// yet. The row is first made an integer of its own and then added, in two chains of carries.
#[inline(always)]
const fn add_half_row<const N: usize>(t: &mut [u64; WIDE], at: usize, a: &[u64; N]) {
    let (mut row, mut above, mut carry, mut j) = ([0; N], 0, false, at + 1);
    while j < N {
        let (low, high) = mul_wide(a[j], a[at]);
        (row[j], carry) = add_carry(low, above, carry);
        above = high;
        j += 1;
    }
    above += carry as u64;
    (carry, j) = (false, at + 1);
    while j < N {
        (t[at + j], carry) = add_carry(t[at + j], row[j], carry);
        j += 1;
    }
    // The integer below 2^(64 (N + 1)): neither sum leaves the word.
    t[at + N] = above + carry as u64;
}

/// a^2, in the first 2 N limbs.
#[inline(always)]
pub(super) const fn square<const N: usize>(a: &[u64; N]) -> [u64; WIDE] {
    let mut product = [0; WIDE];
    // The products of different limbs, each once.
    let mut i = 0;
    while i + 1 < N {
        add_half_row(&mut product, i, a);
        i += 1;
    }
    // Twice their sum, below 2^(128 N): the lowest word is zero.
    let (mut carry, mut i) = (false, 1);
    while i < 2 * N {
        (product[i], carry) = add_carry(product[i], product[i], carry);
        i += 1;
    }
    // And the squares.
    (carry, i) = (false, 0);
    while i < N {
        let (low, high) = mul_wide(a[i], a[i]);
        (product[2 * i], carry) = add_carry(product[2 * i], low, carry);
        (product[2 * i + 1], carry) = add_carry(product[2 * i + 1], high, carry);
        i += 1;
    }
    product
}
