//! Random regions of each kind, pairs of them that nearly lie in each other, and places in them.

use std::f64::consts::{PI, TAU};
use std::vec::Vec;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CircularRegion, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, Latitude, Longitude, RectangularRegion,
};

use super::super::sphere::{Vector, vector};
use super::super::*;
use super::is_within;
use super::random::Random;

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Circle,
    Rectangles,
    Polygon,
}

pub(super) const KINDS: [Kind; 3] = [Kind::Circle, Kind::Rectangles, Kind::Polygon];

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Circle(CircularRegion),
    Rectangles(Vec<RectangularRegion>),
    Polygon(Vec<TwoDLocation>),
}

/// A place in degrees; longitudes may be any, latitudes end at the poles.
pub(super) fn place((latitude, longitude): (f64, f64)) -> TwoDLocation {
    let east = (longitude * 1e7).round() as i64;
    let east = (east + 1_799_999_999).rem_euclid(3_600_000_000) - 1_799_999_999;
    TwoDLocation {
        latitude: Latitude((latitude.clamp(-90.0, 90.0) * 1e7).round() as i32),
        longitude: Longitude(east as i32),
    }
}

fn degrees(place: &TwoDLocation) -> (f64, f64) {
    let degrees = |value: i32| f64::from(value) / 1e7;
    (degrees(place.latitude.0), degrees(place.longitude.0))
}

/// Where one gets from a place in a direction over an angle, in radians.
pub(super) fn destination((latitude, longitude): (f64, f64), bearing: f64, way: f64) -> (f64, f64) {
    let (sin, cos) = latitude.to_radians().sin_cos();
    let north = (sin * way.cos() + cos * way.sin() * bearing.cos()).clamp(-1.0, 1.0);
    let east = (bearing.sin() * way.sin() * cos).atan2(way.cos() - sin * north);
    (north.asin().to_degrees(), longitude + east.to_degrees())
}

fn rectangle((latitude, longitude): (f64, f64), size: f64) -> RectangularRegion {
    let height = size.to_degrees();
    let width = (height / latitude.to_radians().cos().max(1e-3)).min(179.9);
    RectangularRegion {
        north_west: place((latitude + height, longitude - width)),
        south_east: place((latitude - height, longitude + width)),
    }
}

/// Two rectangles that go round the Earth between the parallels of one, or up to some degrees from
/// the poles.
fn ring(random: &mut Random, mut whole: RectangularRegion) -> [RectangularRegion; 2] {
    if random.once_in(2) {
        let most = 900_000_000 - random.magnitude(1e4, 5e7) as i32;
        let latitude = &mut whole.north_west.latitude.0;
        *latitude = most.min(*latitude);
        let latitude = &mut whole.south_east.latitude.0;
        *latitude = (-most).max(*latitude);
    }
    let opposite = place((0.0, degrees(&whole.north_west).1 + 180.0)).longitude;
    let (mut one, mut other) = (whole, whole);
    one.south_east.longitude = opposite;
    other.north_west.longitude = opposite;
    other.south_east.longitude = whole.north_west.longitude;
    [one, other]
}

/// Two tiles that cover a rectangle between them, or nearly so.
fn split(random: &mut Random, whole: RectangularRegion) -> [RectangularRegion; 2] {
    let (mut one, mut other) = (whole, whole);
    let share = random.between(0.1, 0.9);
    // Tiles touch, overlap, or leave a gap of a unit.
    let shift = [0, 0, 0, 50, -2][random.below(5)];
    let (north_west, south_east) = (degrees(&whole.north_west), degrees(&whole.south_east));
    if random.once_in(2) {
        let cut = north_west.0 + (south_east.0 - north_west.0) * share;
        one.south_east.latitude.0 = (cut * 1e7) as i32;
        other.north_west.latitude.0 =
            (one.south_east.latitude.0 + shift).clamp(-900_000_000, 900_000_000);
    } else {
        let width = (south_east.1 - north_west.1).rem_euclid(360.0);
        let cut = place((0.0, north_west.1 + width * share)).longitude;
        one.south_east.longitude = cut;
        other.north_west.longitude.0 = (cut.0 - shift).clamp(-1_799_999_999, 1_800_000_000);
    }
    [one, other]
}

impl Shape {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Circle(_) => "circle",
            Self::Rectangles(_) => "rectangles",
            Self::Polygon(_) => "polygon",
        }
    }

    pub(super) fn region(&self) -> GeographicRegion<'_> {
        match self {
            Self::Circle(circle) => GeographicRegion::Circular(*circle),
            Self::Rectangles(all) => GeographicRegion::Rectangular(SequenceOf::new(all).unwrap()),
            Self::Polygon(all) => GeographicRegion::Polygonal(SequenceOf::new(all).unwrap()),
        }
    }

    /// A circle, a rectangle or a nearly regular polygon that reaches so far from its centre.
    pub(super) fn regular(random: &mut Random, kind: Kind, centre: (f64, f64), size: f64) -> Self {
        match kind {
            Kind::Circle => Self::Circle(CircularRegion {
                center: place(centre),
                radius: (size * 6.371e6).clamp(1.0, 65_535.0) as u16,
            }),
            Kind::Rectangles => Self::Rectangles([rectangle(centre, size)].into()),
            Kind::Polygon => {
                let count = 5 + random.below(4);
                let turn = random.between(0.0, TAU);
                let bearing = |corner| turn + TAU * corner as f64 / count as f64;
                let corner = |corner| place(destination(centre, bearing(corner), size));
                Self::Polygon((0..count).map(corner).collect())
            }
        }
    }

    /// Any region of a kind, about so large.
    fn any(random: &mut Random, kind: Kind, centre: (f64, f64), size: f64) -> Self {
        match kind {
            Kind::Circle => Self::regular(random, kind, centre, size),
            Kind::Rectangles => {
                let whole = rectangle(centre, size);
                let mut all = Vec::from([whole]);
                if random.once_in(6) {
                    all = ring(random, whole).into();
                }
                for _ in 0..random.below(3) {
                    let at = random.below(all.len());
                    let tiles = split(random, all.swap_remove(at));
                    all.extend(tiles);
                }
                if random.once_in(4) {
                    let way = random.between(0.0, 2.0 * size);
                    let other = destination(centre, random.between(0.0, TAU), way);
                    all.push(rectangle(other, size * random.between(0.1, 1.5)));
                }
                Self::Rectangles(all)
            }
            Kind::Polygon if random.once_in(4) => {
                let height = size.to_degrees() * random.between(0.1, 1.0);
                let width = size.to_degrees() / centre.0.to_radians().cos().max(1e-2);
                let width = width.min(75.0);
                let (north, east) = centre;
                let corners = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)]
                    .map(|(up, right)| place((north + up * height, east + right * width)));
                Self::Polygon(corners.into())
            }
            Kind::Polygon => {
                let count = 3 + random.below(6);
                let turn = random.between(0.0, TAU);
                let corners = (0..count).map(|corner| {
                    let share = (corner as f64 + random.between(0.0, 0.7)) / count as f64;
                    let reach = size * random.between(0.5, 1.3);
                    place(destination(centre, turn + TAU * share, reach))
                });
                Self::Polygon(corners.collect())
            }
        }
    }

    /// Makes of a region what a careless or hostile issuer may make of it.
    fn bend(&mut self, random: &mut Random) {
        match self {
            Self::Circle(circle) => match random.below(3) {
                0 => circle.radius = 0,
                1 => circle.center.latitude.0 = LATITUDE_UNKNOWN,
                _ => circle.radius = u16::MAX,
            },
            Self::Rectangles(all) => {
                let at = random.below(all.len());
                let RectangularRegion {
                    north_west: one,
                    south_east: other,
                } = &mut all[at];
                match random.below(6) {
                    // The long way round.
                    0 | 1 => core::mem::swap(&mut one.longitude, &mut other.longitude),
                    2 => core::mem::swap(&mut one.latitude, &mut other.latitude),
                    3 => other.longitude.0 = one.longitude.0.saturating_sub(1),
                    4 => one.latitude.0 = 900_000_000,
                    _ => one.longitude.0 = LONGITUDE_UNKNOWN,
                }
            }
            Self::Polygon(all) => {
                let (one, other) = (random.below(all.len()), random.below(all.len()));
                match random.below(4) {
                    0 => all.swap(one, other),
                    1 => all[one] = all[other],
                    2 => all[one].latitude.0 = 900_000_000,
                    _ => {
                        let (latitude, longitude) = degrees(&all[other]);
                        all[one] = place((-latitude, longitude + 180.0));
                    }
                }
            }
        }
    }
}

fn centre(random: &mut Random) -> (f64, f64) {
    let longitude = random.between(-180.0, 180.0);
    match random.below(10) {
        0 => (90.0 - random.magnitude(1e-7, 2.0), longitude),
        1 => (-90.0 + random.magnitude(1e-7, 2.0), longitude),
        2 => ([90.0, -90.0][random.below(2)], longitude),
        3 => (random.between(-1e-3, 1e-3), longitude),
        4 | 5 => (
            random.between(-80.0, 80.0),
            180.0 + random.magnitude(1e-7, 1.0) - random.magnitude(1e-7, 1.0),
        ),
        _ => (random.between(-85.0, 85.0), longitude),
    }
}

/// A region and another one, about as large, around nearly the same centre.
pub(super) fn grown_pair(random: &mut Random, inner: Kind, outer: Kind) -> (Shape, Shape) {
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

/// The place on the arc between two points, so far from the second one to the first.
fn between(one: Vector, other: Vector, share: f64) -> TwoDLocation {
    let sum = [0, 1, 2].map(|i| one[i] * share + other[i] * (1.0 - share));
    of_vector(sum)
}

fn of_vector(point: Vector) -> TwoDLocation {
    let latitude = point[2].atan2(point[0].hypot(point[1]));
    let longitude = point[1].atan2(point[0]);
    place((latitude.to_degrees(), longitude.to_degrees()))
}

/// Places that are in the inner region, or may be: most at its boundary, where faults show first.
pub(super) fn places_of(inner: &Shape, outer: &Shape, random: &mut Random) -> Vec<TwoDLocation> {
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
