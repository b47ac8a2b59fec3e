//! Eight residues modulo one prime, and sums of them that are not reduced yet.
//!
//! An element is a value x R mod p, R = 2^260, plus any multiple of p, in five limbs of 52 bits:
//! from 0 to `high` p, where `high` follows from the formula that made it. Factors of up to a p and
//! b p have a product of up to (1 + a b/16) p, so that a formula seldom needs to reduce. The
//! tests follow `high` (see `bound`) and compare each value with it.
//!
//! | made by | `high` |
//! |---|---|
//! | `multiply`, `square` | 1 + a b/16, rounded up: 2 for factors with a b <= 16 |
//! | `Sum::reduce` | 2 |
//! | `Sum::carry::<K>` | that of the sum, and K |
//! | `from_words` | 2 |

mod limbs;

use core::array::from_fn;
use core::marker::PhantomData;

use super::bound::Bound;
use super::prime::multiple;
use super::{LIMB_BITS, LanePrime, Lanes, product};

use limbs::{equal_limbs, join, splat, split, zip};

/// Eight elements of the field of `P`, or eight integers modulo the order `P`.
pub(crate) struct Elements<V: Lanes, P> {
    /// Each below 2^52.
    limbs: [V; 5],
    range: V::Bound,
    prime: PhantomData<P>,
}

/// Eight sums of elements and negated elements, from -30 p to 30 p.
pub(crate) struct Sum<V: Lanes, P> {
    /// Signed, at most 2^58 either way.
    limbs: [V; 5],
    range: V::Bound,
    prime: PhantomData<P>,
}

impl<V: Lanes, P> Clone for Elements<V, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Lanes, P> Copy for Elements<V, P> {}

impl<V: Lanes, P> Clone for Sum<V, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Lanes, P> Copy for Sum<V, P> {}

impl<V: Lanes, P: LanePrime> Elements<V, P> {
    /// Compares each value with its range, where debug assertions are on.
    #[inline(always)]
    fn new(limbs: [V; 5], range: V::Bound) -> Self {
        range.check::<V, P>(&limbs);
        Self {
            limbs,
            range,
            prime: PhantomData,
        }
    }

    /// Of limbs as they stand, up to `high` p.
    #[cfg(test)]
    pub(crate) fn of_limbs(limbs: [V; 5], high: i32) -> Self {
        Self::new(limbs, V::Bound::element(high))
    }

    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Self::new(splat(&[0; 5]), V::Bound::element(0))
    }

    #[inline(always)]
    pub(crate) fn one() -> Self {
        Self::constant(&P::ONE)
    }

    /// The element whose form is below p and has these limbs; see `form_of`, `limbs_of`.
    #[inline(always)]
    pub(crate) fn constant(form: &[u64; 5]) -> Self {
        Self::new(splat(form), V::Bound::element(1))
    }

    /// The elements whose forms, below 2^256, are these words.
    #[inline(always)]
    pub(crate) fn from_words(forms: [V; 4]) -> Self {
        // 2^256 < 2 p.
        Self::new(split(forms), V::Bound::element(2))
    }

    /// The forms below p, in words.
    #[inline(always)]
    pub(crate) fn to_words(self) -> [V; 4] {
        join(self.canonical())
    }

    /// The elements of integers below 2^256, in words. Costs a product.
    #[inline(always)]
    pub(crate) fn from_integer(words: [V; 4]) -> Self {
        Self::from_words(words).multiply(&Self::constant(&P::RADIX_SQUARED))
    }

    /// As [`Self::from_integer`], lane by lane.
    #[inline(always)]
    pub(crate) fn from_integers(integers: &[[u64; 4]; 8]) -> Self {
        Self::from_integer(from_fn(|j| {
            V::from_array(from_fn(|lane| integers[lane][j]))
        }))
    }

    /// x/R, the integer whose form this is.
    #[inline(always)]
    pub(super) fn leave_form(&self) -> Self {
        self.multiply(&Self::constant(&[1, 0, 0, 0, 0]))
    }

    /// Limbs of the forms below p.
    #[inline(always)]
    pub(crate) fn canonical(&self) -> [V; 5] {
        let value = self.sum().reduce().limbs;
        let less_p = zip(&value, &splat(&P::LIMBS), V::sub);
        let less_p = product::carry(less_p);
        // All ones if the difference is negative.
        let negative = less_p[4].shift_right_signed::<63>();
        let below = negative.equal_mask(V::splat(u64::MAX));
        zip(&value, &less_p, |value, less_p| {
            V::select(below, value, less_p)
        })
    }

    /// Lanes of `if_set` where bits of `mask` are set, else of `otherwise`.
    #[inline(always)]
    pub(crate) fn select(mask: u8, if_set: &Self, otherwise: &Self) -> Self {
        let limbs = zip(&if_set.limbs, &otherwise.limbs, |if_set, otherwise| {
            V::select(mask, if_set, otherwise)
        });
        Self::new(limbs, if_set.range.either(otherwise.range))
    }

    /// Lanes in which the elements are equal.
    #[inline(always)]
    pub(crate) fn equal_mask(&self, other: &Self) -> u8 {
        self.minus(other).zero_mask()
    }

    /// Lanes in which the element is zero.
    #[inline(always)]
    pub(crate) fn zero_mask(&self) -> u8 {
        self.sum().zero_mask()
    }

    /// Lanes in which the integer below p is odd. Costs a product.
    #[inline(always)]
    pub(crate) fn odd_mask(&self) -> u8 {
        let one = V::splat(1);
        self.leave_form().canonical()[0].and(one).equal_mask(one)
    }

    #[inline(always)]
    pub(crate) fn multiply(&self, other: &Self) -> Self {
        V::outline(
            #[inline(always)]
            || self.multiply_inline(other),
        )
    }

    #[inline(always)]
    pub(crate) fn square(&self) -> Self {
        V::outline(
            #[inline(always)]
            || self.square_inline(),
        )
    }

    /// As `multiply`, in line: for the formulas that take all the time.
    #[inline(always)]
    pub(crate) fn multiply_inline(&self, other: &Self) -> Self {
        V::inline(
            #[inline(always)]
            || {
                let limbs = product::multiply::<V, P>(&self.limbs, &other.limbs);
                Self::new(limbs, self.range.product(other.range))
            },
        )
    }

    /// As `square`, in line.
    #[inline(always)]
    pub(crate) fn square_inline(&self) -> Self {
        V::inline(
            #[inline(always)]
            || {
                let limbs = product::square::<V, P>(&self.limbs);
                Self::new(limbs, self.range.product(self.range))
            },
        )
    }

    /// The element as a sum.
    #[inline(always)]
    pub(crate) fn sum(&self) -> Sum<V, P> {
        Sum {
            limbs: self.limbs,
            range: self.range,
            prime: PhantomData,
        }
    }

    /// x + y, not reduced.
    #[inline(always)]
    pub(crate) fn plus(&self, other: &Self) -> Sum<V, P> {
        self.sum().plus(other)
    }

    /// x - y, not reduced.
    #[inline(always)]
    pub(crate) fn minus(&self, other: &Self) -> Sum<V, P> {
        self.sum().minus(other)
    }
}

impl<V: Lanes, P: LanePrime> Sum<V, P> {
    #[inline(always)]
    fn new(limbs: [V; 5], range: V::Bound) -> Self {
        Self {
            limbs,
            range,
            prime: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn plus(&self, other: &Elements<V, P>) -> Self {
        let limbs = zip(&self.limbs, &other.limbs, V::add);
        Self::new(limbs, self.range.combine(1, other.range))
    }

    #[inline(always)]
    pub(crate) fn minus(&self, other: &Elements<V, P>) -> Self {
        self.minus_sum(&other.sum())
    }

    #[inline(always)]
    pub(crate) fn minus_sum(&self, other: &Self) -> Self {
        let limbs = zip(&self.limbs, &other.limbs, V::sub);
        Self::new(limbs, self.range.combine(-1, other.range))
    }

    /// N times the sum, for N = 2, 3, 4, 8.
    #[inline(always)]
    pub(crate) fn times<const N: u32>(&self) -> Self {
        let twice = |limb: V| limb.add(limb);
        const { assert!(matches!(N, 2 | 3 | 4 | 8)) };
        let limbs = match N {
            2 => self.limbs.map(twice),
            3 => zip(&self.limbs, &self.limbs.map(twice), V::add),
            4 => self.limbs.map(V::shift_left::<2>),
            _ => self.limbs.map(V::shift_left::<3>),
        };
        Self::new(limbs, self.range.combine(N as i32 - 1, self.range))
    }

    /// The sum plus K p, which may not be negative for any operands of the formula; at most 16 p.
    #[inline(always)]
    pub(crate) fn carry<const K: u32>(&self) -> Elements<V, P> {
        let limbs = if K == 0 {
            self.limbs
        } else {
            zip(&self.limbs, &splat(const { &multiple::<P>(K) }), V::add)
        };
        Elements::new(product::carry(limbs), self.range.lifted(K))
    }

    /// Lanes in which the sum is a multiple of p.
    #[inline(always)]
    pub(crate) fn zero_mask(&self) -> u8 {
        equal_limbs(&self.reduce().limbs, &splat(&P::LIMBS))
    }

    /// The sum less the multiple of p that leaves a value from 0.49 p to 1.51 p: zero becomes p.
    ///
    /// The multiple is told from the upper limb alone. The others, up to 2^58 each way, come to
    /// less than 2^215; the shares of p that are named here are so much larger that this does not
    /// count.
    #[inline(always)]
    pub(crate) fn reduce(&self) -> Elements<V, P> {
        let limbs = if P::IS_P256 {
            self.less_multiple_of_p256()
        } else {
            self.less_multiple()
        };
        Elements::new(product::carry(limbs), V::Bound::element(2))
    }

    /// p is 2^256 but for a share of 2^-32, so the quotient is one by 2^256: the value less 2^255,
    /// rounded down, which leaves 2^255 to 3 2^255, and at most 31 (2^256 - p) to either side.
    #[inline(always)]
    fn less_multiple_of_p256(&self) -> [V; 5] {
        let [a, b, c, d, e] = self.limbs;
        let q = e.sub(V::splat(1 << 47)).shift_right_signed::<48>();
        // q p = q (2^256 - 2^224 + 2^192 + 2^96 - 1), in units of the limbs.
        [
            a.add(q),
            b.sub(q.shift_left::<44>()),
            c,
            d.sub(q.shift_left::<36>()),
            e.add(q.shift_left::<16>()).sub(q.shift_left::<48>()),
        ]
    }

    /// With w = value + 31.5 p, from 1.5 p to 61.5 p: q = w/p rounded down, or one less where w/p
    /// is less than 0.006 above an integer, since w is told in units of 2^248 < 0.0059 p. Never one
    /// more: the reciprocal is too small by 2^-25 of itself, w by nothing but the lower limbs.
    #[inline(always)]
    fn less_multiple(&self) -> [V; 5] {
        // 31.5 p in units of 2^208, rounded down.
        let lift = const { multiple::<P>(63)[4] >> 1 };
        let w = self.limbs[4].add(V::splat(lift)).shift_right::<40>();
        let q = V::splat(0).multiply_add_high(w, V::splat(P::RECIPROCAL));
        // The value + (32 - q) p, from 0.5 p to 1.506 p. The multiplier only adds: 63 - q is not
        // negative, and 31 p are taken off.
        let count = V::splat(63).sub(q);
        let down = const { &multiple::<P>(31) };
        let mut limbs = zip(&self.limbs, &splat(down), V::sub);
        let mut top = V::splat(0);
        let mut i = 0;
        while i < 5 {
            let limb = V::splat(P::LIMBS[i]);
            limbs[i] = limbs[i].multiply_add_low(count, limb);
            if i < 4 {
                limbs[i + 1] = limbs[i + 1].multiply_add_high(count, limb);
            } else {
                top = top.multiply_add_high(count, limb);
            }
            i += 1;
        }
        limbs[4] = limbs[4].add(top.shift_left::<LIMB_BITS>());
        limbs
    }
}
