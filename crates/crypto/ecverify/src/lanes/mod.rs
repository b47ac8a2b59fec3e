//! Eight independent computations at once: vectors of eight words, and residues in them.
//!
//! [`Lanes`] is what the arithmetic asks of a vector: the instructions of AVX-512 with IFMA that it
//! uses, one method each. `backend::ifma` is the vector of such processors; `model` says in plain
//! Rust what each instruction does, so that everything above can be tested anywhere.
//! [`Elements`] are eight residues modulo one prime.
//!
//! Functions generic over the vector are `#[inline(always)]`: a vector's instructions can only be
//! compiled within a function that the processor's features are declared for. Such functions are
//! the one that [`Work`] is run in, and those that [`Lanes::outline`] makes.

mod batch;
mod bound;
mod decode;
mod each;
mod field;
mod generators;
#[cfg(test)]
pub(crate) mod model;
#[cfg(test)]
mod plain;
mod points;
mod power;
mod prime;
mod product;
mod tables;
mod terms;
mod verify;

pub(crate) use batch::{Batch, WORTHWHILE};
pub(crate) use bound::Bound;
#[cfg(test)]
pub(crate) use bound::Range;
pub(crate) use field::Elements;
#[cfg(test)]
pub(crate) use generators::GENERATOR;
pub(crate) use generators::LaneTabulated;
#[cfg(test)]
pub(crate) use power::square_roots;
pub(crate) use prime::{LanePrime, form_of, limbs_of};
#[cfg(target_arch = "x86_64")]
pub(crate) use verify::Path;

/// Bits of a limb: what the multiplier of a lane takes.
pub(crate) const LIMB_BITS: u32 = 52;

/// A limb of ones.
pub(crate) const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// Eight words of 64 bits. Sums and differences wrap.
pub(crate) trait Lanes: Copy + 'static {
    /// The type that tracks the ranges of elements.
    type Bound: Bound;

    /// `value` in each lane.
    fn splat(value: u64) -> Self;
    fn from_array(words: [u64; 8]) -> Self;
    #[cfg(test)]
    fn to_array(self) -> [u64; 8];

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Shifts by N bits, N < 64, as do the other shifts.
    fn shift_left<const N: u32>(self) -> Self;
    /// Shifts zeros in from above.
    fn shift_right<const N: u32>(self) -> Self;
    /// Shifts copies of the top bit in from above.
    fn shift_right_signed<const N: u32>(self) -> Self;

    /// Adds the low 52 bits of the product of the low 52 bits of `a` and of `b`.
    fn multiply_add_low(self, a: Self, b: Self) -> Self;
    /// Adds the upper 52 bits of the 104-bit product of the low 52 bits of `a` and of `b`.
    fn multiply_add_high(self, a: Self, b: Self) -> Self;

    /// Returns a mask whose bit i is set if lanes i are equal.
    fn equal_mask(self, other: Self) -> u8;
    /// Lane i of `if_set` where bit i of `mask` is set, else of `otherwise`.
    fn select(mask: u8, if_set: Self, otherwise: Self) -> Self;

    /// Word j of row i becomes lane i of vector j: what is looked up for lane i is row i.
    fn transpose_rows(rows: [&[u64; 8]; 8]) -> [Self; 8];
    /// Lane i of vector j becomes word j of row i.
    fn to_rows(vectors: [Self; 8]) -> [[u64; 8]; 8];

    /// f(0) to f(K - 1), for the vectors side by side. The closure must be `#[inline(always)]`.
    fn each<T: Copy, const K: usize>(f: impl FnMut(usize) -> T) -> [T; K];

    /// Runs `work` as a function of its own, compiled for the processors of this vector: for code
    /// that is large, or needed in many places. What it calls must be `#[inline(always)]`, and so
    /// must the closure.
    fn outline<R>(work: impl FnOnce() -> R) -> R;

    /// Runs `work` as a part of the caller where that makes it fast: for the few formulas that take
    /// all the time. Under the same conditions.
    fn inline<R>(work: impl FnOnce() -> R) -> R;
}

/// Something to be done with whichever vector there is.
pub(crate) trait Work {
    type Output;

    /// Does it; to be marked `#[inline(always)]`.
    fn run<V: Lanes>(self) -> Self::Output;
}
