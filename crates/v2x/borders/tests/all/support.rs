//! Borders that are read once, places in degrees, and known answers.

use std::sync::LazyLock;

use waywarden_testkit::workspace;
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, TwoDLocation, UnCountryId};

pub(crate) static BORDERS: LazyLock<CountryBorders> = LazyLock::new(CountryBorders::new);
/// Borders as the set has them, to the metre.
pub(crate) static EXACT: LazyLock<CountryBorders> =
    LazyLock::new(|| CountryBorders::new().with_tolerance(0));

/// A place in degrees.
pub(crate) fn at(latitude: f64, longitude: f64) -> TwoDLocation {
    TwoDLocation {
        latitude: Latitude((latitude * 1e7) as i32),
        longitude: Longitude((longitude * 1e7) as i32),
    }
}

/// Returns whether a place is in a country or area; `None`: unknown.
pub(crate) fn is_in(borders: &CountryBorders, number: u16, place: &TwoDLocation) -> Option<bool> {
    borders.contains(UnCountryId(number), None, None, place)
}

/// A town of `vectors/towns.txt`.
pub(crate) struct Town {
    /// ISO 3166-1 alpha-2.
    pub(crate) country: &'static str,
    /// Its state, if it is in the United States.
    pub(crate) state: Option<&'static str>,
    pub(crate) place: TwoDLocation,
    pub(crate) line: &'static str,
}

pub(crate) static TOWNS: LazyLock<Vec<Town>> = LazyLock::new(|| {
    let town = |line: &'static str| {
        let mut parts = line.splitn(4, ' ');
        let mut next = || parts.next().unwrap();
        let (code, latitude, longitude) = (next(), next(), next());
        let (country, state) = match code.split_once('-') {
            Some((country, state)) => (country, Some(state)),
            None => (code, None),
        };
        let place = at(latitude.parse().unwrap(), longitude.parse().unwrap());
        Town {
            country,
            state,
            place,
            line,
        }
    };
    lines("towns.txt").map(town).collect()
});

/// The lines of a file of known answers.
pub(crate) fn lines(name: &str) -> impl Iterator<Item = &'static str> {
    let text = std::fs::read_to_string(workspace().join("vectors").join(name)).unwrap();
    let lines = text.leak().lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The number of a country, by the known answers and not by the tables.
pub(crate) fn number_of(alpha2: &str) -> u16 {
    static NUMBERS: LazyLock<Vec<(&str, u16)>> = LazyLock::new(|| {
        let countries = lines("countries.txt").filter_map(|line| line.strip_prefix("country "));
        let number = |line: &'static str| {
            let mut parts = line.split(' ');
            (
                parts.next().unwrap(),
                parts.next().unwrap().parse().unwrap(),
            )
        };
        countries.map(number).collect()
    });
    NUMBERS.iter().find(|one| one.0 == alpha2).unwrap().1
}
