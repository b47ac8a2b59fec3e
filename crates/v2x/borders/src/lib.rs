//! Identified regions of V2X certificates \[1609.2 §6.4\], judged without a network.
//!
//! [`CountryBorders`] implements the seam `Borders` of `waywarden-v2x-security` over a set of
//! boundaries that is part of the program. Tables map the numbers that certificates have to that
//! set: countries and areas of the United Nations \[M49\], the European Union \[CPOC\], states of
//! the United States \[FIPS\].
//!
//! Other countries' regions and all counties have no borders here; whether a place is in one is
//! unknown. `docs/protocols/1609dot2.md` says how places near a border and disputed territory are
//! judged. The boundaries are OpenStreetMap's, under the ODbL: see [`ATTRIBUTION`].
#![forbid(unsafe_code)]

mod areas;
mod borders;
mod countries;
mod samples;
mod states;

pub use borders::{CountryBorders, TOLERANCE, TOLERANCE_MAX};
pub use countries::alpha2_of;
pub use states::{UnitedState, state_of};

use waywarden_v2x_wire::ieee1609dot2::UnCountryId;

/// Number of the United States.
pub const UNITED_STATES: UnCountryId = UnCountryId(840);
/// Number of the European Union, which has none in M49 \[CPOC §I.3.9\].
pub const EUROPEAN_UNION: UnCountryId = UnCountryId(65_535);

/// Notice to be shown with results that are derived from the boundaries.
pub const ATTRIBUTION: &str = "Country boundaries: © OpenStreetMap contributors, \
     Open Database License (ODbL) 1.0, in the form of the crate country-boundaries";

/// Returns the English name of a country, an area or the European Union; `None` if the number is
/// not in the tables.
#[must_use]
pub fn name_of(country: UnCountryId) -> Option<&'static str> {
    countries::find(country)
        .map(|country| country.name)
        .or_else(|| areas::name_of(country))
}
