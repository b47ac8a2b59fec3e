//! Products of N limbs by N limbs: plain integers of 2 N limbs.
//!
//! Each row of products is first made an integer of its own and then added, in two chains of
//! carries: that is what compilers make additions with carry of.

use crate::limbs::{add_carry, mul_wide};

/// Limbs of the widest product: two factors of six limbs.
pub(super) const WIDE: usize = 12;

/// `t + a b` for a word b, from word `at` on; the word above the row is written, not added to.
#[inline(always)]
pub(super) const fn add_row<const N: usize, const W: usize>(
    t: &mut [u64; W],
    at: usize,
    a: &[u64; N],
    from: usize,
    b: u64,
) {
    let (mut row, mut above, mut carry, mut j) = ([0; N], 0, false, from);
    while j < N {
        let (low, high) = mul_wide(a[j], b);
        (row[j], carry) = add_carry(low, above, carry);
        above = high;
        j += 1;
    }
    above += carry as u64;
    (carry, j) = (false, from);
    while j < N {
        (t[at + j], carry) = add_carry(t[at + j], row[j], carry);
        j += 1;
    }
    // The integer below 2^(64 (N + 1)): neither sum leaves the word.
    t[at + N] = above + carry as u64;
}

/// a b, in the first 2 N limbs.
#[inline(always)]
pub(super) const fn product<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; WIDE] {
    let (mut product, mut i) = ([0; WIDE], 0);
    while i < N {
        add_row(&mut product, i, a, 0, b[i]);
        i += 1;
    }
    product
}

/// a^2, in the first 2 N limbs.
#[inline(always)]
pub(super) const fn square<const N: usize>(a: &[u64; N]) -> [u64; WIDE] {
    let mut product = [0; WIDE];
    // The products of different limbs, each once.
    let mut i = 0;
    while i + 1 < N {
        add_row(&mut product, i, a, i + 1, a[i]);
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
