//! Random regions of each kind, pairs of them that nearly lie in each other, and places in them.

mod pairs;
mod places;

use std::f64::consts::TAU;
use std::vec::Vec;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CircularRegion, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, Latitude, Longitude, RectangularRegion,
};

use super::super::sphere::Vector;
use super::super::*;
use super::random::Random;

pub(super) use self::pairs::grown_pair;
pub(super) use self::places::places_of;

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

/// Returns the place at this bearing and angular distance from a place, both in radians.
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
