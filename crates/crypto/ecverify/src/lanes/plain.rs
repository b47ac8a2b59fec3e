//! Operations in their simplest form: for the tests, which compare them with big integers.

use core::array::from_fn;

use super::{Elements, LanePrime, Lanes};

impl<V: Lanes, P: LanePrime> Elements<V, P> {
    /// The integers below p, in words. Costs a product.
    #[inline(always)]
    pub(crate) fn to_integer(self) -> [V; 4] {
        self.leave_form().to_words()
    }

    /// As [`Self::to_integer`], lane by lane.
    #[inline(always)]
    pub(crate) fn to_integers(self) -> [[u64; 4]; 8] {
        let words = self.to_integer().map(V::to_array);
        from_fn(|lane| from_fn(|j| words[j][lane]))
    }

    #[inline(always)]
    pub(crate) fn add(&self, other: &Self) -> Self {
        self.plus(other).reduce()
    }

    #[inline(always)]
    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.minus(other).reduce()
    }

    #[inline(always)]
    pub(crate) fn double(&self) -> Self {
        self.sum().times::<2>().reduce()
    }

    #[inline(always)]
    pub(crate) fn triple(&self) -> Self {
        self.sum().times::<3>().reduce()
    }

    #[inline(always)]
    pub(crate) fn negate(&self) -> Self {
        Self::zero().sub(self)
    }
}
