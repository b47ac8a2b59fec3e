//! Rectangles that are certainly in a country, so that a circle or polygon in them may stand under
//! an issuer for the country.

use waywarden_testkit::{Random, cases};
use waywarden_v2x_borders::{alpha2_of, state_of};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_wire::ieee1609dot2::{RectangularRegion, UnCountryId};

use crate::support::{BORDERS, EXACT, TOWNS, at, is_in};

/// South, north, west and east, in degrees.
fn rectangle([south, north, west, east]: [f64; 4]) -> RectangularRegion {
    RectangularRegion {
        north_west: at(north, west),
        south_east: at(south, east),
    }
}

fn covers(country: u16, region: Option<u8>, sides: [f64; 4]) -> bool {
    BORDERS.covers(UnCountryId(country), region, None, &rectangle(sides))
}

#[test]
fn cities_on_the_map() {
    let (munich, berlin) = ([48.0, 48.3, 11.3, 11.8], [52.3, 52.7, 13.0, 13.8]);
    for city in [munich, berlin] {
        // Germany, Western Europe, Europe, the European Union; not France, and no region of it.
        for (country, is_inside) in [(276, true), (155, true), (150, true), (65_535, true)] {
            assert_eq!(covers(country, None, city), is_inside, "{country}");
        }
        assert!(!covers(250, None, city));
        assert!(!covers(276, Some(9), city));
    }
    // From Munich over the Alps; within a cell of Austria; wholly in the sea.
    assert!(!covers(276, None, [46.5, 48.3, 11.3, 11.8]));
    assert!(!covers(276, None, [47.8, 47.9, 12.9, 13.0]));
    assert!(!covers(276, None, [55.5, 55.9, 4.0, 4.5]));
    // San Marino is in the same cell, and in no part of Italy.
    assert!(!covers(380, None, [43.0, 43.2, 12.1, 12.3]));
    // Hong Kong has a number of its own.
    assert!(!covers(156, None, [22.2, 22.5, 113.9, 114.3]));
}

#[test]
fn states_of_the_united_states_have_borders() {
    let denver = [39.4, 39.9, -105.3, -104.7];
    let number =
        |code: &str| (1..=u8::MAX).find(|one| state_of(*one).is_some_and(|s| s.code == code));
    let (colorado, utah) = (number("CO").unwrap(), number("UT").unwrap());
    assert!(covers(840, None, denver) && covers(840, Some(colorado), denver));
    assert!(!covers(840, Some(utah), denver));
    let part = BORDERS.covers(
        UnCountryId(840),
        Some(colorado),
        Some(31),
        &rectangle(denver),
    );
    assert!(!part, "counties have no borders");
}

#[test]
fn a_rectangle_of_half_the_world_is_in_no_country() {
    for sides in [
        [50.0, 75.0, 40.0, 170.0],
        [-90.0, 90.0, -180.0, 180.0],
        [60.0, 61.0, 40.0, 60.5],
    ] {
        assert!(!covers(643, None, sides), "{sides:?}");
    }
    assert!(covers(643, None, [60.0, 61.0, 60.0, 70.0]));
    // Siberia, across the antimeridian.
    assert!(covers(643, None, [66.9, 67.5, 179.5, -179.5]));
}

/// Every place of a covered rectangle is inside, without any tolerance.
#[test]
fn every_place_of_a_covered_rectangle_is_in_the_country() {
    let mut random = Random::of_test("every_place_of_a_covered_rectangle_is_in_the_country");
    let mut between =
        |low: f64, high: f64| low + (high - low) * (random.u64() as f64 / 2f64.powi(64));
    let mut covered = 0;
    for _ in 0..cases(300) {
        let town = &TOWNS[between(0.0, TOWNS.len() as f64) as usize % TOWNS.len()];
        let degrees = |units: i32| f64::from(units) * 1e-7;
        let (north, east) = (
            degrees(town.place.latitude.0),
            degrees(town.place.longitude.0),
        );
        let (high, wide) = (between(0.001, 1.5), between(0.001, 1.5));
        if east.abs() + wide > 179.0 || north.abs() + high > 89.0 {
            continue;
        }
        let sides = [north - high, north + high, east - wide, east + wide];
        let code = Some(town.country);
        let country = (1..1_000).find(|one| alpha2_of(UnCountryId(*one)) == code);
        // Kosovo has no number.
        let Some(country) = country.filter(|one| covers(*one, None, sides)) else {
            continue;
        };
        covered += 1;
        let [south, north, west, east] = sides;
        for _ in 0..20 {
            let place = at(between(south, north), between(west, east));
            let inside = is_in(&EXACT, country, &place);
            assert_eq!(inside, Some(true), "{}: {place:?} of {sides:?}", town.line);
        }
    }
    assert!(covered >= 20, "{covered} rectangles were covered");
}
