//! Reading a table at a secret index: every entry is read, masks keep one.
//!
//! Entries are plain arrays of limbs, so that the compiler turns the inner loop into vector
//! operations; as structures of field elements they are taken apart into single words, at twice
//! the time.

use crate::backend::{Fp, LIMBS, Limb, Mask};
use crate::curve::{AffineCached, Cached};
use crate::field2::Fp2;

/// Limbs of `COUNT / LIMBS` elements of GF(p).
pub(crate) type Flat<const COUNT: usize> = [Limb; COUNT];
/// A [`Cached`] point.
pub(crate) type FlatCached = Flat<{ 8 * LIMBS }>;
/// An [`AffineCached`] point.
pub(crate) type FlatAffine = Flat<{ 6 * LIMBS }>;

/// `table[index]`, in constant time; zeros if there is no such entry.
#[inline(never)]
pub(crate) fn scan<const WIDTH: usize>(table: &[Flat<WIDTH>], index: u64) -> Flat<WIDTH> {
    let mut found = [0; WIDTH];
    for (i, entry) in (0..).zip(table) {
        let mask = Mask::equal(index, i);
        for (limb, candidate) in found.iter_mut().zip(entry) {
            *limb |= mask.and_limb(*candidate);
        }
    }
    found
}

/// Writes `elements` one after the other.
const fn flatten<const WIDTH: usize, const COUNT: usize>(elements: [Fp2; COUNT]) -> Flat<WIDTH> {
    let (mut flat, mut i) = ([0; WIDTH], 0);
    while i < COUNT {
        let halves = [elements[i].re.to_limbs(), elements[i].im.to_limbs()];
        let mut j = 0;
        while j < 2 * LIMBS {
            flat[2 * LIMBS * i + j] = halves[j / LIMBS][j % LIMBS];
            j += 1;
        }
        i += 1;
    }
    flat
}

/// Element `i` of what [`flatten`] wrote.
#[inline(always)]
fn element<const WIDTH: usize>(flat: &Flat<WIDTH>, i: usize) -> Fp2 {
    let half = |from: usize| {
        let mut limbs = [0; LIMBS];
        limbs.copy_from_slice(&flat[from..from + LIMBS]);
        Fp::from_limbs(limbs)
    };
    Fp2 {
        re: half(2 * LIMBS * i),
        im: half(2 * LIMBS * i + LIMBS),
    }
}

impl Cached {
    pub(crate) const fn to_flat(self) -> FlatCached {
        flatten([self.sum, self.difference, self.twice_z, self.twice_dt])
    }

    #[inline(always)]
    pub(crate) fn from_flat(flat: &FlatCached) -> Self {
        Self {
            sum: element(flat, 0),
            difference: element(flat, 1),
            twice_z: element(flat, 2),
            twice_dt: element(flat, 3),
        }
    }
}

impl AffineCached {
    pub(crate) const fn to_flat(self) -> FlatAffine {
        flatten([self.sum, self.difference, self.twice_dt])
    }

    #[inline(always)]
    pub(crate) fn from_flat(flat: &FlatAffine) -> Self {
        Self {
            sum: element(flat, 0),
            difference: element(flat, 1),
            twice_dt: element(flat, 2),
        }
    }
}
