//! Points from alleged coordinates, in all lanes.

use super::each::{each, for_each};
use super::generators::LaneTabulated;
use super::points::{AffinePoints, Field, right_side};
use super::power::square_roots;
use super::{Elements, Lanes};
use crate::encoding::{Coordinates, Ordinate};

/// Coordinates taken apart: lanes in which there are none have zeros.
pub(super) struct Alleged<const K: usize> {
    x: [[[u64; 4]; 8]; K],
    y: [[[u64; 4]; 8]; K],
    /// Lanes without y, and those of them in which it is odd.
    compressed: [u8; K],
    odd: [u8; K],
}

impl<const K: usize> Alleged<K> {
    pub(super) fn new(coordinates: &[[Option<&Coordinates<4>>; 8]; K]) -> Self {
        let mut alleged = Self {
            x: [[[0; 4]; 8]; K],
            y: [[[0; 4]; 8]; K],
            compressed: [0; K],
            odd: [0; K],
        };
        for (g, coordinates) in coordinates.iter().enumerate() {
            for (lane, coordinates) in coordinates.iter().enumerate() {
                let Some(coordinates) = coordinates else {
                    continue;
                };
                alleged.x[g][lane] = coordinates.x;
                match coordinates.y {
                    Ordinate::Whole(y) => alleged.y[g][lane] = y,
                    Ordinate::Odd(is_odd) => {
                        alleged.compressed[g] |= 1 << lane;
                        alleged.odd[g] |= u8::from(is_odd) << lane;
                    }
                }
            }
        }
        alleged
    }
}

/// The points with these coordinates, on the curve's model, and the lanes in which there is one; in
/// others it is the generator. Square roots are taken if any lane needs one.
#[inline(always)]
pub(super) fn decode<V: Lanes, C: LaneTabulated, const K: usize>(
    alleged: &Alleged<K>,
) -> (AffinePoints<V, C::Model, K>, [u8; K]) {
    V::outline(
        #[inline(always)]
        || find::<V, C, K>(alleged),
    )
}

#[inline(always)]
fn find<V: Lanes, C: LaneTabulated, const K: usize>(
    alleged: &Alleged<K>,
) -> (AffinePoints<V, C::Model, K>, [u8; K]) {
    let x: [Field<V, C>; K] = each!(g, Elements::from_integers(&alleged.x[g]));
    let mut y: [Field<V, C>; K] = each!(g, Elements::from_integers(&alleged.y[g]));
    let squares = each!(g, right_side::<V, C>(&x[g]));
    if alleged.compressed != [0; K] {
        let roots = square_roots(&squares);
        for_each!(g, {
            let other = roots[g].odd_mask() ^ alleged.odd[g];
            let negated = Elements::zero().minus(&roots[g]).carry::<2>();
            let root = Elements::select(other, &negated, &roots[g]);
            y[g] = Elements::select(alleged.compressed[g], &root, &y[g]);
        });
    }
    let found = each!(g, y[g].square().equal_mask(&squares[g]));
    let mut points = AffinePoints::<V, C, K> { x, y }.into_model();
    let [a, b, c, d, e, f, h, i] = V::transpose_rows([&C::ROWS[0]; 8]);
    let x = Elements::from_words([a, b, c, d]);
    let y = Elements::from_words([e, f, h, i]);
    for_each!(
        g,
        points.x[g] = Elements::select(found[g], &points.x[g], &x)
    );
    for_each!(
        g,
        points.y[g] = Elements::select(found[g], &points.y[g], &y)
    );
    (points, found)
}
