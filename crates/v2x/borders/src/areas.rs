//! Areas: groups of countries that have a number \[M49\], and the European Union.

use std::collections::BTreeMap;

use waywarden_v2x_wire::ieee1609dot2::UnCountryId;

use crate::countries;
use crate::states::is_territory;
use crate::{EUROPEAN_UNION, UNITED_STATES};

/// Returns the name of an area.
pub(crate) fn name_of(area: UnCountryId) -> Option<&'static str> {
    find(area.0).map(|row| row.1)
}

/// For each country and area the areas that contain it.
pub(crate) type Containment = BTreeMap<u16, Vec<UnCountryId>>;

/// Makes the table: it is transitive, so that one look-up answers whether one lies in another.
pub(crate) fn containment() -> Containment {
    let areas = AREAS.iter().map(|row| (row.0, above(row.2)));
    let countries = countries::all().map(|country| {
        let mut around = above(&[country.area.0]);
        if EU.contains(&country.alpha2) {
            around.push(EUROPEAN_UNION.0);
        }
        // The Census Bureau counts them as states: they are regions of 840 in a certificate.
        if is_territory(country.alpha2) {
            around.push(UNITED_STATES.0);
            let country = countries::find(UNITED_STATES);
            around.extend(country.iter().flat_map(|country| above(&[country.area.0])));
        }
        (country.number.0, around)
    });
    let as_numbers = |mut around: Vec<u16>| {
        around.sort_unstable();
        around.dedup();
        around.into_iter().map(UnCountryId).collect()
    };
    areas
        .chain(countries)
        .map(|(number, around)| (number, as_numbers(around)))
        .collect()
}

/// These areas and all that contain them.
fn above(areas: &[u16]) -> Vec<u16> {
    let mut all = areas.to_vec();
    let mut next = 0;
    while let Some(area) = all.get(next) {
        let around = find(*area).map_or(&[][..], |row| row.2);
        all.extend_from_slice(around);
        next += 1;
    }
    all
}

fn find(number: u16) -> Option<&'static Row> {
    AREAS.iter().find(|row| row.0 == number)
}

/// Number, name, the areas directly around it.
type Row = (u16, &'static str, &'static [u16]);

#[rustfmt::skip]
const AREAS: &[Row] = &[
    (1, "World", &[]),
    (2, "Africa", &[1]),
    (3, "North America", &[19]),
    (5, "South America", &[419]),
    (9, "Oceania", &[1]),
    (11, "Western Africa", &[202]),
    (13, "Central America", &[3, 419]),
    (14, "Eastern Africa", &[202]),
    (15, "Northern Africa", &[2]),
    (17, "Middle Africa", &[202]),
    (18, "Southern Africa", &[202]),
    (19, "Americas", &[1]),
    (21, "Northern America", &[3]),
    (29, "Caribbean", &[3, 419]),
    (30, "Eastern Asia", &[142]),
    (34, "Southern Asia", &[142]),
    (35, "South-eastern Asia", &[142]),
    (39, "Southern Europe", &[150]),
    (53, "Australia and New Zealand", &[9]),
    (54, "Melanesia", &[9]),
    (57, "Micronesia", &[9]),
    (61, "Polynesia", &[9]),
    (142, "Asia", &[1]),
    (143, "Central Asia", &[142]),
    (145, "Western Asia", &[142]),
    (150, "Europe", &[1]),
    (151, "Eastern Europe", &[150]),
    (154, "Northern Europe", &[150]),
    (155, "Western Europe", &[150]),
    (202, "Sub-Saharan Africa", &[2]),
    (419, "Latin America and the Caribbean", &[19]),
    (830, "Channel Islands", &[154]),
    (EUROPEAN_UNION.0, "European Union", &[1]),
];

/// The 27 member states since 2020, and the territories that have a country code of their own and
/// belong to the Union \[TFEU §355\].
const EU: &[&str] = &[
    "AT", "AX", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GF", "GP", "GR", "HR",
    "HU", "IE", "IT", "LT", "LU", "LV", "MF", "MQ", "MT", "NL", "PL", "PT", "RE", "RO", "SE", "SI",
    "SK", "YT",
];
