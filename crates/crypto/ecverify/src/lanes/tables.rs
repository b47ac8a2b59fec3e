//! Tables of points that are multiplied once, computed lane by lane in vectors.
//!
//! As in `multiply::own`: two points at a time have a common Z (N. Meloni, "New Point Addition
//! Formulae for ECC Applications", 2007), and one inversion makes all multiples affine.

use super::Lanes;
use super::each::{each, for_each};
use super::points::{AffinePoints, Field, coefficient_a};
use super::terms::{Row, Term};
use crate::curves::Weierstrass;
use crate::multiply::Shape;

/// Odd multiples 1, 3, ..., 15: digits of four bits. Of eight more multiples for digits of five
/// the computation would cost about as much as the additions that they save, and fill the cache.
const OWN: Shape = Shape {
    window: 5,
    pieces: 1,
};
const MULTIPLES: usize = OWN.multiples();

/// The rows of each lane of each vector.
pub(super) struct OwnTables<const K: usize>([[[Row; MULTIPLES]; 8]; K]);

/// Coordinates in K vectors.
type Coordinates<V, C, const K: usize> = [Field<V, C>; K];

/// Two points with a common Z, which is known elsewhere.
struct CommonZ<V: Lanes, C: Weierstrass<4>, const K: usize> {
    /// 2 P.
    twice: AffinePoints<V, C, K>,
    /// The last odd multiple of P.
    last: AffinePoints<V, C, K>,
}

impl<V: Lanes, C: Weierstrass<4>, const K: usize> CommonZ<V, C, K> {
    /// 2 P and P, and Z = 2 Y. No point has y = 0, since the order is odd.
    #[inline(always)]
    fn new(point: &AffinePoints<V, C, K>) -> (Self, Coordinates<V, C, K>) {
        let AffinePoints { x, y } = point;
        let a = coefficient_a::<V, C>();
        let m = each!(g, x[g].square().sum().times::<3>().plus(&a).reduce());
        let yy = each!(g, y[g].square());
        // 4 X Y^2 and 8 Y^4: P with this Z.
        let last = AffinePoints {
            x: each!(g, x[g].multiply(&yy[g]).sum().times::<4>().reduce()),
            y: each!(g, yy[g].square().sum().times::<8>().reduce()),
        };
        let mm = each!(g, m[g].square());
        let x = each!(g, mm[g].minus(&last.x[g]).minus(&last.x[g]).reduce());
        let across = each!(g, last.x[g].minus(&x[g]).carry::<2>());
        let product = each!(g, m[g].multiply(&across[g]));
        let y = each!(g, product[g].minus(&last.y[g]).reduce());
        let twice = AffinePoints { x, y };
        let z = each!(g, point.y[g].sum().times::<2>().reduce());
        (Self { twice, last }, z)
    }

    /// Adds 2 P to the last multiple, and returns the new Z over the old one: the difference of
    /// the abscissas, up to 4 p.
    #[inline(always)]
    fn step(&mut self) -> Coordinates<V, C, K> {
        let Self { twice, last } = self;
        let h = each!(g, last.x[g].minus(&twice.x[g]).carry::<2>());
        let r = each!(g, last.y[g].minus(&twice.y[g]).carry::<2>());
        let hh = each!(g, h[g].square());
        for_each!(g, twice.x[g] = twice.x[g].multiply(&hh[g]));
        let other_x = each!(g, last.x[g].multiply(&hh[g]));
        let rr = each!(g, r[g].square());
        let between = each!(g, other_x[g].minus(&twice.x[g]).carry::<2>());
        for_each!(g, twice.y[g] = twice.y[g].multiply(&between[g]));
        for_each!(
            g,
            last.x[g] = rr[g].minus(&twice.x[g]).minus(&other_x[g]).reduce()
        );
        let across = each!(g, twice.x[g].minus(&last.x[g]).carry::<2>());
        let product = each!(g, r[g].multiply(&across[g]));
        for_each!(g, last.y[g] = product[g].minus(&twice.y[g]).reduce());
        h
    }
}

impl<const K: usize> OwnTables<K> {
    /// Before the tables are computed.
    pub(super) const ROOM: Self = Self([[[[0; 8]; MULTIPLES]; 8]; K]);

    /// Points to be multiplied by scalars with these digits.
    #[inline(always)]
    pub(super) fn term<V: Lanes, C: Weierstrass<4>>(
        &mut self,
        points: &AffinePoints<V, C, K>,
        digits: [[[u64; 4]; 8]; K],
    ) -> Term<'_, K> {
        V::outline(
            #[inline(always)]
            || self.compute(points),
        );
        let rows = self.0.each_ref();
        let rows = rows.map(|lanes| lanes.each_ref().map(|rows| &rows[..]));
        Term::new(digits, rows, OWN)
    }

    /// Computes the odd multiples of points. No Z is zero on the way, since no two points that are
    /// added are equal or opposite: the order is a prime above 17.
    #[inline(always)]
    fn compute<V: Lanes, C: Weierstrass<4>>(&mut self, points: &AffinePoints<V, C, K>) {
        let (mut pair, mut z) = CommonZ::new(points);
        let mut multiples = [*points; MULTIPLES];
        let mut quotients = [z; MULTIPLES];
        for (multiple, quotient) in multiples.iter_mut().zip(&mut quotients).skip(1) {
            *quotient = pair.step();
            *multiple = pair.last;
            for_each!(g, z[g] = z[g].multiply(&quotient[g]));
        }
        let mut inverse = z;
        Field::<V, C>::invert_all(&mut inverse, &mut z);
        // The first has been affine from the beginning.
        for (multiple, quotient) in multiples.iter_mut().zip(&quotients).skip(1).rev() {
            let squared = each!(g, inverse[g].square());
            let cubed = each!(g, squared[g].multiply(&inverse[g]));
            for_each!(g, multiple.x[g] = multiple.x[g].multiply(&squared[g]));
            for_each!(g, multiple.y[g] = multiple.y[g].multiply(&cubed[g]));
            for_each!(g, inverse[g] = inverse[g].multiply(&quotient[g]));
        }
        for (i, multiple) in multiples.iter().enumerate() {
            self.store(i, multiple);
        }
    }

    /// Writes entry i of each table.
    #[inline(always)]
    fn store<V: Lanes, C: Weierstrass<4>>(&mut self, i: usize, multiple: &AffinePoints<V, C, K>) {
        for (g, table) in self.0.iter_mut().enumerate() {
            let [a, b, c, d] = multiple.x[g].to_words();
            let [e, f, h, j] = multiple.y[g].to_words();
            let rows = V::to_rows([a, b, c, d, e, f, h, j]);
            for (own, row) in table.iter_mut().zip(rows) {
                own[i] = row;
            }
        }
    }
}
