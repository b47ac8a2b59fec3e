//! Countries and their parts, with and without known borders.

use std::vec;
use std::vec::Vec;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CountryAndRegions, CountryAndSubregions, RectangularRegion, RegionAndSubregions,
};

use super::{NOTCHED, circle, polygon, rectangles};
use crate::region::tests::is_within;
use crate::region::tests::shapes::Shape;
use crate::region::*;

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
        crate::region::is_within(&inner, &outer, &Areas)
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
        crate::region::is_within(&inner.region(), &outer, &Halves::default())
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
        assert!(!crate::region::is_within(
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
        let answer = crate::region::is_within(&inner.region(), &outer, &borders);
        assert_eq!((answer, borders.0.get()), (is_in, expected));
    }
}
