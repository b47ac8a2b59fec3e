//! Invalid regions, and regions that take too many steps.

use std::vec::Vec;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CircularRegion, CountryAndRegions, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, Latitude, Longitude,
};

use super::{circle, lies, polygon, rectangles};
use crate::region::RegionFault::*;
use crate::region::tests::shapes::Shape;
use crate::region::*;

fn assert_faults<const COUNT: usize>(faults: [(RegionFault, Shape); COUNT]) {
    for (fault, shape) in faults {
        assert_eq!(check_region(&shape.region()), Err(fault), "{shape:?}");
    }
}

#[test]
fn invalid_circles_and_rectangles_are_refused_by_cause() {
    let unknown = |latitude, longitude| {
        Shape::Circle(CircularRegion {
            center: TwoDLocation {
                latitude: Latitude(latitude),
                longitude: Longitude(longitude),
            },
            radius: 1,
        })
    };
    assert_faults([
        (Empty, rectangles(&[])),
        (UnknownCoordinate, unknown(LATITUDE_UNKNOWN, 0)),
        (UnknownCoordinate, unknown(0, LONGITUDE_UNKNOWN)),
        (CoordinateOutOfRange, unknown(-900_000_001, 0)),
        (CoordinateOutOfRange, unknown(0, -1_800_000_000)),
        (NoRadius, circle(48.0, 11.0, 0)),
        (
            SwappedLatitudes,
            rectangles(&[[0.0, 1.0, 0.0, 1.0], [2.0, 1.0, 0.0, 1.0]]),
        ),
        (NoHeight, rectangles(&[[1.0, 1.0, 0.0, 1.0]])),
        (NoWidth, rectangles(&[[0.0, 1.0, 1.0, 1.0]])),
        (TooManyRectangles, rectangles(&[[0.0, 1.0, 0.0, 1.0]; 65])),
    ]);
    assert_eq!(
        check_region(&rectangles(&[[0.0, 1.0, 0.0, 1.0]; 64]).region()),
        Ok(())
    );
}

/// The corners of a regular polygon.
fn regular(count: usize) -> Vec<[f64; 2]> {
    let turn = |corner| core::f64::consts::TAU * corner as f64 / count as f64;
    (0..count)
        .map(|corner| [turn(corner).sin(), turn(corner).cos()])
        .collect()
}

#[test]
fn invalid_polygons_are_refused_by_cause() {
    let mut bow_tie = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
    let crossing = polygon(&bow_tie);
    bow_tie.rotate_left(1);
    let crossing_last = polygon(&bow_tie);
    let touching = polygon(&[[0.0, 0.0], [0.0, 2.0], [1.0, 2.0], [0.0, 1.0], [1.0, 0.0]]);
    let back = polygon(&[[0.0, 0.0], [0.0, 2.0], [0.0, 1.0]]);
    // As arcs they are a triangle of 16 km by 5 m, which no issuer means.
    let level = polygon(&[[43.5, 10.2], [43.5, 10.4], [43.5, 10.3]]);
    let twice = polygon(&[[0.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 2.0]]);
    let pole_twice = polygon(&[[90.0, 0.0], [80.0, 2.0], [90.0, 1.0]]);
    let around = polygon(&[[0.0, 0.0], [0.0, 120.0], [0.0, -120.0]]);
    let wide = polygon(&[[0.0, -81.0], [0.0, 81.0], [1.0, 0.0]]);
    assert_faults([
        (RepeatedCorner, twice),
        (RepeatedCorner, pole_twice),
        (CrossingSides, crossing),
        (CrossingSides, crossing_last),
        (CrossingSides, touching),
        (CrossingSides, back),
        (CrossingSides, level),
        (PolygonTooLarge, around),
        (PolygonTooLarge, wide),
        (TooManyCorners, polygon(&regular(49))),
    ]);
    assert_eq!(check_region(&polygon(&regular(48)).region()), Ok(()));
}

#[test]
fn too_many_or_no_identified_regions_are_refused_by_cause() {
    for (count, result) in [
        (1_022, Ok(())),
        (1_023, Err(TooManyIdentified)),
        (0, Err(Empty)),
    ] {
        let regions: Vec<u8> = (0..count).map(|region| region as u8).collect();
        let all = [
            IdentifiedRegion::CountryOnly(UnCountryId(1)),
            IdentifiedRegion::CountryAndRegions(CountryAndRegions {
                country: UnCountryId(2),
                regions: SequenceOf::new(&regions).unwrap(),
            }),
        ];
        let region = GeographicRegion::Identified(SequenceOf::new(&all).unwrap());
        assert_eq!(check_region(&region), result, "{count}");
    }
}

/// Rectangles among many tiles, and in a polygon of many corners: few are compared, and more are
/// not certain.
#[test]
fn what_takes_too_many_steps_is_not_certain() {
    let tile = |at: usize| {
        let (south, west) = ((at / 8) as f64, (at % 8) as f64);
        [south, south + 1.0, west, west + 1.0]
    };
    let tiles = rectangles(&(0..64).map(tile).collect::<Vec<_>>());
    let inner = |count| rectangles(&[[0.0, 8.0, 0.0, 8.0]].repeat(count));
    assert!(lies(&inner(6), &tiles) && !lies(&inner(7), &tiles));
    assert!(
        lies(&rectangles(&[[0.0, 1.0, 0.0, 1.0]; 64]), &tiles),
        "in one tile each"
    );
    let corner = |at: usize| {
        let (sine, cosine) = (core::f64::consts::TAU * at as f64 / 48.0).sin_cos();
        [10.0 * sine, 10.0 * cosine]
    };
    let polygon = polygon(&(0..48).map(corner).collect::<Vec<_>>());
    let inner = |count| rectangles(&[[-0.3, 0.3, -0.3, 0.3]].repeat(count));
    // Four sides each with 48.
    assert!(lies(&inner(12), &polygon) && !lies(&inner(13), &polygon));
}
