//! Regions of which one can see on a map whether they lie in each other, and invalid ones.

mod geometry;
mod identified;
mod refused;

use waywarden_v2x_wire::ieee1609dot2::{CircularRegion, RectangularRegion};

use super::super::*;
use super::shapes::Shape;
use super::{at, is_within};

fn circle(latitude: f64, longitude: f64, radius: u16) -> Shape {
    Shape::Circle(CircularRegion {
        center: at(latitude, longitude),
        radius,
    })
}

/// South, north, west and east of each, in degrees.
fn rectangles(all: &[[f64; 4]]) -> Shape {
    let rectangle = |&[south, north, west, east]: &[f64; 4]| RectangularRegion {
        north_west: at(north, west),
        south_east: at(south, east),
    };
    Shape::Rectangles(all.iter().map(rectangle).collect())
}

fn polygon(corners: &[[f64; 2]]) -> Shape {
    Shape::Polygon(
        corners
            .iter()
            .map(|[north, east]| at(*north, *east))
            .collect(),
    )
}

/// A square with a notch from the north.
const NOTCHED: [[f64; 2]; 7] = [
    [0.0, 0.0],
    [0.0, 4.0],
    [4.0, 4.0],
    [4.0, 3.0],
    [1.0, 2.0],
    [4.0, 1.0],
    [4.0, 0.0],
];

#[track_caller]
fn lies(inner: &Shape, outer: &Shape) -> bool {
    assert_eq!(check_region(&inner.region()), Ok(()), "{inner:?}");
    assert_eq!(check_region(&outer.region()), Ok(()), "{outer:?}");
    is_within(&inner.region(), &outer.region())
}
