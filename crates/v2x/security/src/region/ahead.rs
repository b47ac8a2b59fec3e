//! Places seen from other places: the one that lies ahead, and the bearing of one that is known.

use libm::{atan2, cos, hypot, round, sin};
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, TwoDLocation};

use super::sphere::{TURN, UNIT, Vector, dot, minus, north_and_east, radii, vector};

/// Returns the place so many metres ahead on the great circle that leaves a place at a bearing, and
/// the bearing of that circle there, in degrees from north to the east, 0 to below 360. For a way
/// of some kilometres: its length is that of the sphere that fits the ellipsoid at its begin.
///
/// The place is rounded to a tenth of a microdegree, which is 8 mm at most. Across the meridian of
/// 180 degrees longitudes change their sign; across a pole the bearing turns.
#[must_use]
pub fn ahead(from: &TwoDLocation, bearing_degrees: f64, metres: f64) -> (TwoDLocation, f64) {
    let (north, east) = north_and_east(from);
    let bearing = bearing_degrees.to_radians();
    let (sine, cosine) = (sin(bearing), cos(bearing));
    let angle = metres / radius(from, cosine);
    let here = vector(from);
    let direction = sum(scaled(north, cosine), scaled(east, sine));
    let there = sum(scaled(here, cos(angle)), scaled(direction, sin(angle)));
    let onwards = minus(scaled(direction, cos(angle)), scaled(here, sin(angle)));
    let place = place(there);
    (place, bearing_of(&place, onwards))
}

/// Returns the bearing at one place of the great circle to another, in degrees from north to the
/// east, 0 to below 360; 0 where both are one.
#[must_use]
pub fn bearing(from: &TwoDLocation, to: &TwoDLocation) -> f64 {
    bearing_of(from, minus(vector(to), vector(from)))
}

/// The radius of the sphere that fits the ellipsoid in a direction, by the cosine of its bearing.
fn radius(at: &TwoDLocation, cosine: f64) -> f64 {
    let (meridian, vertical) = radii(f64::from(at.latitude.0) * UNIT);
    let share = cosine * cosine;
    share * meridian + (1.0 - share) * vertical
}

fn place([x, y, z]: Vector) -> TwoDLocation {
    let latitude = atan2(z, hypot(x, y)) / UNIT;
    let longitude = round(atan2(y, x) / UNIT) as i32;
    // The range begins beside -180 degrees, which is 180 degrees.
    let half = (TURN / 2) as i32;
    TwoDLocation {
        latitude: Latitude(round(latitude) as i32),
        longitude: Longitude(if longitude <= -half { half } else { longitude }),
    }
}

fn bearing_of(at: &TwoDLocation, direction: Vector) -> f64 {
    let (north, east) = north_and_east(at);
    let degrees = atan2(dot(direction, east), dot(direction, north)).to_degrees();
    let turned = if degrees < 0.0 {
        degrees + 360.0
    } else {
        degrees
    };
    // A little less than 0 rounds to 360.
    if turned >= 360.0 { 0.0 } else { turned }
}

fn scaled([x, y, z]: Vector, by: f64) -> Vector {
    [x * by, y * by, z * by]
}

fn sum(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[cfg(test)]
mod tests {
    use super::super::distance;
    use super::*;

    fn at(latitude: f64, longitude: f64) -> TwoDLocation {
        TwoDLocation {
            latitude: Latitude(round(latitude * 1e7) as i32),
            longitude: Longitude(round(longitude * 1e7) as i32),
        }
    }

    #[test]
    fn place_ahead_is_as_far_off_and_in_the_direction_that_is_asked_for() {
        for from in [
            at(0.0, 0.0),
            at(48.1, 11.5),
            at(-33.9, 18.4),
            at(51.0, 180.0),
            at(-16.5, -179.999_99),
            at(89.999, 45.0),
            at(-90.0, 10.0),
        ] {
            for bearing_degrees in [0.0, 37.5, 90.0, 180.0, 222.2, 359.99] {
                for metres in [0.0, 1.0, 60.0, 3_000.0] {
                    let (place, onwards) = ahead(&from, bearing_degrees, metres);
                    assert!(super::super::is_place(&place), "{place:?}");
                    let off = distance(&from, &place) - metres;
                    // A coordinate is rounded by up to 8 mm; near a pole distances are less exact.
                    let bound = 0.01 + metres * 1e-4;
                    assert!(
                        off.abs() < bound,
                        "{from:?} {bearing_degrees} {metres}: {off}"
                    );
                    assert!((0.0..360.0).contains(&onwards));
                    if metres >= 60.0 {
                        let turned = bearing(&from, &place) - bearing_degrees;
                        let turned = (turned + 180.0).rem_euclid(360.0) - 180.0;
                        assert!(turned.abs() < 0.02, "{from:?} {bearing_degrees}: {turned}");
                    }
                }
            }
        }
    }

    #[test]
    fn date_line_and_poles_are_crossed() {
        let (place, onwards) = ahead(&at(0.0, 179.999_9), 90.0, 100.0);
        assert_eq!(place.longitude.0, -1_799_992_017);
        assert!((onwards - 90.0).abs() < 1e-6);
        let (place, _) = ahead(&at(0.0, 179.999_9), 90.0, 11.131_95);
        assert_eq!(place.longitude.0, 1_800_000_000);
        // 111.69 m to the pole at 0.001 degrees, and on to the south at the other side.
        let (place, onwards) = ahead(&at(89.999, 10.0), 0.0, 2.0 * 111.694);
        assert!((place.latitude.0 - 899_990_000).abs() <= 2, "{place:?}");
        assert_eq!(place.longitude.0 / 1_000, -1_700_000);
        assert!((onwards - 180.0).abs() < 0.01, "{onwards}");
    }
}
