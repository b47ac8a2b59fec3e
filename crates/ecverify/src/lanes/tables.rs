//! Tables of points that are multiplied once, computed lane by lane in vectors.

use super::points::{AffinePoints, Field, Points, each};
use super::terms::Row;
use super::{Elements, Lanes};
use crate::curves::Weierstrass;
use crate::multiply::Shape;

/// Odd multiples 1, 3, ..., 15: digits of four bits. Of eight more multiples for digits of five
/// the computation would cost as much as the additions that they save.
pub(super) const OWN: Shape = Shape {
    window: 5,
    pieces: 1,
};
const MULTIPLES: usize = OWN.multiples();

/// The rows of each lane of each vector.
pub(super) type OwnTables<const K: usize> = [[[Row; MULTIPLES]; 8]; K];

/// Computes the tables of points. No two points that are added here are equal or opposite, since
/// the order is a prime above 15.
#[inline(always)]
pub(super) fn odd_multiples<V: Lanes, C: Weierstrass<4>, const K: usize>(
    points: &AffinePoints<V, C, K>,
) -> OwnTables<K> {
    let first = Points::from_affine(points);
    let twice = first.double();
    let mut multiples = [first; MULTIPLES];
    for i in 1..MULTIPLES {
        multiples[i] = multiples[i - 1].add::<false>(&twice);
    }
    let mut tables = [[[[0; 8]; MULTIPLES]; 8]; K];
    for (i, multiple) in normalise(&multiples).iter().enumerate() {
        for (g, table) in tables.iter_mut().enumerate() {
            let [a, b, c, d] = multiple.x[g].to_words();
            let [e, f, h, j] = multiple.y[g].to_words();
            let rows = V::to_rows([a, b, c, d, e, f, h, j]);
            for (own, row) in table.iter_mut().zip(rows) {
                own[i] = row;
            }
        }
    }
    tables
}

/// The affine points, with one inversion for all.
#[inline(always)]
fn normalise<V: Lanes, C: Weierstrass<4>, const K: usize, const COUNT: usize>(
    points: &[Points<V, C, K>; COUNT],
) -> [AffinePoints<V, C, K>; COUNT] {
    let mut inverses = [[Elements::zero(); K]; COUNT];
    let mut room = [[Elements::zero(); K]; COUNT];
    for (inverse, point) in inverses.iter_mut().zip(points) {
        *inverse = point.z;
    }
    Field::<V, C>::invert_all(inverses.as_flattened_mut(), room.as_flattened_mut());
    let mut affine = [AffinePoints {
        x: [Elements::zero(); K],
        y: [Elements::zero(); K],
    }; COUNT];
    for ((affine, point), inverse) in affine.iter_mut().zip(points).zip(&inverses) {
        let squared = each!(g, inverse[g].square());
        let cubed = each!(g, squared[g].multiply(&inverse[g]));
        affine.x = each!(g, point.x[g].multiply(&squared[g]));
        affine.y = each!(g, point.y[g].multiply(&cubed[g]));
    }
    affine
}
