//! Places that can be checked on a map: capitals, islands, exclaves, borders, the sea.

use waywarden_v2x_borders::{CountryBorders, TOLERANCE_MAX};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, TwoDLocation, UnCountryId};

use crate::support::{BORDERS, EXACT, at, is_in, number_of};

const EUROPE: u16 = 150;
const UNION: u16 = 65_535;

/// Country, place, whether in Europe, whether in the European Union.
const PLACES: &[(&str, &str, f64, f64, bool, bool)] = &[
    ("DE", "Berlin", 52.5200, 13.4050, true, true),
    ("FR", "Paris", 48.8566, 2.3522, true, true),
    ("IT", "Rome", 41.8919, 12.5113, true, true),
    ("ES", "Madrid", 40.4168, -3.7038, true, true),
    ("PT", "Lisbon", 38.7223, -9.1393, true, true),
    ("AT", "Vienna", 48.2082, 16.3738, true, true),
    ("CZ", "Brno", 49.1951, 16.6068, true, true),
    ("HU", "Budapest", 47.4979, 19.0402, true, true),
    ("PL", "Warsaw", 52.2297, 21.0122, true, true),
    ("SE", "Stockholm", 59.3293, 18.0686, true, true),
    ("FI", "Helsinki", 60.1699, 24.9384, true, true),
    ("IE", "Dublin", 53.3498, -6.2603, true, true),
    ("GR", "Athens", 37.9838, 23.7275, true, true),
    ("CY", "Nicosia", 35.1450, 33.3600, false, true),
    ("CH", "Bern", 46.9480, 7.4474, true, false),
    ("NO", "Oslo", 59.9139, 10.7522, true, false),
    ("GB", "London", 51.5074, -0.1278, true, false),
    ("RS", "Belgrade", 44.7866, 20.4489, true, false),
    ("UA", "Kyiv", 50.4501, 30.5234, true, false),
    ("TR", "Ankara", 39.9334, 32.8597, false, false),
    ("US", "Detroit", 42.3800, -83.1000, false, false),
    ("CA", "Ottawa", 45.4000, -75.6972, false, false),
    ("MX", "Mexico City", 19.4326, -99.1332, false, false),
    ("BR", "Brasília", -15.7939, -47.8828, false, false),
    ("JP", "Tokyo", 35.6762, 139.6503, false, false),
    ("KR", "Seoul", 37.5665, 126.9780, false, false),
    ("CN", "Shanghai", 31.2304, 121.4737, false, false),
    ("HK", "Hong Kong", 22.3000, 114.1700, false, false),
    ("SG", "Singapore", 1.3521, 103.8198, false, false),
    ("IN", "Delhi", 28.6139, 77.2090, false, false),
    ("AU", "Melbourne", -37.8136, 144.9631, false, false),
    ("NZ", "Wellington", -41.2866, 174.7756, false, false),
    ("ZA", "Johannesburg", -26.2041, 28.0473, false, false),
    ("EG", "Cairo", 30.0444, 31.2357, false, false),
    // Islands.
    ("ES", "Las Palmas", 28.1200, -15.4300, true, true),
    ("PT", "Funchal", 32.6500, -16.9100, true, true),
    ("PT", "Ponta Delgada", 37.7400, -25.6700, true, true),
    ("RE", "Saint-Denis", -20.8900, 55.4500, false, true),
    ("GP", "Basse-Terre", 16.0000, -61.7200, false, true),
    ("AX", "Mariehamn", 60.1000, 19.9400, true, true),
    ("MT", "Valletta", 35.8989, 14.5146, true, true),
    ("NC", "Nouméa", -22.2700, 166.4500, false, false),
    ("GL", "Nuuk", 64.1800, -51.7000, false, false),
    ("FO", "Tórshavn", 62.0100, -6.7700, true, false),
    ("SJ", "Longyearbyen", 78.2200, 15.6400, true, false),
    ("US", "Honolulu", 21.3100, -157.8600, false, false),
    (
        "FJ",
        "Taveuni, beyond 180 degrees",
        -16.8400,
        -179.9900,
        false,
        false,
    ),
    ("IS", "Reykjavík", 64.1466, -21.9426, true, false),
    // Exclaves, and countries in countries.
    ("DE", "Büsingen", 47.6970, 8.6900, true, true),
    ("RU", "Kaliningrad", 54.7100, 20.5100, true, false),
    ("ES", "Ceuta", 35.8890, -5.3200, true, true),
    ("ES", "Llívia", 42.4640, 1.9800, true, true),
    ("LS", "Maseru", -29.3100, 27.5000, false, false),
    ("SM", "San Marino", 43.9360, 12.4470, true, false),
    ("LI", "Vaduz", 47.1410, 9.5210, true, false),
    ("MC", "Monaco", 43.7380, 7.4240, true, false),
    ("GI", "Gibraltar", 36.1400, -5.3530, true, false),
];

#[test]
fn place_is_in_its_country_its_continent_and_its_union() {
    for &(country, name, latitude, longitude, in_europe, in_union) in PLACES {
        let place = at(latitude, longitude);
        assert_eq!(
            is_in(&BORDERS, number_of(country), &place),
            Some(true),
            "{name}"
        );
        assert_eq!(is_in(&EXACT, EUROPE, &place), Some(in_europe), "{name}");
        assert_eq!(is_in(&EXACT, UNION, &place), Some(in_union), "{name}");
        assert_eq!(is_in(&BORDERS, 1, &place), Some(true), "{name}");
    }
}

/// A place is in no country of the table but its own: none of these is within a kilometre of
/// another one, save for the smallest countries.
#[test]
fn place_is_outside_of_all_other_countries() {
    for &(country, name, latitude, longitude, ..) in PLACES {
        for (other, ..) in PLACES.iter().filter(|other| other.0 != country) {
            let answer = is_in(&EXACT, number_of(other), &at(latitude, longitude));
            assert_eq!(answer, Some(false), "{name} in {other}");
        }
    }
}

/// M49 gives territories numbers of their own; the states of the Census Bureau have some of them.
#[test]
fn territory_with_a_number_is_not_in_its_owner_except_for_the_united_states() {
    for (owner, territory, latitude, longitude) in [
        ("FR", "RE", -20.89, 55.45),
        ("DK", "GL", 64.18, -51.70),
        ("CN", "HK", 22.30, 114.17),
        ("GB", "GI", 36.14, -5.353),
        ("FI", "AX", 60.10, 19.94),
    ] {
        let place = at(latitude, longitude);
        assert_eq!(
            is_in(&BORDERS, number_of(owner), &place),
            Some(false),
            "{territory}"
        );
    }
    let (country, san_juan) = (UnCountryId(840), at(18.46, -66.10));
    assert_eq!(is_in(&BORDERS, 840, &san_juan), Some(true));
    assert_eq!(is_in(&BORDERS, 630, &san_juan), Some(true));
    assert_eq!(
        BORDERS.contains(country, Some(72), None, &san_juan),
        Some(true)
    );
    assert_eq!(
        BORDERS.contains(country, Some(12), None, &san_juan),
        Some(false)
    );
}

#[test]
fn states_of_the_united_states() {
    let country = UnCountryId(840);
    for (number, name, latitude, longitude) in [
        (26, "Detroit", 42.38, -83.10),
        (48, "Dallas", 32.7767, -96.7970),
        (6, "Los Angeles", 34.0522, -118.2437),
        (36, "New York", 40.7800, -73.9600),
        (15, "Honolulu", 21.31, -157.86),
        (2, "Anchorage", 61.2181, -149.9003),
        (11, "Washington", 38.9072, -77.0369),
        (56, "Cheyenne", 41.1400, -104.8202),
        (66, "Hagåtña", 13.4760, 144.7500),
        (78, "Charlotte Amalie", 18.3419, -64.9307),
    ] {
        let place = at(latitude, longitude);
        for other in [26, 48, 6, 36, 15, 2, 11, 56, 66, 78] {
            let answer = BORDERS.contains(country, Some(other), None, &place);
            assert_eq!(answer, Some(other == number), "{name} in {other}");
        }
    }
}

#[test]
fn what_has_no_borders_is_unknown() {
    let (munich, paris) = (at(48.137, 11.575), at(48.8566, 2.3522));
    // Numbers that are not in the tables, and countries that the set does not have.
    for number in [0, 280, 736, 999, 65_534, number_of("AQ")] {
        assert_eq!(is_in(&BORDERS, number, &munich), None, "{number}");
    }
    // Regions of other countries are not defined: within the country nothing is known of them.
    let bavaria = |place| BORDERS.contains(UnCountryId(276), Some(9), None, place);
    assert_eq!((bavaria(&munich), bavaria(&paris)), (None, Some(false)));
    // Counties of the United States: within the state nothing is known of them.
    let (detroit, dallas) = (at(42.38, -83.10), at(32.7767, -96.7970));
    let wayne = |place| BORDERS.contains(UnCountryId(840), Some(26), Some(163), place);
    assert_eq!((wayne(&detroit), wayne(&dallas)), (None, Some(false)));
    // A number that no state has.
    let missing = |place| BORDERS.contains(UnCountryId(840), Some(3), None, place);
    assert_eq!((missing(&detroit), missing(&paris)), (None, Some(false)));
    // The sea, and land that the set does not have.
    for place in [
        at(30.0, -40.0),
        at(0.0, 0.0),
        at(-89.9, 0.0),
        at(89.9, 100.0),
    ] {
        assert_eq!(is_in(&BORDERS, 276, &place), None, "{place:?}");
    }
}

/// The bridge between Strasbourg and Kehl: both countries within the tolerance, one without.
#[test]
fn border_is_as_wide_as_the_tolerance() {
    let count = |borders: &CountryBorders, place| {
        let countries = [276, 250].into_iter();
        countries
            .filter(|one| is_in(borders, *one, place) == Some(true))
            .count()
    };
    let (bridge, strasbourg) = (at(48.5735, 7.8010), at(48.5830, 7.7480));
    assert_eq!((count(&EXACT, &bridge), count(&BORDERS, &bridge)), (1, 2));
    // Three kilometres off.
    assert_eq!(is_in(&BORDERS, 276, &strasbourg), Some(false));
    let wide = CountryBorders::new().with_tolerance(5_000);
    assert_eq!(is_in(&wide, 276, &strasbourg), Some(true));
    // However much is asked for: Paris stays outside.
    let widest = CountryBorders::new().with_tolerance(u32::MAX);
    let capped = CountryBorders::new().with_tolerance(TOLERANCE_MAX);
    for borders in [&widest, &capped] {
        assert_eq!(is_in(borders, 276, &at(48.8566, 2.3522)), Some(false));
    }
}

/// Sevastopol is in the country of its ISO 3166-2 code and in the one that the set puts it in.
#[test]
fn claimed_place_is_in_both_countries() {
    let place = at(44.60, 33.53);
    for country in ["UA", "RU"] {
        assert_eq!(
            is_in(&BORDERS, number_of(country), &place),
            Some(true),
            "{country}"
        );
    }
    assert_eq!(is_in(&BORDERS, number_of("PL"), &place), Some(false));
}

#[test]
fn coordinates_out_of_range_have_an_answer() {
    let extremes = [
        i32::MIN,
        -900_000_001,
        -900_000_000,
        0,
        900_000_000,
        900_000_001,
        i32::MAX,
    ];
    for latitude in extremes {
        for longitude in [
            i32::MIN,
            -1_800_000_000,
            0,
            1_800_000_000,
            1_800_000_001,
            i32::MAX,
        ] {
            let place = TwoDLocation {
                latitude: Latitude(latitude),
                longitude: Longitude(longitude),
            };
            for borders in [&*BORDERS, &*EXACT] {
                let answer = borders.contains(UnCountryId(276), Some(1), Some(2), &place);
                assert!(answer != Some(true), "{place:?}");
                assert!(is_in(borders, 276, &place) != Some(true), "{place:?}");
            }
        }
    }
}
