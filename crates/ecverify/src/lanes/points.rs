//! Sums of points in all lanes of several vectors at once.
//!
//! Formulas are followed step by step for all K vectors, so that products which do not wait for
//! each other stand next to each other in the program. Points are Jacobian, as in `group`, and the
//! additions here know of no special case, unless they are `CHECKED`: where two points are equal or
//! opposite, or one is infinity, Z becomes 0 and stays 0, whatever is added and however often it is
//! doubled. So one look at the end tells which lanes have to be computed again, checked.
//!
//! Coordinates are up to 2 p, Z up to 4 p; see `field` for what that means.

use super::{Elements, Lanes};
use crate::curves::Weierstrass;

/// Coordinates: an element of the curve's field in each lane.
pub(super) type Field<V, C> = Elements<V, <C as Weierstrass<4>>::Field>;

/// Computes `$value` for each `$g` below `$count`, starting from an array of zeros.
macro_rules! each {
    ($g:ident, $value:expr) => {{
        let mut all = [Elements::zero(); K];
        let mut $g = 0;
        while $g < K {
            all[$g] = $value;
            $g += 1;
        }
        all
    }};
}
pub(super) use each;

/// Points other than infinity.
#[derive(Clone, Copy)]
pub(super) struct AffinePoints<V: Lanes, C: Weierstrass<4>, const K: usize> {
    pub(super) x: [Field<V, C>; K],
    pub(super) y: [Field<V, C>; K],
}

/// Any points.
#[derive(Clone, Copy)]
pub(super) struct Points<V: Lanes, C: Weierstrass<4>, const K: usize> {
    pub(super) x: [Field<V, C>; K],
    pub(super) y: [Field<V, C>; K],
    pub(super) z: [Field<V, C>; K],
    /// Lanes that are at infinity, whatever their coordinates are. Kept by checked sums only.
    pub(super) infinity: [u8; K],
}

/// The curve's a, as an element.
#[inline(always)]
pub(super) fn coefficient_a<V: Lanes, C: Weierstrass<4>>() -> Field<V, C> {
    Elements::constant(const { &super::limbs_of(&super::form_of::<C::Field>(&C::A)) })
}

/// x^3 + a x + b.
#[inline(always)]
pub(super) fn right_side<V: Lanes, C: Weierstrass<4>>(x: &Field<V, C>) -> Field<V, C> {
    let b = const { &super::limbs_of(&super::form_of::<C::Field>(&C::B)) };
    let linear = x.square().plus(&coefficient_a::<V, C>()).carry::<0>();
    linear.multiply(x).plus(&Elements::constant(b)).carry::<0>()
}

impl<V: Lanes, C: Weierstrass<4>, const K: usize> Points<V, C, K> {
    #[inline(always)]
    pub(super) fn from_affine(points: &AffinePoints<V, C, K>) -> Self {
        Self {
            x: points.x,
            y: points.y,
            z: [Elements::one(); K],
            infinity: [0; K],
        }
    }

    /// 3 X^2 + a Z^4, up to 8 p.
    #[inline(always)]
    fn slope(&self) -> [Field<V, C>; K] {
        let zz = each!(g, self.z[g].square_inline());
        if C::A_IS_MINUS_THREE {
            let difference = each!(g, self.x[g].minus(&zz[g]).carry::<2>());
            let total = each!(g, self.x[g].plus(&zz[g]).carry::<0>());
            each!(
                g,
                difference[g]
                    .multiply_inline(&total[g])
                    .sum()
                    .times::<3>()
                    .carry::<0>()
            )
        } else {
            let a = coefficient_a::<V, C>();
            let fourth = each!(g, zz[g].square_inline());
            let linear = each!(g, fourth[g].multiply_inline(&a));
            let xx = each!(g, self.x[g].square_inline());
            each!(g, xx[g].sum().times::<3>().plus(&linear[g]).carry::<0>())
        }
    }

    /// 2 P: X' = m^2 - 8 s, Y' = m (4 s - X') - 8 Y^4, Z' = 2 Y Z, with s = X Y^2.
    #[inline(always)]
    pub(super) fn double(&self) -> Self {
        V::outline(
            #[inline(always)]
            || {
                let m = self.slope();
                let yy = each!(g, self.y[g].square_inline());
                let s = each!(g, self.x[g].multiply_inline(&yy[g]));
                let mm = each!(g, m[g].square_inline());
                let z = each!(
                    g,
                    self.y[g]
                        .multiply_inline(&self.z[g])
                        .sum()
                        .times::<2>()
                        .carry::<0>()
                );
                let s = each!(g, s[g].sum().times::<4>().carry::<0>());
                let x = each!(g, mm[g].minus(&s[g]).minus(&s[g]).reduce());
                let across = each!(g, s[g].minus(&x[g]).carry::<2>());
                let y_fourth = each!(g, yy[g].square_inline().sum().times::<4>().carry::<0>());
                let product = each!(g, m[g].multiply_inline(&across[g]));
                let y = each!(
                    g,
                    product[g].minus(&y_fourth[g]).minus(&y_fourth[g]).reduce()
                );
                Self {
                    x,
                    y,
                    z,
                    infinity: self.infinity,
                }
            },
        )
    }

    /// P + Q for a Q that is kept affine.
    #[inline(always)]
    pub(super) fn add_affine<const CHECKED: bool>(&self, other: &AffinePoints<V, C, K>) -> Self {
        V::outline(
            #[inline(always)]
            || {
                let zz = each!(g, self.z[g].square_inline());
                let zzz = each!(g, self.z[g].multiply_inline(&zz[g]));
                let u2 = each!(g, other.x[g].multiply_inline(&zz[g]));
                let s2 = each!(g, other.y[g].multiply_inline(&zzz[g]));
                let h = each!(g, u2[g].minus(&self.x[g]).carry::<2>());
                let r = each!(g, s2[g].minus(&self.y[g]).carry::<2>());
                let mut sum = self.chord(&self.x, &self.y, &h, &r, &self.z);
                if CHECKED {
                    let mut g = 0;
                    while g < K {
                        let (equal, same) = (h[g].zero_mask(), r[g].zero_mask());
                        if equal | self.infinity[g] != 0 {
                            sum.mend(self.infinity[g], equal, same, other, g);
                        }
                        g += 1;
                    }
                }
                sum
            },
        )
    }

    /// P + Q. If one of them is infinity where this is checked, so is their `infinity`.
    #[inline(always)]
    pub(super) fn add<const CHECKED: bool>(&self, other: &Self) -> Self {
        V::outline(
            #[inline(always)]
            || {
                let zz = each!(g, self.z[g].square_inline());
                let other_zz = each!(g, other.z[g].square_inline());
                let zzz = each!(g, self.z[g].multiply_inline(&zz[g]));
                let other_zzz = each!(g, other.z[g].multiply_inline(&other_zz[g]));
                let u1 = each!(g, self.x[g].multiply_inline(&other_zz[g]));
                let u2 = each!(g, other.x[g].multiply_inline(&zz[g]));
                let s1 = each!(g, self.y[g].multiply_inline(&other_zzz[g]));
                let s2 = each!(g, other.y[g].multiply_inline(&zzz[g]));
                let h = each!(g, u2[g].minus(&u1[g]).carry::<2>());
                let r = each!(g, s2[g].minus(&s1[g]).carry::<2>());
                let z = each!(g, self.z[g].multiply_inline(&other.z[g]));
                let mut sum = self.chord(&u1, &s1, &h, &r, &z);
                if CHECKED {
                    let twice = self.double();
                    let mut g = 0;
                    while g < K {
                        let finite = !(self.infinity[g] | other.infinity[g]);
                        let equal = h[g].zero_mask() & finite;
                        let same = equal & r[g].zero_mask();
                        sum.infinity[g] = self.infinity[g] & other.infinity[g] | equal & !same;
                        sum.choose(g, same, &twice);
                        sum.choose(g, self.infinity[g] & !other.infinity[g], other);
                        sum.choose(g, other.infinity[g] & !self.infinity[g], self);
                        g += 1;
                    }
                }
                sum
            },
        )
    }

    /// The rest of a sum: X' = r^2 - h^3 - 2 v, Y' = r (v - X') - s h^3, Z' = z h, with v = u h^2.
    #[inline(always)]
    fn chord(
        &self,
        u: &[Field<V, C>; K],
        s: &[Field<V, C>; K],
        h: &[Field<V, C>; K],
        r: &[Field<V, C>; K],
        z: &[Field<V, C>; K],
    ) -> Self {
        let hh = each!(g, h[g].square_inline());
        let rr = each!(g, r[g].square_inline());
        let hhh = each!(g, h[g].multiply_inline(&hh[g]));
        let v = each!(g, u[g].multiply_inline(&hh[g]));
        let z = each!(g, z[g].multiply_inline(&h[g]));
        let s_hhh = each!(g, s[g].multiply_inline(&hhh[g]));
        let x = each!(g, rr[g].minus(&hhh[g]).minus(&v[g]).minus(&v[g]).reduce());
        let across = each!(g, v[g].minus(&x[g]).carry::<2>());
        let product = each!(g, r[g].multiply_inline(&across[g]));
        let y = each!(g, product[g].minus(&s_hhh[g]).reduce());
        Self {
            x,
            y,
            z,
            infinity: self.infinity,
        }
    }

    /// Puts right the lanes of vector g in which `other` was added to infinity, or to a point with
    /// an `equal` abscissa: the same point where the ordinate is the `same`, or the opposite one.
    #[inline(always)]
    fn mend(&mut self, infinity: u8, equal: u8, same: u8, other: &AffinePoints<V, C, K>, g: usize) {
        let (equal, other) = (equal & !infinity, Self::from_affine(other));
        self.infinity[g] = equal & !same;
        self.choose(g, equal & same, &other.double());
        self.choose(g, infinity, &other);
    }

    /// Takes the lanes of vector g from another sum.
    #[inline(always)]
    fn choose(&mut self, g: usize, mask: u8, from: &Self) {
        self.x[g] = Elements::select(mask, &from.x[g], &self.x[g]);
        self.y[g] = Elements::select(mask, &from.y[g], &self.y[g]);
        self.z[g] = Elements::select(mask, &from.z[g], &self.z[g]);
    }
}
