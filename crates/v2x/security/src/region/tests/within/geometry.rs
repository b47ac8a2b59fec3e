//! Circles, rectangles and polygons in each other.

use waywarden_v2x_wire::ieee1609dot2::{
    LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, Latitude, Longitude, RectangularRegion,
};

use super::{NOTCHED, circle, lies, polygon, rectangles};
use crate::region::tests::at;
use crate::region::tests::shapes::Shape;
use crate::region::*;

#[test]
fn rectangle_the_long_way_round_is_in_no_circle() {
    let outer = circle(48.0, 11.0, u16::MAX);
    let short = rectangles(&[[47.9, 48.1, 10.9, 11.1]]);
    let long = rectangles(&[[47.9, 48.1, 11.1, 10.9]]);
    let inside = |shape: &Shape, place| contains(&shape.region(), &place, &NoBorders);
    assert_eq!(inside(&long, at(48.0, -100.0)), Some(true));
    assert_eq!(inside(&outer, at(48.0, -100.0)), Some(false));
    assert!(lies(&short, &outer) && !lies(&long, &outer));
    // Its corners are the same, and so is its box where it ends.
    assert!(!lies(&long, &rectangles(&[[40.0, 50.0, 10.0, 12.0]])));
    assert!(!lies(
        &long,
        &polygon(&[[40.0, 5.0], [40.0, 20.0], [60.0, 11.0]])
    ));
}

#[test]
fn what_lies_in_a_circle() {
    let outer = circle(48.0, 11.0, 30_000);
    assert!(lies(&circle(48.1, 11.0, 15_000), &outer));
    assert!(!lies(&circle(48.1, 11.0, 19_000), &outer));
    assert!(lies(&circle(48.0, 11.0, 30_000), &outer));
    assert!(!lies(&circle(48.0, 11.0, 30_001), &outer));
    let triangle = |north| polygon(&[[47.8, 10.9], [47.8, 11.1], [north, 11.0]]);
    assert!(lies(&triangle(48.2), &outer) && !lies(&triangle(48.3), &outer));
    let both = |east| rectangles(&[[47.9, 48.1, 10.9, 11.1], [47.95, 48.05, 10.8, east]]);
    assert!(lies(&both(11.2), &outer) && !lies(&both(11.5), &outer));
    // Around a pole: all longitudes are near.
    let pole = circle(89.9, 0.0, 40_000);
    assert!(lies(&rectangles(&[[89.8, 90.0, 100.0, 80.0]]), &pole));
    assert!(!lies(&rectangles(&[[89.7, 90.0, 100.0, 80.0]]), &pole));
    assert!(lies(&circle(89.95, 180.0, 10_000), &pole));
}

#[test]
fn what_lies_in_rectangles() {
    let one = [47.0, 49.0, 10.0, 11.0];
    let pair = rectangles(&[one, [46.0, 50.0, 11.0, 12.0]]);
    let gap = rectangles(&[one, [46.0, 50.0, 11.000_000_1, 12.0]]);
    assert!(lies(&rectangles(&[[47.0, 49.0, 10.0, 12.0]]), &pair));
    assert!(!lies(
        &rectangles(&[[47.0, 49.000_000_1, 10.0, 12.0]]),
        &pair
    ));
    assert!(!lies(&rectangles(&[[47.0, 49.0, 10.0, 12.0]]), &gap));
    assert!(lies(&circle(48.0, 11.0, 60_000), &pair) && !lies(&circle(48.0, 11.0, 60_000), &gap));
    assert!(lies(
        &polygon(&[[47.1, 10.1], [47.1, 11.9], [48.9, 11.0]]),
        &pair
    ));
    assert!(!lies(
        &polygon(&[[47.1, 10.1], [47.1, 12.1], [48.9, 11.0]]),
        &pair
    ));
    let four = rectangles(&[
        [0.0, 1.0, 179.0, 180.0],
        [0.0, 1.0, 180.0, -179.0],
        [1.0, 2.0, 179.5, -178.0],
        [1.0, 2.0, 179.0, 179.6],
    ]);
    assert!(lies(&rectangles(&[[0.0, 2.0, 179.0, -179.0]]), &four));
    assert!(!lies(&rectangles(&[[0.0, 2.0, 179.0, -178.5]]), &four));
    assert!(lies(&circle(1.0, 180.0, 60_000), &four));
    // What is around a pole lies in two halves of the cap.
    let halves = rectangles(&[[85.0, 90.0, -90.0, 90.0], [85.0, 90.0, 90.0, -90.0]]);
    let around = polygon(&[[86.0, 0.0], [86.0, 90.0], [86.0, 180.0], [86.0, -90.0]]);
    assert!(lies(&circle(89.9, 45.0, 60_000), &halves) && lies(&around, &halves));
    let ring = rectangles(&[[85.0, 89.0, -90.0, 90.0], [85.0, 89.0, 90.0, -90.0]]);
    assert!(!lies(&around, &ring), "the pole is in it");
    assert!(!lies(
        &circle(89.9, 45.0, 60_000),
        &rectangles(&[[85.0, 90.0, -90.0, 90.0]])
    ));
}

/// A side between two places of one latitude bulges towards the pole, by 0.378 degrees here.
#[test]
fn sides_bulge_over_parallels() {
    let sides = polygon(&[[60.0, 0.0], [60.0, 20.0], [50.0, 20.0], [50.0, 0.0]]);
    let parallels = |south, north| rectangles(&[[south, north, 0.0, 20.0]]);
    assert!(!lies(&sides, &parallels(50.0, 60.37)) && lies(&sides, &parallels(50.0, 60.38)));
    let narrow = |south, north| rectangles(&[[south, north, 1.0, 19.0]]);
    assert!(!lies(&narrow(50.3, 59.9), &sides) && lies(&narrow(50.5, 59.9), &sides));
    // South of the equator it is the other way round.
    let sides = polygon(&[[-60.0, 0.0], [-60.0, 20.0], [-50.0, 20.0], [-50.0, 0.0]]);
    assert!(!lies(&sides, &parallels(-60.37, -50.0)) && lies(&sides, &parallels(-60.38, -50.0)));
    assert!(!lies(&narrow(-59.9, -50.3), &sides) && lies(&narrow(-59.9, -50.5), &sides));
}

#[test]
fn what_lies_in_a_polygon() {
    let outer = polygon(&NOTCHED);
    assert!(lies(&circle(0.6, 2.0, 40_000), &outer) && !lies(&circle(0.6, 2.0, 60_000), &outer));
    assert!(!lies(&circle(3.0, 2.0, 1_000), &outer), "in the notch");
    assert!(lies(&rectangles(&[[0.1, 0.9, 0.1, 3.9]]), &outer));
    assert!(
        !lies(&rectangles(&[[0.1, 1.1, 0.1, 3.9]]), &outer),
        "the notch is in it"
    );
    assert!(!lies(
        &rectangles(&[[0.1, 3.9, 0.1, 0.9], [3.0, 3.1, 1.9, 2.0]]),
        &outer
    ));
    assert!(lies(
        &polygon(&[[0.1, 0.1], [0.1, 3.9], [0.9, 2.0]]),
        &outer
    ));
    // Its corners lie in the polygon, one of its sides does not.
    assert!(!lies(
        &polygon(&[[0.1, 0.1], [3.5, 0.5], [3.5, 3.5]]),
        &outer
    ));
    // Around the polygon no side crosses another.
    assert!(!lies(
        &polygon(&[[-1.0, -1.0], [-1.0, 9.0], [9.0, 2.0]]),
        &outer
    ));
    // Polygons around a pole.
    let cap = polygon(&[[80.0, 0.0], [80.0, 90.0], [80.0, 180.0], [80.0, -90.0]]);
    assert!(lies(&circle(90.0, 0.0, 60_000), &cap));
    assert!(lies(&rectangles(&[[86.0, 90.0, 20.0, 10.0]]), &cap));
    assert!(!lies(&rectangles(&[[82.0, 90.0, 20.0, 10.0]]), &cap));
}

/// A region that ends where its issuer's ends.
#[test]
fn polygons_share_corners_and_sides() {
    let outer = polygon(&NOTCHED);
    // Without a corner: what lies in it, and what fills its notch.
    let part = polygon(&[[0.0, 0.0], [0.0, 4.0], [1.0, 2.0]]);
    assert!(lies(&part, &outer) && !lies(&outer, &part));
    assert!(!lies(
        &polygon(&[[4.0, 3.0], [1.0, 2.0], [4.0, 1.0]]),
        &outer
    ));
    assert!(lies(
        &polygon(&[[0.0, 0.0], [1.0, 2.0], [4.0, 1.0], [4.0, 0.0]]),
        &outer
    ));
    assert!(!lies(
        &polygon(&[[0.0, 0.0], [0.0, 4.0], [4.0, 4.0], [4.0, 0.0]]),
        &outer
    ));
    // From the corner of the notch outward.
    assert!(!lies(
        &polygon(&[[1.0, 2.0], [3.0, 1.9], [3.0, 2.1]]),
        &outer
    ));
    // From another corner, and the other way round.
    let mut turned = NOTCHED;
    turned.reverse();
    turned.rotate_left(3);
    assert!(lies(&polygon(&turned), &outer));
}

/// Near a pole, places of one latitude are less than a micrometre apart. Found by the property.
#[test]
fn what_is_on_the_corner_of_a_part_is_in_the_whole() {
    let place = |latitude, longitude| TwoDLocation {
        latitude: Latitude(latitude),
        longitude: Longitude(longitude),
    };
    let whole = [
        place(-899_777_144, 178_074_139),
        place(-899_879_682, 1_107_142_722),
        place(-899_827_453, -1_070_374_182),
        place(-899_812_506, -636_774_561),
    ];
    let part = Shape::Polygon([whole[0], whole[2], whole[3]].into());
    let whole = Shape::Polygon(whole.into());
    assert!(lies(&part, &whole));
    for step in -50..50 {
        let near = place(-899_827_453, -1_070_374_182 + step);
        let is_in = |shape: &Shape| contains(&shape.region(), &near, &NoBorders) == Some(true);
        assert!(!is_in(&part) || is_in(&whole), "{step}");
    }
}

/// A pole is one place, by whatever longitude.
#[test]
fn pole_is_in_every_rectangle_that_reaches_it() {
    let inside = |shape: &Shape, place| contains(&shape.region(), &place, &NoBorders);
    let corner = rectangles(&[[-90.0, 0.0, 10.0, 20.0]]);
    assert_eq!(inside(&corner, at(-90.0, 15.0)), Some(true));
    assert_eq!(inside(&corner, at(-90.0, -100.0)), Some(true));
    assert_eq!(inside(&corner, at(-89.999_999_9, -100.0)), Some(false));
    let nowhere = TwoDLocation {
        latitude: Latitude(LATITUDE_UNKNOWN),
        longitude: Longitude(LONGITUDE_UNKNOWN),
    };
    assert_eq!(inside(&corner, nowhere), Some(false));
}

#[test]
fn spans_keep_their_meridians_as_rectangles() {
    use crate::region::rectangle::Span;
    for [west, east] in [
        [10.0, 20.0],
        [170.0, -170.0],
        [179.9, 180.0],
        [180.0, -179.9],
        [-179.9, 179.9],
        [-10.0, -20.0],
    ] {
        let own = RectangularRegion {
            north_west: at(2.0, west),
            south_east: at(1.0, east),
        };
        let span = Span::read(&own).unwrap();
        assert_eq!(span.rectangle(), Some(own), "{west} to {east}");
    }
}
