//! States of the United States by the numbers of the Census Bureau \[FIPS\].

/// A state or an equivalent entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitedState {
    /// Second half of the ISO 3166-2 code.
    pub code: &'static str,
    /// English name of the state.
    pub name: &'static str,
    /// True for a territory, which has a country code of its own.
    pub is_territory: bool,
}

/// First number of a territory.
const TERRITORIES: u8 = 60;

/// Returns the state that has a number; `None` for numbers that no state has.
#[must_use]
pub fn state_of(number: u8) -> Option<UnitedState> {
    let at = STATES.binary_search_by_key(&number, |row| row.0).ok()?;
    STATES.get(at).map(|&(number, code, name)| UnitedState {
        code,
        name,
        is_territory: number >= TERRITORIES,
    })
}

/// Returns true if a territory has this ISO 3166-1 alpha-2 code, which is its postal code, too.
pub(crate) fn is_territory(alpha2: &str) -> bool {
    let mut territories = STATES.iter().filter(|row| row.0 >= TERRITORIES);
    territories.any(|row| row.1 == alpha2)
}

#[rustfmt::skip]
const STATES: &[(u8, &str, &str)] = &[
    (1, "AL", "Alabama"),
    (2, "AK", "Alaska"),
    (4, "AZ", "Arizona"),
    (5, "AR", "Arkansas"),
    (6, "CA", "California"),
    (8, "CO", "Colorado"),
    (9, "CT", "Connecticut"),
    (10, "DE", "Delaware"),
    (11, "DC", "District of Columbia"),
    (12, "FL", "Florida"),
    (13, "GA", "Georgia"),
    (15, "HI", "Hawaii"),
    (16, "ID", "Idaho"),
    (17, "IL", "Illinois"),
    (18, "IN", "Indiana"),
    (19, "IA", "Iowa"),
    (20, "KS", "Kansas"),
    (21, "KY", "Kentucky"),
    (22, "LA", "Louisiana"),
    (23, "ME", "Maine"),
    (24, "MD", "Maryland"),
    (25, "MA", "Massachusetts"),
    (26, "MI", "Michigan"),
    (27, "MN", "Minnesota"),
    (28, "MS", "Mississippi"),
    (29, "MO", "Missouri"),
    (30, "MT", "Montana"),
    (31, "NE", "Nebraska"),
    (32, "NV", "Nevada"),
    (33, "NH", "New Hampshire"),
    (34, "NJ", "New Jersey"),
    (35, "NM", "New Mexico"),
    (36, "NY", "New York"),
    (37, "NC", "North Carolina"),
    (38, "ND", "North Dakota"),
    (39, "OH", "Ohio"),
    (40, "OK", "Oklahoma"),
    (41, "OR", "Oregon"),
    (42, "PA", "Pennsylvania"),
    (44, "RI", "Rhode Island"),
    (45, "SC", "South Carolina"),
    (46, "SD", "South Dakota"),
    (47, "TN", "Tennessee"),
    (48, "TX", "Texas"),
    (49, "UT", "Utah"),
    (50, "VT", "Vermont"),
    (51, "VA", "Virginia"),
    (53, "WA", "Washington"),
    (54, "WV", "West Virginia"),
    (55, "WI", "Wisconsin"),
    (56, "WY", "Wyoming"),
    (60, "AS", "American Samoa"),
    (66, "GU", "Guam"),
    (69, "MP", "Northern Mariana Islands"),
    (72, "PR", "Puerto Rico"),
    (74, "UM", "United States Minor Outlying Islands"),
    (78, "VI", "United States Virgin Islands"),
];
