//! Points of the sphere that stands for the ellipsoid, and how far they are from each other.

use libm::{atan2, cos, sin, sqrt};
use waywarden_v2x_wire::ieee1609dot2::{LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, TwoDLocation};

use super::fault::RegionFault;

/// Radians in a tenth of a microdegree.
pub(super) const UNIT: f64 = core::f64::consts::PI / 1_800_000_000.0;
/// Tenths of a microdegree to a pole, and the whole way round.
pub(super) const POLE: i64 = 900_000_000;
pub(super) const TURN: i64 = 3_600_000_000;
/// The ellipsoid of WGS 84: its larger half axis in metres, and its first eccentricity squared.
const AXIS: f64 = 6_378_137.0;
const ECCENTRICITY_SQUARED: f64 = 6.694_379_990_14e-3;

/// Returns true if neither the latitude nor the longitude is the value for "unknown".
#[must_use]
pub fn is_known(place: &TwoDLocation) -> bool {
    place.latitude.0 != LATITUDE_UNKNOWN && place.longitude.0 != LONGITUDE_UNKNOWN
}

/// Returns true if a latitude and a longitude are in range, and so known.
#[must_use]
pub fn is_place(place: &TwoDLocation) -> bool {
    (-POLE..=POLE).contains(&i64::from(place.latitude.0))
        && (1 - TURN / 2..=TURN / 2).contains(&i64::from(place.longitude.0))
}

/// A corner or centre has to be a place.
pub(super) fn check_place(place: &TwoDLocation) -> Result<(), RegionFault> {
    match (is_known(place), is_place(place)) {
        (false, _) => Err(RegionFault::UnknownCoordinate),
        (true, false) => Err(RegionFault::CoordinateOutOfRange),
        (true, true) => Ok(()),
    }
}

/// Returns the distance of two places, in metres; for places some hundred kilometres apart.
#[must_use]
pub fn distance(from: &TwoDLocation, to: &TwoDLocation) -> f64 {
    // The radius of the sphere that fits best between them.
    let middle = f64::from(from.latitude.0 / 2 + to.latitude.0 / 2) * UNIT;
    let (meridian, vertical) = radii(middle);
    let north = f64::from(to.latitude.0) - f64::from(from.latitude.0);
    let east = east_of(from, to) as f64 * cos(middle);
    let length = north * north + east * east;
    let share = if length > 0.0 {
        north * north / length
    } else {
        0.0
    };
    angle(vector(from), vector(to)) * (share * meridian + (1.0 - share) * vertical)
}

/// The radii of curvature at a latitude, of the meridian and of the prime vertical, in metres. The
/// first is at most as long as the second; both grow from the equator to the poles.
pub(super) fn radii(latitude: f64) -> (f64, f64) {
    let bulge = 1.0 - ECCENTRICITY_SQUARED * sin(latitude) * sin(latitude);
    let meridian = AXIS * (1.0 - ECCENTRICITY_SQUARED) / (bulge * sqrt(bulge));
    (meridian, AXIS / sqrt(bulge))
}

/// Returns the point of the ellipsoid at a place, in metres from the centre of the Earth.
#[must_use]
pub fn geocentric(place: &TwoDLocation) -> Vector {
    let (_, vertical) = radii(f64::from(place.latitude.0) * UNIT);
    let [x, y, z] = vector(place);
    let polar = vertical * (1.0 - ECCENTRICITY_SQUARED);
    [vertical * x, vertical * y, polar * z]
}

/// Returns the unit vectors that point north and east at a place.
#[must_use]
pub fn north_and_east(place: &TwoDLocation) -> (Vector, Vector) {
    let longitude = f64::from(place.longitude.0) * UNIT;
    let east = [-sin(longitude), cos(longitude), 0.0];
    (cross(vector(place), east), east)
}

/// Returns the way east between longitudes, in 0.1 microdegrees: 0 to below a whole turn.
pub(super) fn eastward(from: i64, to: i64) -> i64 {
    (to - from).rem_euclid(TURN)
}

/// Returns the shorter way between two meridians, in 0.1 microdegrees; west is negative.
pub(super) fn east_of(from: &TwoDLocation, to: &TwoDLocation) -> i64 {
    let way = eastward(from.longitude.0.into(), to.longitude.0.into());
    if way > TURN / 2 { way - TURN } else { way }
}

/// A point or a direction: towards the meridian of Greenwich on the equator, east of it, and north.
pub type Vector = [f64; 3];

pub(super) fn vector(place: &TwoDLocation) -> Vector {
    point(
        f64::from(place.latitude.0) * UNIT,
        f64::from(place.longitude.0) * UNIT,
    )
}

/// The point at a latitude and a longitude in radians.
pub(super) fn point(latitude: f64, longitude: f64) -> Vector {
    [
        cos(latitude) * cos(longitude),
        cos(latitude) * sin(longitude),
        sin(latitude),
    ]
}

/// The angle between two points, exact for small and for large ones.
pub(super) fn angle(a: Vector, b: Vector) -> f64 {
    atan2(norm(cross(a, b)), dot(a, b))
}

/// Returns the vector from `b` to `a`.
#[must_use]
pub fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns the inner product.
#[must_use]
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Returns the length.
#[must_use]
pub fn norm(a: Vector) -> f64 {
    sqrt(dot(a, a))
}
