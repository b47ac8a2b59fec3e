//! Pairs of regions that nearly lie in each other or share corners.

use std::f64::consts::TAU;
use std::vec::Vec;

use super::{Kind, Shape, between, centre, destination, place, rectangle};
use crate::region::sphere::vector;
use crate::region::tests::is_within;
use crate::region::tests::random::Random;
use crate::region::*;

/// A region and another one, about as large, around nearly the same centre.
pub(in crate::region::tests) fn grown_pair(
    random: &mut Random,
    inner: Kind,
    outer: Kind,
) -> (Shape, Shape) {
    let has_circle = matches!(inner, Kind::Circle) || matches!(outer, Kind::Circle);
    let size = random.magnitude(1e-6, if has_circle { 1e-2 } else { 0.8 });
    let middle = centre(random);
    let share = match random.below(4) {
        0 => random.between(0.9, 1.0),
        1 => 1.0 - random.magnitude(1e-6, 1e-2),
        _ => random.between(0.2, 1.0),
    };
    let way = size * (1.0 - share) * random.between(0.0, 1.2);
    let other = match random.once_in(3) {
        true => middle,
        false => destination(middle, random.between(0.0, TAU), way),
    };
    let outside = Shape::any(random, outer, middle, size);
    let mut inside = match (&outside, inner) {
        (Shape::Rectangles(_), Kind::Rectangles) if random.once_in(2) => {
            Shape::Rectangles([rectangle(middle, size)].into())
        }
        (Shape::Polygon(corners), Kind::Polygon) if random.once_in(2) => {
            Shape::Polygon(shared_corners(random, corners, middle, share))
        }
        _ if random.once_in(2) => largest_within(random, inner, other, &outside),
        _ => Shape::any(random, inner, other, size * share),
    };
    let mut outside = outside;
    if random.once_in(6) {
        inside.bend(random);
    }
    if random.once_in(12) {
        outside.bend(random);
    }
    (inside, outside)
}

/// Of regions of one form the largest one that is affirmed, to a thousandth; any if none is.
fn largest_within(random: &mut Random, kind: Kind, centre: (f64, f64), outer: &Shape) -> Shape {
    let form = random.clone();
    let of_size = |size: f64| Shape::any(&mut form.clone(), kind, centre, size);
    let (mut affirmed, mut refused) = (1e-7_f64, 2.0);
    for _ in 0..14 {
        let middle = (affirmed * refused).sqrt();
        match is_within(&of_size(middle).region(), &outer.region()) {
            true => affirmed = middle,
            false => refused = middle,
        }
    }
    Shape::any(random, kind, centre, affirmed)
}

/// Corners of a polygon: some are left out, some move towards the middle.
fn shared_corners(
    random: &mut Random,
    corners: &[TwoDLocation],
    middle: (f64, f64),
    share: f64,
) -> Vec<TwoDLocation> {
    let mut all = corners.to_vec();
    let at = random.below(all.len());
    if all.len() > 3 && random.once_in(2) {
        all.remove(at);
        return all;
    }
    let (one, other) = (vector(&all[at]), vector(&place(middle)));
    all[at] = between(one, other, share);
    all
}
