//! Products and squares in Montgomery's form: the loops that everything else waits for.
//!
//! First all ten columns of the 520-bit product, then five steps of reduction. A column holds at
//! most 9 halves of products of limbs, 6 of multiples of p, and a carry: below 2^57, so that no
//! carry is taken within. The chain of carries through the reduction is long, and the next product
//! does not wait for it: a processor overlaps products that stand next to each other in a program.
//!
//! S. Gueron and V. Krasnov, "Software Implementation of Modular Exponentiation, Using Advanced
//! Vector Instructions Architectures", 2012, for the radix; P. L. Montgomery, 1985, for the form.

use super::{LIMB_BITS, LIMB_MASK, LanePrime, Lanes};

/// `a b/R` modulo p, at most (a b + R p)/R, in limbs of 52 bits, for factors in limbs of 52 bits.
#[inline(always)]
pub(super) fn multiply<V: Lanes, P: LanePrime>(a: &[V; 5], b: &[V; 5]) -> [V; 5] {
    let mut columns = [V::splat(0); 10];
    let mut i = 0;
    while i < 5 {
        let mut j = 0;
        while j < 5 {
            columns[i + j] = columns[i + j].multiply_add_low(a[i], b[j]);
            columns[i + j + 1] = columns[i + j + 1].multiply_add_high(a[i], b[j]);
            j += 1;
        }
        i += 1;
    }
    reduce::<V, P>(columns)
}

/// As `multiply(a, a)`. Products of different limbs are doubled as columns: a doubled limb would
/// have 53 bits.
#[inline(always)]
pub(super) fn square<V: Lanes, P: LanePrime>(a: &[V; 5]) -> [V; 5] {
    let mut columns = [V::splat(0); 10];
    let mut i = 0;
    while i < 4 {
        let mut j = i + 1;
        while j < 5 {
            columns[i + j] = columns[i + j].multiply_add_low(a[i], a[j]);
            columns[i + j + 1] = columns[i + j + 1].multiply_add_high(a[i], a[j]);
            j += 1;
        }
        i += 1;
    }
    let mut i = 1;
    while i < 9 {
        columns[i] = columns[i].add(columns[i]);
        i += 1;
    }
    let mut i = 0;
    while i < 5 {
        columns[2 * i] = columns[2 * i].multiply_add_low(a[i], a[i]);
        columns[2 * i + 1] = columns[2 * i + 1].multiply_add_high(a[i], a[i]);
        i += 1;
    }
    reduce::<V, P>(columns)
}

/// Adds multiples of p until the lower five columns are zero; the upper five are the result.
#[inline(always)]
fn reduce<V: Lanes, P: LanePrime>(mut columns: [V; 10]) -> [V; 5] {
    let mut i = 0;
    while i < 5 {
        if P::IS_P256 {
            // 1/p = -1 modulo 2^96: the column itself counts p, and p + 1 has three limbs. Taking
            // m off the column leaves its carry.
            let m = columns[i];
            add_multiple(&mut columns, i, 1, m, P::LIMBS[1] + 1);
            columns[i + 1] = columns[i + 1].add(m.shift_right::<LIMB_BITS>());
            add_multiple(&mut columns, i, 3, m, P::LIMBS[3]);
            add_multiple(&mut columns, i, 4, m, P::LIMBS[4]);
        } else {
            let m = V::splat(0).multiply_add_low(columns[i], V::splat(P::NEGATED_INVERSE));
            add_multiple(&mut columns, i, 1, m, P::LIMBS[1]);
            // The low half of m p_0 brings the column to the next multiple of 2^52, and this is
            // all that it does.
            let up = columns[i].add(V::splat(LIMB_MASK));
            columns[i + 1] = columns[i + 1].add(up.shift_right::<LIMB_BITS>());
            columns[i + 1] = columns[i + 1].multiply_add_high(m, V::splat(P::LIMBS[0]));
            add_multiple(&mut columns, i, 2, m, P::LIMBS[2]);
            add_multiple(&mut columns, i, 3, m, P::LIMBS[3]);
            add_multiple(&mut columns, i, 4, m, P::LIMBS[4]);
        }
        i += 1;
    }
    let [.., a, b, c, d, e] = columns;
    carry([a, b, c, d, e])
}

/// Adds m times limb j of a number to the columns from i on.
#[inline(always)]
fn add_multiple<V: Lanes>(columns: &mut [V; 10], i: usize, j: usize, m: V, limb: u64) {
    let limb = V::splat(limb);
    columns[i + j] = columns[i + j].multiply_add_low(m, limb);
    columns[i + j + 1] = columns[i + j + 1].multiply_add_high(m, limb);
}

/// Brings limbs, signed ones of any size, to 52 bits, for a value from 0 to 2^260.
#[inline(always)]
pub(super) fn carry<V: Lanes>(mut limbs: [V; 5]) -> [V; 5] {
    let mask = V::splat(LIMB_MASK);
    let mut i = 0;
    while i < 4 {
        limbs[i + 1] = limbs[i + 1].add(limbs[i].shift_right_signed::<LIMB_BITS>());
        limbs[i] = limbs[i].and(mask);
        i += 1;
    }
    limbs
}
