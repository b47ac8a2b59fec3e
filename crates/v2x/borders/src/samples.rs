//! Sample places around a place.

use std::f64::consts::TAU;

use country_boundaries::{BoundingBox, LatLon};
use waywarden_v2x_wire::ieee1609dot2::TwoDLocation;

/// Number of directions in which samples are taken.
const DIRECTIONS: u32 = 16;
/// Metres in a degree of latitude: the least of the ellipsoid, so that no sample is too near.
const DEGREE: f64 = 110_574.0;

/// Returns the place itself, then places on circles of half the distance and of the whole, in
/// metres: what touches the outer one and is broader than the gaps is met.
pub(crate) fn around(place: &TwoDLocation, distance: u32) -> impl Iterator<Item = LatLon> + use<> {
    let (latitude, longitude) = degrees(place);
    let (high, wide) = reach(latitude, distance);
    let rings = [0.5, 1.0].into_iter().flat_map(move |share| {
        (0..DIRECTIONS).map(move |direction| {
            let angle = f64::from(direction) * TAU / f64::from(DIRECTIONS);
            let (east, north) = angle.sin_cos();
            (
                latitude + north * share * high,
                longitude + east * share * wide,
            )
        })
    });
    let rings = rings.take_while(move |_| distance > 0);
    std::iter::once((latitude, longitude))
        .chain(rings)
        .filter_map(|(latitude, longitude)| LatLon::new(latitude, longitude).ok())
}

/// Returns a box around all of these places; `None` if a latitude is out of range.
pub(crate) fn bounds(place: &TwoDLocation, distance: u32) -> Option<BoundingBox> {
    let (latitude, longitude) = degrees(place);
    let (high, wide) = reach(latitude, distance);
    let (south, north) = ((latitude - high).max(-90.0), (latitude + high).min(90.0));
    BoundingBox::new(south, longitude - wide, north, longitude + wide).ok()
}

fn degrees(place: &TwoDLocation) -> (f64, f64) {
    let degrees = |units: i32| f64::from(units) * 1e-7;
    (degrees(place.latitude.0), degrees(place.longitude.0))
}

/// Returns a distance in degrees of latitude and of longitude.
fn reach(latitude: f64, distance: u32) -> (f64, f64) {
    let high = f64::from(distance) / DEGREE;
    // A pole has every longitude; no country with roads comes near one.
    let narrowing = latitude.to_radians().cos().max(1e-3);
    (high, high / narrowing)
}
