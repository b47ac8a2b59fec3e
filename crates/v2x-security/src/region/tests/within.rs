//! Regions of which one can see on a map whether they lie in each other, and invalid ones.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use std::vec;
use std::vec::Vec;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CircularRegion, CountryAndRegions, CountryAndSubregions, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN,
    Latitude, Longitude, RectangularRegion, RegionAndSubregions,
};

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

#[test]
fn identified_regions() {
    let country = [IdentifiedRegion::CountryOnly(UnCountryId(840))];
    let country = GeographicRegion::Identified(SequenceOf::new(&country).unwrap());
    let of = |regions| {
        IdentifiedRegion::CountryAndRegions(CountryAndRegions {
            country: UnCountryId(840),
            regions: SequenceOf::new(regions).unwrap(),
        })
    };
    let states = [of(&[56, 49])];
    let states = GeographicRegion::Identified(SequenceOf::new(&states).unwrap());
    assert!(is_within(&states, &country) && !is_within(&country, &states));
    // Two lists that together have all.
    let others = [of(&[49, 1]), of(&[56])];
    let others = GeographicRegion::Identified(SequenceOf::new(&others).unwrap());
    assert!(is_within(&states, &others) && !is_within(&others, &states));
    let parts = [RegionAndSubregions {
        region: 56,
        subregions: SequenceOf::new(&[1, 65_535]).unwrap(),
    }];
    let parts = [IdentifiedRegion::CountryAndSubregions(
        CountryAndSubregions {
            country: UnCountryId(840),
            regions: SequenceOf::new(&parts).unwrap(),
        },
    )];
    let parts = GeographicRegion::Identified(SequenceOf::new(&parts).unwrap());
    assert!(is_within(&parts, &states) && !is_within(&states, &parts));
    // That would need borders.
    let small = rectangles(&[[47.0, 49.0, 10.0, 12.0]]);
    for shape in [circle(48.0, 11.0, 1), small, polygon(&NOTCHED)] {
        assert!(!is_within(&shape.region(), &country) && !is_within(&country, &shape.region()));
    }
}

/// Areas as they contain each other: 1 contains 2 and 3, and 2 contains 3.
struct Areas;

impl Borders for Areas {
    fn contains(
        &self,
        _: UnCountryId,
        _: Option<u8>,
        _: Option<u16>,
        _: &TwoDLocation,
    ) -> Option<bool> {
        None
    }

    fn areas_around(&self, country: UnCountryId) -> &[UnCountryId] {
        match country.0 {
            2 => &[UnCountryId(1)],
            3 => &[UnCountryId(2), UnCountryId(1)],
            _ => &[],
        }
    }
}

#[test]
fn country_lies_in_the_areas_around_it() {
    let country = |number| IdentifiedRegion::CountryOnly(UnCountryId(number));
    let states = |number| {
        IdentifiedRegion::CountryAndRegions(CountryAndRegions {
            country: UnCountryId(number),
            regions: SequenceOf::new(&[7, 8]).unwrap(),
        })
    };
    let is_in = |inner: &[IdentifiedRegion<'_>], outer: &[IdentifiedRegion<'_>]| {
        let [inner, outer] =
            [inner, outer].map(|all| GeographicRegion::Identified(SequenceOf::new(all).unwrap()));
        super::super::is_within(&inner, &outer, &Areas)
    };
    for (inner, outer) in [
        (vec![country(2)], vec![country(1)]),
        (vec![country(3)], vec![country(1)]),
        (vec![country(3)], vec![country(9), country(2)]),
        (vec![states(3)], vec![country(2)]),
        (
            vec![country(3), states(2), country(9)],
            vec![country(9), country(1)],
        ),
        (vec![country(3), states(9)], vec![states(9), country(2)]),
    ] {
        assert!(is_in(&inner, &outer), "{inner:?} in {outer:?}");
    }
    for (inner, outer) in [
        (vec![country(1)], vec![country(2), country(3)]),
        (vec![country(2)], vec![country(3)]),
        (vec![country(9)], vec![country(1)]),
        (vec![country(3), country(9)], vec![country(1)]),
        // What contains a country is not what has regions with its number.
        (vec![country(3)], vec![states(2)]),
        (vec![states(3)], vec![states(2)]),
    ] {
        assert!(!is_in(&inner, &outer), "{inner:?} not in {outer:?}");
    }
}

#[test]
fn invalid_regions_are_told_by_cause() {
    use RegionFault::*;
    let unknown = |latitude, longitude| {
        Shape::Circle(CircularRegion {
            center: TwoDLocation {
                latitude: Latitude(latitude),
                longitude: Longitude(longitude),
            },
            radius: 1,
        })
    };
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
    let many = |count: usize| -> Vec<[f64; 2]> {
        let turn = |corner| core::f64::consts::TAU * corner as f64 / count as f64;
        (0..count)
            .map(|corner| [turn(corner).sin(), turn(corner).cos()])
            .collect()
    };
    for (fault, shape) in [
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
        (RepeatedCorner, twice),
        (RepeatedCorner, pole_twice),
        (CrossingSides, crossing),
        (CrossingSides, crossing_last),
        (CrossingSides, touching),
        (CrossingSides, back),
        (CrossingSides, level),
        (PolygonTooLarge, around),
        (PolygonTooLarge, wide),
        (TooManyRectangles, rectangles(&[[0.0, 1.0, 0.0, 1.0]; 65])),
        (TooManyCorners, polygon(&many(49))),
    ] {
        assert_eq!(check_region(&shape.region()), Err(fault), "{shape:?}");
    }
    assert_eq!(
        check_region(&rectangles(&[[0.0, 1.0, 0.0, 1.0]; 64]).region()),
        Ok(())
    );
    assert_eq!(check_region(&polygon(&many(48)).region()), Ok(()));
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

/// Country 1 has the north, region 7 of country 2 the rest; it counts how often it is asked.
#[derive(Default)]
struct Halves(core::cell::Cell<usize>);

impl Borders for Halves {
    fn contains(
        &self,
        _: UnCountryId,
        _: Option<u8>,
        _: Option<u16>,
        _: &TwoDLocation,
    ) -> Option<bool> {
        None
    }

    fn covers(
        &self,
        country: UnCountryId,
        region: Option<u8>,
        part: Option<u16>,
        rectangle: &RectangularRegion,
    ) -> bool {
        self.0.set(self.0.get() + 1);
        match (country.0, region, part) {
            (1, None, None) => rectangle.south_east.latitude.0 >= 0,
            (2, Some(7), None) => rectangle.north_west.latitude.0 <= 0,
            _ => false,
        }
    }
}

#[test]
fn area_lies_in_a_country_that_covers_rectangles_around_it() {
    let north = [IdentifiedRegion::CountryOnly(UnCountryId(1))];
    let both = [
        IdentifiedRegion::CountryAndRegions(CountryAndRegions {
            country: UnCountryId(2),
            regions: SequenceOf::new(&[6, 7]).unwrap(),
        }),
        north[0],
    ];
    let is_in = |inner: &Shape, outer: &[IdentifiedRegion<'_>]| {
        let outer = GeographicRegion::Identified(SequenceOf::new(outer).unwrap());
        super::super::is_within(&inner.region(), &outer, &Halves::default())
    };
    let two = rectangles(&[[1.0, 2.0, 3.0, 4.0], [-2.0, -1.0, 3.0, 4.0]]);
    for (inner, in_north, in_both) in [
        (circle(1.0, 20.0, 65_000), true, true),
        // It reaches over the border, if by metres.
        (circle(0.5, 20.0, 55_600), false, false),
        (circle(-1.0, 20.0, 65_000), false, true),
        (circle(1.0, 180.0, 1_000), true, true),
        (polygon(&[[1.0, 2.0], [3.0, 4.0], [1.0, 4.0]]), true, true),
        (
            polygon(&[[1.0, 2.0], [-3.0, 4.0], [1.0, 4.0]]),
            false,
            false,
        ),
        (two, false, true),
    ] {
        assert_eq!(is_in(&inner, &north), in_north, "{inner:?} in the north");
        assert_eq!(is_in(&inner, &both), in_both, "{inner:?} in both");
        let outer = GeographicRegion::Identified(SequenceOf::new(&both).unwrap());
        assert!(!is_within(&inner.region(), &outer), "without borders");
        // No area contains a country.
        assert!(!super::super::is_within(
            &outer,
            &inner.region(),
            &Halves::default()
        ));
    }
}

#[test]
fn borders_are_asked_a_bounded_number_of_times() {
    let strips: Vec<[f64; 4]> = (0..64)
        .map(f64::from)
        .map(|at| [at, at + 1.0, 3.0, 4.0])
        .collect();
    let numbers: Vec<IdentifiedRegion<'_>> = (100..1_100)
        .map(|number| IdentifiedRegion::CountryOnly(UnCountryId(number)))
        .collect();
    let last = [IdentifiedRegion::CountryOnly(UnCountryId(1))];
    for (countries, expected, is_in) in [(&numbers[..], 256, false), (&last[..], 64, true)] {
        let borders = Halves::default();
        let outer = GeographicRegion::Identified(SequenceOf::new(countries).unwrap());
        let inner = rectangles(&strips);
        let answer = super::super::is_within(&inner.region(), &outer, &borders);
        assert_eq!((answer, borders.0.get()), (is_in, expected));
    }
}

#[test]
fn spans_keep_their_meridians_as_rectangles() {
    use super::super::rectangle::Span;
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
