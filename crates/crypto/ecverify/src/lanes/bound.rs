//! Ranges of values, followed through every formula where a vector asks for it.
//!
//! A formula computes the same ranges whatever its operands are, so that one test of it shows that
//! no operand can leave them. The vector of the tests follows them; that of a processor has none.

use super::{LanePrime, Lanes};

/// Range of the values of an element or a sum: from a low to a high multiple of the prime, ends
/// included, and a bound of the limbs.
pub(crate) trait Bound: Copy {
    /// Returns the range of an element from 0 up to `high` p.
    fn element(high: i32) -> Self;

    /// Stops where a lane is not in the range of these elements, or limbs have more than 52 bits.
    fn check<V: Lanes, P: LanePrime>(self, limbs: &[V; 5]);

    /// Returns the range of a Montgomery product: with factors up to a p and b p, (a b p^2 + R p)/R
    /// at most, and R >= 16 p.
    fn product(self, other: Self) -> Self;

    /// Returns the range of x + factor y.
    fn combine(self, factor: i32, other: Self) -> Self;

    /// Returns the range of x + count p, which may not be negative any more.
    fn lifted(self, count: u32) -> Self;

    /// Returns the range of either element.
    fn either(self, other: Self) -> Self;
}

/// Nothing is known.
impl Bound for () {
    #[inline(always)]
    fn element(_: i32) -> Self {}

    #[inline(always)]
    fn check<V: Lanes, P: LanePrime>(self, _: &[V; 5]) {}

    #[inline(always)]
    fn product(self, (): Self) -> Self {}

    #[inline(always)]
    fn combine(self, _: i32, (): Self) -> Self {}

    #[inline(always)]
    fn lifted(self, _: u32) -> Self {}

    #[inline(always)]
    fn either(self, (): Self) -> Self {}
}

/// A range that is followed.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    low: i32,
    high: i32,
    /// The limbs are at most this many times 2^52, either way.
    limbs: i32,
}

#[cfg(test)]
mod followed {
    use super::super::prime::multiple;
    use super::super::{LIMB_MASK, LanePrime, Lanes};
    use super::{Bound, Range};

    /// Elements have limbs of 52 bits, hence values below R = 2^260, at least 16 p.
    const ELEMENTS: i32 = 16;
    /// Sums are at most this far from 0, as `Sum::reduce` demands.
    const SUMS: i32 = 30;
    /// Limbs of sums are at most 2^58.
    const SUM_LIMBS: i32 = 64;

    impl Bound for Range {
        fn element(high: i32) -> Self {
            assert!((0..=ELEMENTS).contains(&high), "up to {high} p");
            let (low, limbs) = (0, 1);
            Self { low, high, limbs }
        }

        fn check<V: Lanes, P: LanePrime>(self, limbs: &[V; 5]) {
            let end = multiple::<P>(self.high as u32);
            let lanes = limbs.map(V::to_array);
            for lane in 0..8 {
                assert!(lanes.iter().all(|limb| limb[lane] <= LIMB_MASK));
                let value = lanes.map(|limb| limb[lane]);
                assert!(
                    value.iter().rev().le(end.iter().rev()),
                    "{value:x?} > {end:x?}"
                );
            }
        }

        fn product(self, other: Self) -> Self {
            Self::element(1 + (self.high * other.high + 15) / 16)
        }

        fn combine(self, factor: i32, other: Self) -> Self {
            let (low, high) = if factor < 0 {
                (other.high, other.low)
            } else {
                (other.low, other.high)
            };
            let sum = Self {
                low: self.low + factor * low,
                high: self.high + factor * high,
                limbs: self.limbs + factor.abs() * other.limbs,
            };
            assert!(sum.low >= -SUMS && sum.high <= SUMS && sum.limbs <= SUM_LIMBS);
            sum
        }

        fn lifted(self, count: u32) -> Self {
            assert!(self.low + count as i32 >= 0, "{self:?} + {count} p");
            assert!(self.limbs < SUM_LIMBS);
            Self::element(self.high + count as i32)
        }

        fn either(self, other: Self) -> Self {
            if other.high > self.high { other } else { self }
        }
    }
}
