//! Points and their sums: affine, Jacobian, and Jacobian with the powers of Z kept.
//!
//! The Jacobian (X, Y, Z) stands for x = X/Z^2, y = Y/Z^3, and Z = 0 for infinity. Every addition
//! meets every case: infinity on either side, equal points, opposite points. Formulas after
//! D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography", §3.2.2.

use crate::curves::{FieldElement, Weierstrass};
use crate::residue::Residue;

/// A point on the curve other than infinity.
pub(crate) struct Affine<C: Weierstrass<N>, const N: usize> {
    pub(crate) x: FieldElement<C, N>,
    pub(crate) y: FieldElement<C, N>,
}

/// Any point on the curve.
pub(crate) struct Jacobian<C: Weierstrass<N>, const N: usize> {
    pub(crate) x: FieldElement<C, N>,
    pub(crate) y: FieldElement<C, N>,
    pub(crate) z: FieldElement<C, N>,
}

/// A point to be added several times.
pub(crate) struct Cached<C: Weierstrass<N>, const N: usize> {
    point: Jacobian<C, N>,
    z_squared: FieldElement<C, N>,
    z_cubed: FieldElement<C, N>,
}

impl<C: Weierstrass<N>, const N: usize> Clone for Affine<C, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Weierstrass<N>, const N: usize> Copy for Affine<C, N> {}

impl<C: Weierstrass<N>, const N: usize> Clone for Jacobian<C, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Weierstrass<N>, const N: usize> Copy for Jacobian<C, N> {}

impl<C: Weierstrass<N>, const N: usize> Clone for Cached<C, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Weierstrass<N>, const N: usize> Copy for Cached<C, N> {}

/// x^3 + a x + b.
pub(crate) fn right_side<C: Weierstrass<N>, const N: usize>(
    x: &FieldElement<C, N>,
) -> FieldElement<C, N> {
    let a = const { Residue::from_integer(&C::A) };
    let b = const { Residue::from_integer(&C::B) };
    x.sqr().add(&a).mul(x).add(&b)
}

impl<C: Weierstrass<N>, const N: usize> Affine<C, N> {
    #[cfg(test)]
    pub(crate) const GENERATOR: Self = Self {
        x: Residue::from_integer(&C::GENERATOR_X),
        y: Residue::from_integer(&C::GENERATOR_Y),
    };

    /// The point with these coordinates, if it is on the curve.
    pub(crate) fn new(x: FieldElement<C, N>, y: FieldElement<C, N>) -> Option<Self> {
        y.sqr()
            .equals(&right_side::<C, N>(&x))
            .then_some(Self { x, y })
    }

    /// The point with this abscissa whose ordinate is odd or even, if there is one.
    pub(crate) fn decompress(x: FieldElement<C, N>, odd: bool) -> Option<Self> {
        // No point has y = 0: it would have order 2, and the order is an odd prime.
        let y = right_side::<C, N>(&x).square_root()?;
        let same = (y.to_integer()[0] & 1 == 1) == odd;
        Some(Self {
            x,
            y: if same { y } else { y.neg() },
        })
    }

    /// The point on the curve's model.
    #[inline]
    pub(crate) fn to_model(self) -> Affine<C::Model, N> {
        let Self { x, y } = self;
        if C::IS_MODEL {
            return Affine { x, y };
        }
        let squared = const { Self::SCALE.sqr() };
        let cubed = const { Self::SCALE.sqr().mul(&Self::SCALE) };
        Affine {
            x: x.mul(&squared),
            y: y.mul(&cubed),
        }
    }

    const SCALE: FieldElement<C, N> = Residue::from_integer(&C::SCALE);

    #[inline(always)]
    pub(crate) fn negate_if(self, negate: bool) -> Self {
        Self {
            x: self.x,
            y: if negate { self.y.neg() } else { self.y },
        }
    }

    #[inline(always)]
    pub(crate) fn to_jacobian(self) -> Jacobian<C, N> {
        Jacobian {
            x: self.x,
            y: self.y,
            z: Residue::ONE,
        }
    }
}

impl<C: Weierstrass<N>, const N: usize> Jacobian<C, N> {
    pub(crate) const INFINITY: Self = Self {
        x: Residue::ONE,
        y: Residue::ONE,
        z: Residue::ZERO,
    };

    /// The point that on the curve's model is `point`: X/(u Z)^2 = (X/Z^2)/u^2, and so for Y.
    #[inline]
    pub(crate) fn from_model(point: &Jacobian<C::Model, N>) -> Self {
        let Jacobian { x, y, z } = *point;
        let z = if C::IS_MODEL {
            z
        } else {
            z.mul(&Affine::<C, N>::SCALE)
        };
        Self { x, y, z }
    }

    #[inline(always)]
    pub(crate) fn is_infinity(&self) -> bool {
        self.z.is_zero()
    }

    /// The same point, with what is needed to add it often.
    pub(crate) fn cache(&self) -> Cached<C, N> {
        let z_squared = self.z.sqr();
        Cached {
            point: *self,
            z_squared,
            z_cubed: z_squared.mul(&self.z),
        }
    }

    /// The affine point, given 1/Z.
    pub(crate) fn scale(&self, inverse_z: &FieldElement<C, N>) -> Affine<C, N> {
        let squared = inverse_z.sqr();
        Affine {
            x: self.x.mul(&squared),
            y: self.y.mul(&squared).mul(inverse_z),
        }
    }

    /// The affine point; none for infinity.
    pub(crate) fn to_affine(self) -> Option<Affine<C, N>> {
        (!self.is_infinity()).then(|| self.scale(&self.z.invert()))
    }

    /// 2 P. Infinity gives infinity, as Z = 0 does.
    #[inline]
    pub(crate) fn double(&self) -> Self {
        let Self { x, y, z } = self;
        // m = 3 X^2 + a Z^4, halved, so that Z' is Y Z instead of 2 Y Z:
        // s = X Y^2, X' = (m/2)^2 - 2 s, Y' = (m/2) (s - X') - Y^4
        let half_m = if C::A_IS_MINUS_THREE {
            let z_squared = z.sqr();
            let third = x.sub(&z_squared).mul(&x.add(&z_squared));
            third.add(&third.half())
        } else {
            let a = const { Residue::from_integer(&C::A) };
            x.sqr().triple().add(&z.sqr().sqr().mul(&a)).half()
        };
        let y_squared = y.sqr();
        let s = y_squared.mul(x);
        let x3 = half_m.sqr().sub(&s.double());
        Self {
            x: x3,
            y: half_m.mul_less_square(&s.sub(&x3), &y_squared),
            z: y.mul(z),
        }
    }

    /// The rest of P + Q, given U1 = X1 Z2^2, S1 = Y1 Z2^3, H = X2 Z1^2 - U1,
    /// R = Y2 Z1^3 - S1 with H not zero, and Z1 Z2.
    #[inline(always)]
    fn chord(
        u1: &FieldElement<C, N>,
        s1: &FieldElement<C, N>,
        h: &FieldElement<C, N>,
        r: &FieldElement<C, N>,
        z1_z2: &FieldElement<C, N>,
    ) -> Self {
        let h_squared = h.sqr();
        let h_cubed = h_squared.mul(h);
        let v = h_squared.mul(u1);
        let x3 = r.sqr().sub(&h_cubed).sub(&v.double());
        Self {
            x: x3,
            y: r.mul_less_product(&v.sub(&x3), &h_cubed, s1),
            z: z1_z2.mul(h),
        }
    }

    /// P + Q for a Q that is kept affine.
    #[inline]
    pub(crate) fn add_affine(&self, other: &Affine<C, N>) -> Self {
        if self.is_infinity() {
            return other.to_jacobian();
        }
        let z_squared = self.z.sqr();
        let h = other.x.mul(&z_squared).sub(&self.x);
        let r = other.y.mul(&z_squared.mul(&self.z)).sub(&self.y);
        if h.is_zero() {
            // The same abscissa: the same point, or the opposite one.
            return if r.is_zero() {
                self.double()
            } else {
                Self::INFINITY
            };
        }
        Self::chord(&self.x, &self.y, &h, &r, &self.z)
    }

    /// P + Q for a Q that is kept with the powers of its Z.
    #[inline]
    pub(crate) fn add_cached(&self, other: &Cached<C, N>) -> Self {
        if self.is_infinity() {
            return other.point;
        }
        if other.point.is_infinity() {
            return *self;
        }
        let z_squared = self.z.sqr();
        let u1 = self.x.mul(&other.z_squared);
        let s1 = self.y.mul(&other.z_cubed);
        let h = other.point.x.mul(&z_squared).sub(&u1);
        let r = other.point.y.mul(&z_squared.mul(&self.z)).sub(&s1);
        if h.is_zero() {
            return if r.is_zero() {
                self.double()
            } else {
                Self::INFINITY
            };
        }
        Self::chord(&u1, &s1, &h, &r, &self.z.mul(&other.point.z))
    }

    /// P + Q.
    pub(crate) fn add(&self, other: &Self) -> Self {
        self.add_cached(&other.cache())
    }
}
