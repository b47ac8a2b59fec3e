//! Points of E in the coordinates that each step wants, and the complete group law on them.
//!
//! With T = XY/Z, a point (x, y) = (X/Z, Y/Z) is kept as
//! * [`Extended`] (X, Y, Z, Ta, Tb), T = Ta Tb: what additions and doublings yield;
//! * [`Cached`] (X+Y, Y-X, 2Z, 2dT): a table entry; [`AffineCached`] the same with Z = 1;
//! * [`Affine`] (x, y).
//!
//! The formulas are those of [HWCD §3.1] for a = -1. They are complete on the whole curve because
//! d is not a square: no input, be it neutral, equal, or of small order, is an exception. T is
//! kept in two factors because a doubling after the addition never needs their product.
//! `Affine` is *on the curve*; that it also has order N is what [`crate::FourQPoint`] adds.

use zeroize::Zeroize;

use crate::backend::Mask;
use crate::constants::D;
use crate::field2::Fp2;
use crate::power;

/// (x, y) on the curve, of any order.
#[derive(Clone, Copy, Zeroize)]
pub(crate) struct Affine {
    pub(crate) x: Fp2,
    pub(crate) y: Fp2,
}

/// (X, Y, Z, Ta, Tb) with x = X/Z, y = Y/Z, XY/Z = Ta Tb. Z is never zero.
#[derive(Clone, Copy, Zeroize)]
pub(crate) struct Extended {
    pub(crate) x: Fp2,
    pub(crate) y: Fp2,
    pub(crate) z: Fp2,
    pub(crate) ta: Fp2,
    pub(crate) tb: Fp2,
}

/// (X + Y, Y - X, 2Z, 2dT).
#[derive(Clone, Copy, Zeroize)]
pub(crate) struct Cached {
    pub(crate) sum: Fp2,
    pub(crate) difference: Fp2,
    pub(crate) twice_z: Fp2,
    pub(crate) twice_dt: Fp2,
}

/// (x + y, y - x, 2dxy).
#[derive(Clone, Copy, Zeroize)]
pub(crate) struct AffineCached {
    pub(crate) sum: Fp2,
    pub(crate) difference: Fp2,
    pub(crate) twice_dt: Fp2,
}

/// 2d.
const TWICE_D: Fp2 = D.double();

impl Affine {
    pub(crate) const fn to_extended(self) -> Extended {
        Extended {
            x: self.x,
            y: self.y,
            z: Fp2::ONE,
            ta: self.x,
            tb: self.y,
        }
    }

    pub(crate) const fn to_cached(self) -> AffineCached {
        AffineCached {
            sum: self.x.add(self.y),
            difference: self.y.sub(self.x),
            twice_dt: self.x.mul(self.y).mul(TWICE_D),
        }
    }
}

impl Extended {
    pub(crate) const NEUTRAL: Self = Self {
        x: Fp2::ZERO,
        y: Fp2::ONE,
        z: Fp2::ONE,
        ta: Fp2::ZERO,
        tb: Fp2::ONE,
    };

    /// 2P, in place. Needs no T, hence no product of Ta and Tb.
    ///
    /// In place and never inlined, as the additions below: a result returned by value is copied
    /// with wide loads that wait for the narrow stores before them, and several copies of the
    /// formulas in one loop are more than the processor's cache of decoded instructions holds.
    #[inline(never)]
    pub(crate) const fn double_assign(&mut self) {
        let xx = self.x.sqr();
        let yy = self.y.sqr();
        let sum = xx.add(yy); // X² + Y²
        let cross = self.x.add(self.y).sqr().sub(sum); // 2XY
        let difference = yy.sub(xx); // Y² - X²
        let rest = self.z.sqr().double().sub(difference); // 2Z² - (Y² - X²)
        self.x = cross.mul(rest);
        self.y = sum.mul(difference);
        self.z = difference.mul(rest);
        self.ta = cross;
        self.tb = sum;
    }

    /// P + Q, in place.
    #[inline(always)]
    pub(crate) const fn add_assign(&mut self, other: &Cached) {
        self.add_projective(
            &other.sum,
            &other.difference,
            &other.twice_z,
            &other.twice_dt,
        );
    }

    /// P - Q, in place: -Q swaps the sum with the difference and negates T.
    #[inline(always)]
    pub(crate) const fn sub_assign(&mut self, other: &Cached) {
        let twice_dt = other.twice_dt.neg();
        self.add_projective(&other.difference, &other.sum, &other.twice_z, &twice_dt);
    }

    /// P + Q with Z2 = 1, in place: one product less.
    #[inline(always)]
    pub(crate) const fn add_affine_assign(&mut self, other: &AffineCached) {
        self.add_affine(&other.sum, &other.difference, &other.twice_dt);
    }

    /// P - Q with Z2 = 1, in place.
    #[inline(always)]
    pub(crate) const fn sub_affine_assign(&mut self, other: &AffineCached) {
        self.add_affine(&other.difference, &other.sum, &other.twice_dt.neg());
    }

    /// The sum, given X2+Y2, Y2-X2, 2 Z2 and 2 d T2.
    #[inline(never)]
    const fn add_projective(&mut self, sum: &Fp2, difference: &Fp2, twice_z: &Fp2, twice_dt: &Fp2) {
        self.add_core(sum, difference, self.z.mul(*twice_z), twice_dt);
    }

    /// The sum, given x2+y2, y2-x2 and 2 d x2 y2.
    #[inline(never)]
    const fn add_affine(&mut self, sum: &Fp2, difference: &Fp2, twice_dt: &Fp2) {
        self.add_core(sum, difference, self.z.double(), twice_dt);
    }

    /// The sum, given X2+Y2, Y2-X2, 2 Z1 Z2 and 2 d T2.
    #[inline(always)]
    const fn add_core(&mut self, sum: &Fp2, difference: &Fp2, twice_zz: Fp2, twice_dt: &Fp2) {
        let t = self.ta.mul(self.tb).mul(*twice_dt); // 2 d T1 T2
        let a = self.x.add(self.y).mul(*sum);
        let b = self.y.sub(self.x).mul(*difference);
        let (f, g) = (twice_zz.sub(t), twice_zz.add(t));
        let (e, h) = (a.sub(b), a.add(b));
        self.x = e.mul(f);
        self.y = g.mul(h);
        self.z = f.mul(g);
        self.ta = e;
        self.tb = h;
    }

    /// [2^n]P, n public.
    pub(crate) const fn double_times(mut self, n: u32) -> Self {
        let mut i = 0;
        while i < n {
            self.double_assign();
            i += 1;
        }
        self
    }

    /// 2P.
    pub(crate) const fn double(self) -> Self {
        self.double_times(1)
    }

    /// P + Q.
    pub(crate) const fn add(mut self, other: &Cached) -> Self {
        self.add_assign(other);
        self
    }

    /// P - Q.
    pub(crate) const fn sub(mut self, other: &Cached) -> Self {
        self.sub_assign(other);
        self
    }

    pub(crate) const fn to_cached(self) -> Cached {
        Cached {
            sum: self.x.add(self.y),
            difference: self.y.sub(self.x),
            twice_z: self.z.double(),
            twice_dt: self.ta.mul(self.tb).mul(TWICE_D),
        }
    }

    /// `[392]P = [8][49]P`: what is left has order N or is neutral.
    pub(crate) const fn clear_cofactor(&self) -> Self {
        let cached = self.to_cached();
        let three = self.double().add(&cached);
        three.double_times(4).add(&cached).double_times(3)
    }

    /// (X/Z, Y/Z); one inversion.
    pub(crate) const fn to_affine(self) -> Affine {
        let inverse = power::inverse2(self.z);
        Affine {
            x: self.x.mul(inverse),
            y: self.y.mul(inverse),
        }
    }

    /// Returns true if this is (0, 1). Tells one bit, which every caller makes public.
    pub(crate) fn is_neutral(&self) -> bool {
        self.x.is_zero() & self.y.sub(self.z).is_zero()
    }
}

impl Cached {
    /// `-self` where the mask is set.
    #[inline(always)]
    pub(crate) fn negate_if(&self, mask: Mask) -> Self {
        Self {
            sum: self.sum.select(self.difference, mask),
            difference: self.difference.select(self.sum, mask),
            twice_z: self.twice_z,
            twice_dt: self.twice_dt.select(self.twice_dt.neg(), mask),
        }
    }
}

impl AffineCached {
    /// `-self` where the mask is set.
    #[inline(always)]
    pub(crate) fn negate_if(&self, mask: Mask) -> Self {
        Self {
            sum: self.sum.select(self.difference, mask),
            difference: self.difference.select(self.sum, mask),
            twice_dt: self.twice_dt.select(self.twice_dt.neg(), mask),
        }
    }
}

/// Affine forms of `points` with one inversion for all of them (Montgomery's trick).
pub(crate) const fn normalise<const COUNT: usize>(points: &[Extended; COUNT]) -> [Affine; COUNT] {
    let mut prefix = [Fp2::ONE; COUNT];
    let (mut product, mut i) = (Fp2::ONE, 0);
    while i < COUNT {
        prefix[i] = product;
        product = product.mul(points[i].z);
        i += 1;
    }
    let mut inverse = power::inverse2(product);
    let mut result = [Affine {
        x: Fp2::ZERO,
        y: Fp2::ONE,
    }; COUNT];
    while i > 0 {
        i -= 1;
        let z = inverse.mul(prefix[i]);
        inverse = inverse.mul(points[i].z);
        result[i] = Affine {
            x: points[i].x.mul(z),
            y: points[i].y.mul(z),
        };
    }
    result
}
