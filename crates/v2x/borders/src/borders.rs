//! The seam `Borders`, over a set of boundaries.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use country_boundaries::{BOUNDARIES_ODBL_180X90, BoundingBox, CountryBoundaries};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_wire::ieee1609dot2::{RectangularRegion, TwoDLocation, UnCountryId};

use crate::areas::{Containment, containment};
use crate::countries::{self, alpha2_of};
use crate::samples::{around, bounds};
use crate::states::{UnitedState, state_of};
use crate::{UNITED_STATES, name_of};

/// Default tolerance: a place this many metres outside of a border still counts as inside. The
/// set's borders are simplified: of 234,908 towns that GeoNames lists, 57 are on the wrong side of
/// a border that is not disputed, 37 of these by less than this.
pub const TOLERANCE: u32 = 1_000;
/// Maximum tolerance, in metres.
pub const TOLERANCE_MAX: u32 = 20_000;

/// Maximum extent of a rectangle that is tested for cover by a country, in degrees: some hundred
/// cells.
const COVERED_MAX: f64 = 20.0;

/// Knows the borders of countries, of areas of countries and of the United States' states.
#[derive(Debug)]
pub struct CountryBorders {
    containment: Containment,
    tolerance: u32,
    /// Set of boundaries, read at the first question, as most programs ask none. `None` if it
    /// cannot be read.
    set: OnceLock<Option<BoundarySet>>,
}

impl Default for CountryBorders {
    fn default() -> Self {
        Self::new()
    }
}

impl CountryBorders {
    /// Creates borders from OpenStreetMap's boundaries as they were when the set was made.
    #[must_use]
    pub fn new() -> Self {
        Self {
            containment: containment(),
            tolerance: TOLERANCE,
            set: OnceLock::new(),
        }
    }

    /// Counts places up to `metres` outside of a border as inside; at most [`TOLERANCE_MAX`].
    #[must_use]
    pub fn with_tolerance(mut self, metres: u32) -> Self {
        self.tolerance = metres.min(TOLERANCE_MAX);
        self
    }

    fn set(&self) -> Option<&BoundarySet> {
        self.set.get_or_init(BoundarySet::read).as_ref()
    }

    /// Returns true if a place with these areas is in the wanted region, as far as that has
    /// borders.
    fn is_met(&self, set: &BoundarySet, wanted: &Wanted, ids: &[&str]) -> bool {
        match wanted.state {
            Some(state) => ids.iter().any(|id| is_of_state(id, state)),
            None => {
                let mut here = set.countries_in(ids);
                here.any(|inner| self.covers(wanted.country, inner))
            }
        }
    }

    /// Returns true if a cell of the set within the tolerance has an area of the wanted region;
    /// otherwise no place there is in it.
    fn is_near(&self, set: &BoundarySet, wanted: &Wanted, place: &TwoDLocation) -> bool {
        let Some(bounds) = bounds(place, self.tolerance) else {
            return true;
        };
        let ids = set.boundaries.intersecting_ids(bounds);
        ids.iter().any(|id| match wanted.state {
            Some(state) => is_of_state(id, state),
            None => {
                let inner = set.number_of(id);
                inner.is_some_and(|inner| self.covers(wanted.country, inner))
            }
        })
    }

    /// Returns true if `outer` contains `inner`, or is the same.
    fn covers(&self, outer: UnCountryId, inner: UnCountryId) -> bool {
        inner == outer || self.areas_around(inner).contains(&outer)
    }
}

impl Borders for CountryBorders {
    /// Yes if the place or one within the tolerance is inside. Unknown for a number that the tables
    /// or the set do not have, for a place that is in no country of the set (the sea), and for a
    /// region without borders, unless the place is outside of what contains that region.
    fn contains(
        &self,
        country: UnCountryId,
        region: Option<u8>,
        part: Option<u16>,
        place: &TwoDLocation,
    ) -> Option<bool> {
        let set = self.set()?;
        if alpha2_of(country).is_some_and(|code| !set.numbers.contains_key(code)) {
            return None;
        }
        name_of(country)?;
        let wanted = Wanted::new(country, region, part);
        let (mut is_on_land, mut is_unknown) = (false, false);
        let mut is_near = None;
        for sample in around(place, self.tolerance) {
            let ids = set.boundaries.ids(sample);
            is_on_land |= set.countries_in(&ids).next().is_some();
            match (self.is_met(set, &wanted, &ids), wanted.has_borders) {
                (true, true) => return Some(true),
                (true, false) => is_unknown = true,
                (false, _) => {}
            }
            // Far from what is asked for, the place itself is enough.
            if !*is_near.get_or_insert_with(|| self.is_near(set, &wanted, place)) {
                break;
            }
        }
        (is_on_land && !is_unknown).then_some(false)
    }

    /// Yes if every cell of the set that the rectangle meets is wholly inside; cells have two
    /// degrees. So a rectangle within a cell of a border is refused, although it may be inside.
    fn covers(
        &self,
        country: UnCountryId,
        region: Option<u8>,
        part: Option<u16>,
        rectangle: &RectangularRegion,
    ) -> bool {
        let (Some(set), Some(bounds)) = (self.set(), bounds_of(rectangle)) else {
            return false;
        };
        let wanted = Wanted::new(country, region, part);
        let inside: Vec<&str> = set.boundaries.containing_ids(bounds).into_iter().collect();
        // A territory in a part of the rectangle is not in the country that it belongs to.
        let met = set.boundaries.intersecting_ids(bounds);
        let met: Vec<&str> = met.into_iter().collect();
        let inside: Vec<&str> = inside
            .into_iter()
            .filter(|id| !owns_one(id, &met))
            .collect();
        wanted.has_borders && self.is_met(set, &wanted, &inside)
    }

    fn areas_around(&self, country: UnCountryId) -> &[UnCountryId] {
        self.containment.get(&country.0).map_or(&[], |all| all)
    }
}

/// Country or region that a place is looked up in.
struct Wanted {
    country: UnCountryId,
    /// State of the United States, if the region is one.
    state: Option<UnitedState>,
    /// True if the set has the borders of the whole request: country, region and part.
    has_borders: bool,
}

impl Wanted {
    fn new(country: UnCountryId, region: Option<u8>, part: Option<u16>) -> Self {
        let state = region
            .filter(|_| country == UNITED_STATES)
            .and_then(state_of);
        Self {
            country,
            state,
            // Neither counties nor other countries' regions have borders.
            has_borders: part.is_none() && (region.is_none() || state.is_some()),
        }
    }
}

/// The box of a rectangle; `None` for one that is larger than [`COVERED_MAX`] in a direction.
fn bounds_of(rectangle: &RectangularRegion) -> Option<BoundingBox> {
    let degrees = |units: i32| f64::from(units) * 1e-7;
    let (north_west, south_east) = (&rectangle.north_west, &rectangle.south_east);
    let (north, west) = (
        degrees(north_west.latitude.0),
        degrees(north_west.longitude.0),
    );
    let (south, east) = (
        degrees(south_east.latitude.0),
        degrees(south_east.longitude.0),
    );
    let is_small = north - south <= COVERED_MAX && (east - west).rem_euclid(360.0) <= COVERED_MAX;
    is_small.then(|| BoundingBox::new(south, west, north, east).ok())?
}

/// Returns true if an area of the set is a state.
fn is_of_state(id: &str, state: UnitedState) -> bool {
    match state.is_territory {
        true => id == state.code,
        false => id.strip_prefix("US-") == Some(state.code),
    }
}

/// Boundaries, and the countries that have any.
#[derive(Debug)]
struct BoundarySet {
    boundaries: CountryBoundaries,
    /// Country numbers by ISO 3166-1 alpha-2 code.
    numbers: BTreeMap<&'static str, UnCountryId>,
}

impl BoundarySet {
    /// The middle one of three files with the same borders: cells of two degrees. Those of six make
    /// a question ten times as long, those of one take 6 MB more memory.
    fn read() -> Option<Self> {
        let boundaries = CountryBoundaries::from_reader(BOUNDARIES_ODBL_180X90).ok()?;
        // To 180 degrees would be to -180, and one column of cells.
        let world = BoundingBox::new(-90.0, -180.0, 90.0, 179.999).ok()?;
        let ids = boundaries.intersecting_ids(world);
        let all = countries::all().filter(|country| ids.contains(country.alpha2));
        let numbers = all.map(|country| (country.alpha2, country.number));
        let numbers = numbers.collect();
        Some(Self {
            boundaries,
            numbers,
        })
    }

    /// The countries of a place, of which the set gives the areas. A territory that has a number of
    /// its own is not in the country that it belongs to, though the set says so.
    fn countries_in<'s>(&'s self, ids: &'s [&'s str]) -> impl Iterator<Item = UnCountryId> + 's {
        let innermost = ids.iter().copied().filter(move |id| !owns_one(id, ids));
        innermost.filter_map(|id| self.number_of(id))
    }

    /// The country that an area of the set counts for: its own, or the one that claims it.
    fn number_of(&self, id: &str) -> Option<UnCountryId> {
        let claimed = CLAIMED.iter().find(|(area, _)| *area == id);
        let code = claimed.map_or(id, |(_, country)| *country);
        self.numbers.get(code).copied()
    }
}

/// Returns true if one of these areas is a territory of a country.
fn owns_one(owner: &str, ids: &[&str]) -> bool {
    let mut all = DEPENDENCIES.iter().filter(|(own, _)| *own == owner);
    all.any(|(_, territories)| ids.iter().any(|id| territories.contains(id)))
}

/// Countries, and the territories that the set has in them. Not those of the United States, which
/// are in both.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("AU", &["CC", "CX", "HM", "NF"]),
    ("CN", &["HK", "MO"]),
    ("DK", &["FO", "GL"]),
    ("FI", &["AX"]),
    (
        "FR",
        &[
            "BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "TF", "WF", "YT",
        ],
    ),
    (
        "GB",
        &[
            "AI", "BM", "FK", "GG", "GI", "GS", "IM", "IO", "JE", "KY", "MS", "PN", "SH", "TC",
            "VG",
        ],
    ),
    ("NL", &["AW", "BQ", "CW", "SX"]),
    ("NO", &["BV", "SJ"]),
    ("NZ", &["CK", "NU", "TK"]),
];

/// Areas of the set that have their own country's code, and that it puts into another country:
/// they count as of both, as the set's maker does not decide for a receiver.
const CLAIMED: &[(&str, &str)] = &[("UA-40", "UA"), ("UA-43", "UA")];
