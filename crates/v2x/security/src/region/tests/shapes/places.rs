//! Places in regions, at their borders and between their corners.

use std::f64::consts::{PI, TAU};
use std::vec::Vec;

use waywarden_v2x_wire::ieee1609dot2::{CircularRegion, RectangularRegion};

use super::{Shape, between, degrees, destination, place};
use crate::region::sphere::vector;
use crate::region::tests::random::Random;
use crate::region::*;

/// Places that are in the inner region, or may be: most at its boundary, where faults show first.
pub(in crate::region::tests) fn places_of(
    inner: &Shape,
    outer: &Shape,
    random: &mut Random,
) -> Vec<TwoDLocation> {
    let mut places = Vec::new();
    match inner {
        Shape::Circle(circle) => at_circle(circle, random, &mut places),
        Shape::Rectangles(all) => {
            all.iter()
                .for_each(|one| at_rectangle(one, random, &mut places));
        }
        Shape::Polygon(corners) => at_polygon(corners, random, &mut places),
    }
    // The boundary of the outer region, the surroundings of all of these, and the poles.
    match outer {
        Shape::Circle(circle) => places.push(circle.center),
        Shape::Rectangles(all) => {
            let one = all[random.below(all.len())];
            at_rectangle(&one, random, &mut places);
        }
        Shape::Polygon(corners) => at_polygon(corners, random, &mut places),
    }
    for at in 0..places.len() {
        let most = random.magnitude(1.0, 1e5) as usize;
        let mut step = || (random.below(2 * most + 1) as i32) - most as i32;
        let mut near = places[at];
        near.latitude.0 = (near.latitude.0 + step()).clamp(-900_000_000, 900_000_000);
        near.longitude.0 = (near.longitude.0 + step()).clamp(-1_799_999_999, 1_800_000_000);
        places.push(near);
    }
    let longitude = random.between(-180.0, 180.0);
    places.extend([-90.0, 90.0].map(|latitude| place((latitude, longitude))));
    places.push(place((random.between(-90.0, 90.0), longitude)));
    places
}

fn at_circle(circle: &CircularRegion, random: &mut Random, places: &mut Vec<TwoDLocation>) {
    let region = GeographicRegion::Circular(*circle);
    let most = f64::from(circle.radius) / 6.3e6 + 1e-8;
    for _ in 0..10 {
        let bearing = match random.once_in(2) {
            true => random.between(0.0, TAU),
            false => PI / 2.0 * random.below(4) as f64,
        };
        let at = |way| place(destination(degrees(&circle.center), bearing, way));
        // The last place in that direction which is in it.
        let (mut inside, mut outside) = (0.0, most);
        for _ in 0..22 {
            let middle = (inside + outside) / 2.0;
            match contains(&region, &at(middle), &NoBorders) == Some(true) {
                true => inside = middle,
                false => outside = middle,
            }
        }
        places.push(at(inside));
    }
}

fn at_rectangle(one: &RectangularRegion, random: &mut Random, places: &mut Vec<TwoDLocation>) {
    let (north_west, south_east) = (degrees(&one.north_west), degrees(&one.south_east));
    let width = (south_east.1 - north_west.1).rem_euclid(360.0);
    for case in 0..24 {
        let share = |side: usize, random: &mut Random| match (case >> side) & 1 {
            0 => random.below(2) as f64,
            _ => random.between(0.0, 1.0),
        };
        let north = south_east.0 + (north_west.0 - south_east.0) * share(0, random);
        let east = north_west.1 + width * share(1, random);
        places.push(place((north, east)));
    }
}

fn at_polygon(corners: &[TwoDLocation], random: &mut Random, places: &mut Vec<TwoDLocation>) {
    places.extend(corners);
    for (at, corner) in corners.iter().enumerate() {
        let next = vector(&corners[(at + 1) % corners.len()]);
        let any = vector(&corners[random.below(corners.len())]);
        let own = vector(corner);
        for share in [0.5, random.between(0.0, 1.0), random.magnitude(1e-9, 1.0)] {
            places.push(between(own, next, share));
            places.push(between(
                vector(&between(own, next, share)),
                any,
                random.between(0.0, 1.0),
            ));
        }
    }
}
