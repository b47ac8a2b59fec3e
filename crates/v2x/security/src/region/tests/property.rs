//! Whatever region is affirmed to lie in another one does: no sampled place is in the one and
//! outside of the other. Pairs come from a seed, most of them just within or just not.

use std::collections::BTreeMap;
use std::println;
use std::vec::Vec;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{CircularRegion, Latitude, Longitude, RectangularRegion};

use super::super::*;
use super::is_within;
use super::random::Random;
use super::shapes::{KINDS, Shape, grown_pair, places_of};

/// Pairs of each property: 20,000, or a hundred times `WAYWARDEN_CASES`.
fn pairs() -> usize {
    waywarden_testkit::number("WAYWARDEN_CASES").map_or(20_000, |cases| cases as usize * 100)
}

/// Counts of the pairs of two kinds of regions.
#[derive(Default)]
struct Tally {
    valid: usize,
    affirmed: usize,
    places: usize,
}

fn is_in(region: &GeographicRegion<'_>, place: &TwoDLocation) -> bool {
    contains(region, place, &NoBorders) == Some(true)
}

#[test]
fn regions_that_are_affirmed_lie_in_their_outer_region() {
    let mut random = Random::new("regions that are affirmed");
    let mut tallies: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    let mut refused = 0;
    for case in 0..pairs() {
        let (inner, outer) = grown_pair(&mut random, KINDS[case % 3], KINDS[case / 3 % 3]);
        let (inside, outside) = (inner.region(), outer.region());
        if check_region(&inside).is_err() || check_region(&outside).is_err() {
            refused += 1;
            continue;
        }
        let tally = tallies.entry((inner.kind(), outer.kind())).or_default();
        tally.valid += 1;
        if !is_within(&inside, &outside) {
            continue;
        }
        tally.affirmed += 1;
        for place in places_of(&inner, &outer, &mut random) {
            if is_in(&inside, &place) {
                tally.places += 1;
                assert!(
                    is_in(&outside, &place),
                    "case {case}: {place:?} is in {inner:?} and not in {outer:?}"
                );
            }
        }
    }
    println!("{refused} pairs have an invalid region");
    for ((inner, outer), tally) in &tallies {
        let Tally {
            valid,
            affirmed,
            places,
        } = tally;
        println!("{inner} in {outer}: {affirmed} of {valid} pairs affirmed, {places} places");
    }
    if pairs() >= 10_000 {
        assert!(refused > 0 && tallies.len() == 9);
        for (kinds, tally) in &tallies {
            assert!(tally.affirmed > 0, "{kinds:?} is never affirmed");
            assert!(tally.affirmed < tally.valid, "{kinds:?} is always affirmed");
        }
    }
}

/// The inner region reaches a quarter as far as the outer one, from the same centre.
#[test]
fn regions_that_are_clearly_within_are_affirmed() {
    let mut random = Random::new("regions that are clearly within");
    for case in 0..pairs() / 10 {
        let centre = (random.between(-70.0, 70.0), random.between(-180.0, 180.0));
        let size = random.between(1e-5, 2.4e-3);
        let inner = Shape::regular(&mut random, KINDS[case % 3], centre, size);
        let outer = Shape::regular(&mut random, KINDS[case / 3 % 3], centre, 4.0 * size);
        assert!(
            is_within(&inner.region(), &outer.region()),
            "case {case}: {inner:?} in {outer:?}"
        );
        assert!(!is_within(&outer.region(), &inner.region()), "case {case}");
        assert!(is_within(&inner.region(), &inner.region()), "case {case}");
    }
}

/// Any coordinates, at the ends of their ranges and beyond.
#[test]
fn any_coordinates_are_judged_without_a_panic() {
    let mut random = Random::new("any coordinates");
    let mut valid = 0;
    for case in 0..pairs() {
        let mut next = || random.any_place();
        let places = [0; 7].map(|_| next());
        let shapes = [
            Shape::Circle(CircularRegion {
                center: places[0],
                radius: u16::MAX,
            }),
            Shape::Rectangles(Vec::from([RectangularRegion {
                north_west: places[1],
                south_east: places[2],
            }])),
            Shape::Polygon(places[3..6].into()),
        ];
        for inner in &shapes {
            valid += usize::from(check_region(&inner.region()).is_ok());
            for outer in &shapes {
                let (inside, outside) = (inner.region(), outer.region());
                let is_affirmed = is_within(&inside, &outside);
                let is_wrong = is_in(&inside, &places[6]) && !is_in(&outside, &places[6]);
                assert!(
                    !(is_affirmed && is_wrong),
                    "case {case}: {inner:?} in {outer:?}"
                );
            }
        }
    }
    println!("{valid} of {} regions are valid", 3 * pairs());
}

/// A country, its regions, their parts.
type Named = (u16, Vec<(u8, Vec<u16>)>);

fn named(random: &mut Random) -> Vec<Named> {
    let mut all = Vec::new();
    for _ in 0..1 + random.below(4) {
        let mut regions = Vec::new();
        for _ in 0..random.below(4) {
            let count = random.below(4);
            let parts = (0..count).map(|_| random.below(3) as u16).collect();
            regions.push((random.below(3) as u8, parts));
        }
        all.push((random.below(2) as u16, regions));
    }
    all
}

/// Hands over the region: parts where each region has some, else regions where there are some.
fn with_named<T>(named: &[Named], then: impl FnOnce(&GeographicRegion<'_>) -> T) -> T {
    use waywarden_v2x_wire::ieee1609dot2::{
        CountryAndRegions, CountryAndSubregions, RegionAndSubregions,
    };
    let numbers: Vec<Vec<u8>> = named
        .iter()
        .map(|(_, regions)| regions.iter().map(|(region, _)| *region).collect())
        .collect();
    let parts: Vec<Vec<RegionAndSubregions<'_>>> = named
        .iter()
        .map(|(_, regions)| {
            let own = regions.iter().map(|(region, parts)| RegionAndSubregions {
                region: *region,
                subregions: SequenceOf::new(parts).unwrap(),
            });
            own.collect()
        })
        .collect();
    let all: Vec<IdentifiedRegion<'_>> = named
        .iter()
        .zip(numbers.iter().zip(&parts))
        .map(|((country, regions), (numbers, parts))| {
            let country = UnCountryId(*country);
            if regions.is_empty() {
                IdentifiedRegion::CountryOnly(country)
            } else if regions.iter().all(|(_, parts)| !parts.is_empty()) {
                let regions = SequenceOf::new(parts).unwrap();
                IdentifiedRegion::CountryAndSubregions(CountryAndSubregions { country, regions })
            } else {
                let regions = SequenceOf::new(numbers).unwrap();
                IdentifiedRegion::CountryAndRegions(CountryAndRegions { country, regions })
            }
        })
        .collect();
    then(&GeographicRegion::Identified(
        SequenceOf::new(&all).unwrap(),
    ))
}

/// The last digits of a latitude are a country, a region and a part.
struct Digits;

impl Borders for Digits {
    fn contains(
        &self,
        country: UnCountryId,
        region: Option<u8>,
        part: Option<u16>,
        place: &TwoDLocation,
    ) -> Option<bool> {
        let digit = |place_value| place.latitude.0 / place_value % 10;
        Some(
            i32::from(country.0) == digit(100)
                && region.is_none_or(|region| i32::from(region) == digit(10))
                && part.is_none_or(|part| i32::from(part) == digit(1)),
        )
    }
}

/// Regions and parts go from 0 to 2: those beyond stand for the rest of the country or region, so
/// that the places tell exactly whether one list covers the other.
#[test]
fn identified_regions_are_affirmed_where_they_are_covered_and_nowhere_else() {
    let mut random = Random::new("identified regions");
    let mut affirmed = 0;
    for case in 0..pairs() {
        let (inner, outer) = (named(&mut random), named(&mut random));
        with_named(&inner, |inner| {
            with_named(&outer, |outer| {
                let is_in = |region: &GeographicRegion<'_>, number: i32| {
                    let place = TwoDLocation {
                        latitude: Latitude(number),
                        longitude: Longitude(0),
                    };
                    contains(region, &place, &Digits) == Some(true)
                };
                let mut numbers =
                    (0..3).flat_map(|a| (0..4).flat_map(move |b| (0..4).map(move |c| (a, b, c))));
                let is_covered = numbers.all(|(a, b, c)| {
                    let number = 100 * a + 10 * b + c;
                    !is_in(inner, number) || is_in(outer, number)
                });
                let is_affirmed = is_within(inner, outer);
                affirmed += usize::from(is_affirmed);
                assert_eq!(
                    is_affirmed, is_covered,
                    "case {case}: {inner:?} in {outer:?}"
                );
            });
        });
    }
    println!("{affirmed} of {} pairs affirmed", pairs());
    assert!(affirmed > 0 || pairs() < 10_000);
}
