//! Sums of points in all lanes of several vectors at once.
//!
//! Formulas are followed step by step for all K vectors, so that products which do not wait for
//! each other stand next to each other in the program. Points are Jacobian, as in `group`, and the
//! additions here know of no special case, unless they are `CHECKED`: where two points are equal or
//! opposite, or one is infinity, Z becomes 0 and stays 0, whatever is added and however often it is
//! doubled. So one look at the end tells which lanes have to be computed again, checked.
//!
//! Coordinates are up to 2 p, Z up to 4 p; see `field` for what that means.

use super::each::{each, for_each};
use super::{Elements, Lanes, form_of, limbs_of};
use crate::curves::{FieldElement, Weierstrass};

/// Coordinates: an element of the curve's field in each lane.
pub(super) type Field<V, C> = Elements<V, <C as Weierstrass<4>>::Field>;

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
    Elements::constant(const { &limbs_of(&form_of::<C::Field>(&C::A)) })
}

/// The limbs of u^power, where u takes points to the curve's model.
const fn scale_to<C: Weierstrass<4>>(power: u32) -> [u64; 5] {
    let scale = FieldElement::<C, 4>::from_integer(&C::SCALE);
    let (mut value, mut i) = (scale, 1);
    while i < power {
        value = value.mul(&scale);
        i += 1;
    }
    limbs_of(&form_of::<C::Field>(&value.to_integer()))
}

/// x^3 + a x + b.
#[inline(always)]
pub(super) fn right_side<V: Lanes, C: Weierstrass<4>>(x: &Field<V, C>) -> Field<V, C> {
    let b = const { &limbs_of(&form_of::<C::Field>(&C::B)) };
    let linear = x.square().plus(&coefficient_a::<V, C>()).carry::<0>();
    linear.multiply(x).plus(&Elements::constant(b)).carry::<0>()
}

impl<V: Lanes, C: Weierstrass<4>, const K: usize> AffinePoints<V, C, K> {
    /// The points on the curve's model: see `Affine::to_model`.
    #[inline(always)]
    pub(super) fn into_model(self) -> AffinePoints<V, C::Model, K> {
        let AffinePoints { mut x, mut y } = self;
        if !C::IS_MODEL {
            let squared = Elements::constant(const { &scale_to::<C>(2) });
            let cubed = Elements::constant(const { &scale_to::<C>(3) });
            for_each!(g, x[g] = x[g].multiply(&squared));
            for_each!(g, y[g] = y[g].multiply(&cubed));
        }
        AffinePoints { x, y }
    }
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

    /// The points that on the curve's model are these: see `Jacobian::from_model`.
    #[inline(always)]
    pub(super) fn from_model(points: Points<V, C::Model, K>) -> Self {
        let Points {
            x,
            y,
            mut z,
            infinity,
        } = points;
        if !C::IS_MODEL {
            let scale = Elements::constant(const { &scale_to::<C>(1) });
            for_each!(g, z[g] = z[g].multiply(&scale));
        }
        Self { x, y, z, infinity }
    }

    /// 3 X^2 + a Z^4 with a = -3, up to 4 p.
    #[inline(always)]
    fn slope(&self) -> [Field<V, C>; K] {
        const { assert!(C::A_IS_MINUS_THREE) };
        let zz = each!(g, self.z[g].square_inline());
        let difference = each!(g, self.x[g].minus(&zz[g]).times::<3>().carry::<6>());
        let total = each!(g, self.x[g].plus(&zz[g]).carry::<0>());
        each!(g, difference[g].multiply_inline(&total[g]))
    }

    /// Becomes 2 P: X' = m^2 - 8 s, Y' = m (4 s - X') - 8 Y^4, Z' = 2 Y Z, with s = X Y^2.
    #[inline(always)]
    pub(super) fn double(&mut self) {
        V::outline(
            #[inline(always)]
            || {
                let m = self.slope();
                for_each!(g, self.z[g] = self.y[g].multiply_inline(&self.z[g]));
                let yy = each!(g, self.y[g].square_inline());
                let s = each!(g, self.x[g].multiply_inline(&yy[g]));
                let mm = each!(g, m[g].square_inline());
                let fourth = each!(g, yy[g].square_inline());
                for_each!(g, self.z[g] = self.z[g].sum().times::<2>().carry::<0>());
                for_each!(
                    g,
                    self.x[g] = mm[g].sum().minus_sum(&s[g].sum().times::<8>()).reduce()
                );
                let across = each!(g, s[g].sum().times::<4>().minus(&self.x[g]).carry::<2>());
                let product = each!(g, m[g].multiply_inline(&across[g]));
                for_each!(
                    g,
                    self.y[g] = product[g]
                        .sum()
                        .minus_sum(&fourth[g].sum().times::<8>())
                        .reduce()
                );
            },
        );
    }

    /// Becomes P + Q for a Q that is kept affine.
    #[inline(always)]
    pub(super) fn add_affine<const CHECKED: bool>(&mut self, other: &AffinePoints<V, C, K>) {
        V::outline(
            #[inline(always)]
            || {
                let zz = each!(g, self.z[g].square_inline());
                let zzz = each!(g, self.z[g].multiply_inline(&zz[g]));
                let u2 = each!(g, other.x[g].multiply_inline(&zz[g]));
                let s2 = each!(g, other.y[g].multiply_inline(&zzz[g]));
                let h = each!(g, u2[g].minus(&self.x[g]).carry::<2>());
                let r = each!(g, s2[g].minus(&self.y[g]).carry::<2>());
                self.chord(&h, &r);
                if CHECKED {
                    let mut g = 0;
                    while g < K {
                        let (equal, same) = (h[g].zero_mask(), r[g].zero_mask());
                        if equal | self.infinity[g] != 0 {
                            self.mend(self.infinity[g], equal, same, other, g);
                        }
                        g += 1;
                    }
                }
            },
        );
    }

    /// Becomes P + Q. If one of them is infinity where this is checked, so is their `infinity`.
    #[inline(always)]
    pub(super) fn add<const CHECKED: bool>(&mut self, other: &Self) {
        V::outline(
            #[inline(always)]
            || {
                let before = *self;
                let zz = each!(g, self.z[g].square_inline());
                let other_zz = each!(g, other.z[g].square_inline());
                let zzz = each!(g, self.z[g].multiply_inline(&zz[g]));
                let other_zzz = each!(g, other.z[g].multiply_inline(&other_zz[g]));
                // The same point with the Z of both.
                for_each!(g, self.x[g] = self.x[g].multiply_inline(&other_zz[g]));
                for_each!(g, self.y[g] = self.y[g].multiply_inline(&other_zzz[g]));
                for_each!(g, self.z[g] = self.z[g].multiply_inline(&other.z[g]));
                let u2 = each!(g, other.x[g].multiply_inline(&zz[g]));
                let s2 = each!(g, other.y[g].multiply_inline(&zzz[g]));
                let h = each!(g, u2[g].minus(&self.x[g]).carry::<2>());
                let r = each!(g, s2[g].minus(&self.y[g]).carry::<2>());
                self.chord(&h, &r);
                if CHECKED {
                    let mut twice = before;
                    twice.double();
                    let mut g = 0;
                    while g < K {
                        let finite = !(before.infinity[g] | other.infinity[g]);
                        let equal = h[g].zero_mask() & finite;
                        let same = equal & r[g].zero_mask();
                        self.infinity[g] = before.infinity[g] & other.infinity[g] | equal & !same;
                        self.choose(g, same, &twice);
                        self.choose(g, before.infinity[g] & !other.infinity[g], other);
                        self.choose(g, other.infinity[g] & !before.infinity[g], &before);
                        g += 1;
                    }
                }
            },
        );
    }

    /// The rest of a sum, of P and a point whose abscissa and ordinate with the same Z are larger
    /// by h and r: X' = r^2 - h^3 - 2 v, Y' = r (v - X') - Y h^3, Z' = Z h, with v = X h^2.
    #[inline(always)]
    fn chord(&mut self, h: &[Field<V, C>; K], r: &[Field<V, C>; K]) {
        let hh = each!(g, h[g].square_inline());
        let rr = each!(g, r[g].square_inline());
        let hhh = each!(g, h[g].multiply_inline(&hh[g]));
        let v = each!(g, self.x[g].multiply_inline(&hh[g]));
        for_each!(g, self.z[g] = self.z[g].multiply_inline(&h[g]));
        for_each!(g, self.y[g] = self.y[g].multiply_inline(&hhh[g]));
        for_each!(
            g,
            self.x[g] = rr[g].minus(&hhh[g]).minus(&v[g]).minus(&v[g]).reduce()
        );
        let across = each!(g, v[g].minus(&self.x[g]).carry::<2>());
        let product = each!(g, r[g].multiply_inline(&across[g]));
        for_each!(g, self.y[g] = product[g].minus(&self.y[g]).reduce());
    }

    /// Puts right the lanes of vector g in which `other` was added to infinity, or to a point with
    /// an `equal` abscissa: the same point where the ordinate is the `same`, or the opposite one.
    #[inline(always)]
    fn mend(&mut self, infinity: u8, equal: u8, same: u8, other: &AffinePoints<V, C, K>, g: usize) {
        let (equal, other) = (equal & !infinity, Self::from_affine(other));
        let mut twice = other;
        twice.double();
        self.infinity[g] = equal & !same;
        self.choose(g, equal & same, &twice);
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
