//! Random places: what the chain of certificates takes as contained is so on the map.

use waywarden_testkit::{Random, cases};
use waywarden_v2x_borders::{CountryBorders, name_of, state_of};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_wire::ieee1609dot2::{TwoDLocation, UnCountryId};

use crate::support::{BORDERS, EXACT, TOWNS, Town, at, is_in, number_of};

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * (random.u64() as f64 / 2f64.powi(64))
}

/// A place within half a degree of a town: borders are there.
fn near(random: &mut Random, town: &Town) -> TwoDLocation {
    at(
        f64::from(town.place.latitude.0) * 1e-7 + between(random, -0.5, 0.5),
        f64::from(town.place.longitude.0) * 1e-7 + between(random, -0.5, 0.5),
    )
}

/// A place near a town, or anywhere.
fn place(random: &mut Random) -> TwoDLocation {
    if random.once_in(3) {
        at(between(random, -60.0, 75.0), between(random, -180.0, 180.0))
    } else {
        let town = random.index(TOWNS.len());
        near(random, &TOWNS[town])
    }
}

/// A certificate for a country may stand under an issuer for an area: then no place is in the
/// country and outside of the area. And a place in an area is in one of its countries.
#[test]
fn area_contains_the_places_of_its_countries() {
    let mut random = Random::of_test("area_contains_the_places_of_its_countries");
    let numbers = (0..=u16::MAX).filter(|one| name_of(UnCountryId(*one)).is_some());
    let numbers: Vec<u16> = numbers.collect();
    let mut yes = 0;
    for _ in 0..cases(300) {
        let place = place(&mut random);
        let borders = [&*BORDERS, &*EXACT][random.index(2)];
        let inside = |number: &&u16| is_in(borders, **number, &place) == Some(true);
        let inside: Vec<u16> = numbers.iter().filter(inside).copied().collect();
        yes += usize::from(!inside.is_empty());
        for number in &inside {
            let around = borders.areas_around(UnCountryId(*number));
            let missing = around.iter().find(|area| !inside.contains(&area.0));
            assert_eq!(missing, None, "{number} at {place:?}");
        }
        for area in inside.iter().filter(|area| **area != 1) {
            let is_of = |inner: &u16| {
                borders
                    .areas_around(UnCountryId(*inner))
                    .contains(&UnCountryId(*area))
            };
            let is_country = waywarden_v2x_borders::alpha2_of(UnCountryId(*area)).is_some();
            assert!(
                is_country || inside.iter().any(is_of),
                "{area} at {place:?}"
            );
        }
    }
    println!("{yes} places in a country");
    assert!(yes > cases(300) / 4);
}

/// A place in a state is in the country, and no place is certain to be in a county.
#[test]
fn country_contains_the_places_of_its_states() {
    let mut random = Random::of_test("country_contains_the_places_of_its_states");
    let towns: Vec<&Town> = TOWNS.iter().filter(|town| town.state.is_some()).collect();
    let mut yes = 0;
    for _ in 0..cases(100) {
        let place = {
            let town = towns[random.index(towns.len())];
            near(&mut random, town)
        };
        for number in 0..80 {
            let within = |part| BORDERS.contains(UnCountryId(840), Some(number), part, &place);
            let (state, county) = (within(None), within(Some(1)));
            if state == Some(true) {
                yes += 1;
                assert!(state_of(number).is_some());
                assert_eq!(
                    is_in(&BORDERS, 840, &place),
                    Some(true),
                    "{number} at {place:?}"
                );
            }
            // What is outside of the state is outside of its counties.
            assert_eq!(
                county,
                state.filter(|is_in| !is_in),
                "{number} at {place:?}"
            );
        }
    }
    println!("{yes} places in a state");
    assert!(yes > cases(100) / 2);
}

/// A larger tolerance takes nothing away.
#[test]
fn larger_tolerance_contains_the_smaller_one() {
    let mut random = Random::of_test("larger_tolerance_contains_the_smaller_one");
    let wide: Vec<CountryBorders> = [500, 2_000, 20_000]
        .map(|metres| CountryBorders::new().with_tolerance(metres))
        .into();
    for _ in 0..cases(300) {
        let place = place(&mut random);
        let number = [276, 250, 380, 756, 840, 124, 150, 65_535, 76, 156][random.index(10)];
        if is_in(&EXACT, number, &place) == Some(true) {
            for borders in &wide {
                assert_eq!(
                    is_in(borders, number, &place),
                    Some(true),
                    "{number} at {place:?}"
                );
            }
        }
    }
}

/// A place that is as far from one inside as the tolerance is inside: no cell of the set, no
/// meridian and no territory hides the border from it.
#[test]
fn place_at_the_tolerance_from_one_inside_is_inside() {
    let mut random = Random::of_test("place_at_the_tolerance_from_one_inside_is_inside");
    let metres = [100, 1_000, 20_000];
    let borders = metres.map(|metres| CountryBorders::new().with_tolerance(metres));
    let (mut yes, mut beyond) = (0, 0);
    for _ in 0..cases(300) {
        let town = random.index(TOWNS.len());
        let (place, number) = (TOWNS[town].place, number_of_town(&TOWNS[town]));
        if is_in(&EXACT, number, &place) != Some(true) {
            continue;
        }
        for (metres, borders) in metres.iter().zip(&borders) {
            let high = f64::from(*metres) / 110_574.0;
            let latitude = f64::from(place.latitude.0) * 1e-7;
            let longitude = f64::from(place.longitude.0) * 1e-7;
            let wide = high / latitude.to_radians().cos();
            for (north, east) in [(high, 0.0), (-high, 0.0), (0.0, wide), (0.0, -wide)] {
                let around = at(latitude + north, longitude + east);
                let answer = is_in(borders, number, &around);
                assert_eq!(
                    answer,
                    Some(true),
                    "{}: {metres} m, {north} {east}",
                    TOWNS[town].line
                );
                yes += 1;
                beyond += usize::from(is_in(&EXACT, number, &around) != Some(true));
            }
        }
    }
    println!("{yes} places, {beyond} of them beyond the border");
    assert!(beyond > yes / 100);
}

fn number_of_town(town: &Town) -> u16 {
    match town.country {
        "XK" => 0,
        country => number_of(country),
    }
}
