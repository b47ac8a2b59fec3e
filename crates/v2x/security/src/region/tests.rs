//! Places and regions that can be checked on a map.

mod property;
mod random;
mod shapes;
mod within;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{CircularRegion, Latitude, Longitude, RectangularRegion};

use std::vec::Vec;

use super::*;

/// A place in degrees.
fn at(latitude: f64, longitude: f64) -> TwoDLocation {
    TwoDLocation {
        latitude: Latitude((latitude * 1e7) as i32),
        longitude: Longitude((longitude * 1e7) as i32),
    }
}

fn is_in(region: &GeographicRegion<'_>, place: TwoDLocation) -> bool {
    contains(region, &place, &NoBorders) == Some(true)
}

/// Tests containment without known borders.
fn is_within(inner: &GeographicRegion<'_>, outer: &GeographicRegion<'_>) -> bool {
    super::is_within(inner, outer, &NoBorders)
}

#[test]
fn distances() {
    // Arcs of the ellipsoid of WGS 84: a degree of latitude at the equator, at 45 degrees and at
    // the pole, and of longitude at the equator and at 60 degrees north.
    for (one, other, metres) in [
        (at(-0.5, 0.0), at(0.5, 0.0), 110_574.4),
        (at(44.5, 10.0), at(45.5, 10.0), 111_131.8),
        (at(88.9, 10.0), at(89.9, 10.0), 111_693.9),
        (at(0.0, 7.0), at(0.0, 8.0), 111_319.5),
        (at(60.0, 7.0), at(60.0, 7.5), 27_900.1),
    ] {
        let found = distance(&one, &other);
        assert!(
            (found / metres - 1.0).abs() < 1e-3,
            "{found} against {metres}"
        );
    }
    assert_eq!(distance(&at(1.0, 1.0), &at(1.0, 1.0)), 0.0);
    // Across the antimeridian.
    assert!(distance(&at(0.0, 179.9), &at(0.0, -179.9)) < 22_300.0);
}

#[test]
fn circles_and_rectangles() {
    let circle = GeographicRegion::Circular(CircularRegion {
        center: at(48.0, 11.0),
        radius: 10_000,
    });
    assert!(is_in(&circle, at(48.08, 11.0)) && !is_in(&circle, at(48.1, 11.0)));
    let across = [RectangularRegion {
        north_west: at(10.0, 179.0),
        south_east: at(-10.0, -179.0),
    }];
    let across = GeographicRegion::Rectangular(SequenceOf::new(&across).unwrap());
    assert!(is_in(&across, at(0.0, 179.5)) && is_in(&across, at(0.0, -179.5)));
    assert!(!is_in(&across, at(0.0, 0.0)) && !is_in(&across, at(11.0, 179.5)));
    // Without an area it is none.
    let flat = [RectangularRegion {
        north_west: at(10.0, 1.0),
        south_east: at(10.0, 2.0),
    }];
    let flat = GeographicRegion::Rectangular(SequenceOf::new(&flat).unwrap());
    assert!(!is_in(&flat, at(10.0, 1.5)));
}

#[test]
fn polygons() {
    // A square with a notch from the north.
    let corners = [
        at(0.0, 0.0),
        at(0.0, 4.0),
        at(4.0, 4.0),
        at(4.0, 3.0),
        at(1.0, 2.0),
        at(4.0, 1.0),
        at(4.0, 0.0),
    ];
    let reversed: Vec<TwoDLocation> = corners.iter().rev().copied().collect();
    for corners in [&corners[..], &reversed] {
        let polygon = GeographicRegion::Polygonal(SequenceOf::new(corners).unwrap());
        for inside in [
            at(0.5, 2.0),
            at(3.0, 0.5),
            at(3.0, 3.5),
            at(0.0, 0.0),
            at(0.0, 2.0),
        ] {
            assert!(is_in(&polygon, inside), "{inside:?}");
        }
        for outside in [at(3.0, 2.0), at(-0.1, 2.0), at(2.0, 5.0), at(0.5, -170.0)] {
            assert!(!is_in(&polygon, outside), "{outside:?}");
        }
    }
}

/// A side between two places of one latitude bulges towards the pole, as an arc of a great circle
/// does.
#[test]
fn sides_are_arcs() {
    let corners = [at(60.0, 0.0), at(60.0, 20.0), at(50.0, 20.0), at(50.0, 0.0)];
    let polygon = GeographicRegion::Polygonal(SequenceOf::new(&corners).unwrap());
    assert!(is_in(&polygon, at(60.3, 10.0)) && !is_in(&polygon, at(60.5, 10.0)));
    assert!(!is_in(&polygon, at(50.2, 10.0)) && is_in(&polygon, at(50.6, 10.0)));
}

#[test]
fn countries_need_borders() {
    struct Halves;
    impl Borders for Halves {
        fn contains(
            &self,
            country: UnCountryId,
            _: Option<u8>,
            _: Option<u16>,
            place: &TwoDLocation,
        ) -> Option<bool> {
            (country.0 == 1).then_some(place.latitude.0 > 0)
        }
    }
    let both = [1, 2].map(|country| IdentifiedRegion::CountryOnly(UnCountryId(country)));
    let region = GeographicRegion::Identified(SequenceOf::new(&both).unwrap());
    assert_eq!(contains(&region, &at(1.0, 0.0), &Halves), Some(true));
    assert_eq!(
        contains(&region, &at(-1.0, 0.0), &Halves),
        None,
        "the other one is not known"
    );
    assert_eq!(contains(&region, &at(1.0, 0.0), &NoBorders), None);
}
