//! The vector in plain Rust: what each instruction does, lane by lane, for tests.
//!
//! After Intel's "Intrinsics Guide", the operations of VPMADD52LUQ, VPMADD52HUQ and the rest.

use core::array::from_fn;

use super::{LIMB_BITS, LIMB_MASK, Lanes, Range};

/// Eight words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model(pub(crate) [u64; 8]);

impl Model {
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(from_fn(|i| f(self.0[i], other.0[i])))
    }
}

fn product(a: u64, b: u64) -> u128 {
    u128::from(a & LIMB_MASK) * u128::from(b & LIMB_MASK)
}

impl Lanes for Model {
    type Bound = Range;

    fn splat(value: u64) -> Self {
        Self([value; 8])
    }

    fn from_array(words: [u64; 8]) -> Self {
        Self(words)
    }

    #[cfg(test)]
    fn to_array(self) -> [u64; 8] {
        self.0
    }

    #[inline(never)]
    fn add(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }

    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_sub)
    }

    #[inline(never)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(never)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline(never)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline(never)]
    fn shift_left<const N: u32>(self) -> Self {
        Self(self.0.map(|a| a << N))
    }

    #[inline(never)]
    fn shift_right<const N: u32>(self) -> Self {
        Self(self.0.map(|a| a >> N))
    }

    #[inline(never)]
    fn shift_right_signed<const N: u32>(self) -> Self {
        Self(self.0.map(|a| (a.cast_signed() >> N).cast_unsigned()))
    }

    #[inline(never)]
    fn multiply_add_low(self, a: Self, b: Self) -> Self {
        let low = a.zip(b, |a, b| product(a, b) as u64 & LIMB_MASK);
        self.add(low)
    }

    #[inline(never)]
    fn multiply_add_high(self, a: Self, b: Self) -> Self {
        let high = a.zip(b, |a, b| (product(a, b) >> LIMB_BITS) as u64);
        self.add(high)
    }

    #[inline(never)]
    fn equal_mask(self, other: Self) -> u8 {
        (0..8).fold(0, |mask, i| mask | u8::from(self.0[i] == other.0[i]) << i)
    }

    #[inline(never)]
    fn select(mask: u8, if_set: Self, otherwise: Self) -> Self {
        Self(from_fn(|i| {
            if mask >> i & 1 == 1 {
                if_set.0[i]
            } else {
                otherwise.0[i]
            }
        }))
    }

    fn transpose_rows(rows: [&[u64; 8]; 8]) -> [Self; 8] {
        from_fn(|j| Self(rows.map(|row| row[j])))
    }

    fn to_rows(vectors: [Self; 8]) -> [[u64; 8]; 8] {
        from_fn(|i| vectors.map(|vector| vector.0[i]))
    }

    fn each<T: Copy, const K: usize>(f: impl FnMut(usize) -> T) -> [T; K] {
        from_fn(f)
    }

    #[inline(never)]
    fn outline<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    /// Not in line: time counts here, and that of the compiler.
    #[inline(never)]
    fn inline<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
}
