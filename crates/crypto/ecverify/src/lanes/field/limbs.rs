//! Limbs in lanes: split, joined, compared.

use super::super::{LIMB_MASK, Lanes};

/// f of each two limbs.
#[inline(always)]
pub(super) fn zip<V: Lanes>(a: &[V; 5], b: &[V; 5], f: impl Fn(V, V) -> V) -> [V; 5] {
    [
        f(a[0], b[0]),
        f(a[1], b[1]),
        f(a[2], b[2]),
        f(a[3], b[3]),
        f(a[4], b[4]),
    ]
}

/// The same number in each lane.
#[inline(always)]
pub(super) fn splat<V: Lanes>(limbs: &[u64; 5]) -> [V; 5] {
    [
        V::splat(limbs[0]),
        V::splat(limbs[1]),
        V::splat(limbs[2]),
        V::splat(limbs[3]),
        V::splat(limbs[4]),
    ]
}

/// Lanes in which all limbs are equal.
#[inline(always)]
pub(super) fn equal_limbs<V: Lanes>(a: &[V; 5], b: &[V; 5]) -> u8 {
    let mut difference = a[0].xor(b[0]);
    let mut i = 1;
    while i < 5 {
        difference = difference.or(a[i].xor(b[i]));
        i += 1;
    }
    difference.equal_mask(V::splat(0))
}

/// Four words as five limbs.
#[inline(always)]
pub(super) fn split<V: Lanes>([a, b, c, d]: [V; 4]) -> [V; 5] {
    let mask = V::splat(LIMB_MASK);
    [
        a.and(mask),
        a.shift_right::<52>().or(b.shift_left::<12>()).and(mask),
        b.shift_right::<40>().or(c.shift_left::<24>()).and(mask),
        c.shift_right::<28>().or(d.shift_left::<36>()).and(mask),
        d.shift_right::<16>(),
    ]
}

/// Five limbs, of a number below 2^256, as four words.
#[inline(always)]
pub(super) fn join<V: Lanes>([a, b, c, d, e]: [V; 5]) -> [V; 4] {
    [
        a.or(b.shift_left::<52>()),
        b.shift_right::<12>().or(c.shift_left::<40>()),
        c.shift_right::<24>().or(d.shift_left::<28>()),
        d.shift_right::<36>().or(e.shift_left::<16>()),
    ]
}
