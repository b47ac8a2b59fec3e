//! Regions of certificates \[1609.2 §6.4\]: validity of a region, containment of a place, and
//! containment of one region in another.
//!
//! Positions are taken as points of a sphere: the sides of polygons are arcs of great circles,
//! which differ from the ellipsoid's geodesics by metres in a hundred kilometres. Distances are
//! those of the sphere that fits the ellipsoid at the place, true to a thousandth up to the 65 km
//! that a circle may have.

mod accuracy;
mod ahead;
mod circle;
mod fault;
mod identified;
mod plane;
mod polygon;
mod rectangle;
mod sphere;
mod within;

use waywarden_v2x_wire::ieee1609dot2::{
    GeographicRegion, IdentifiedRegion, RectangularRegion, TwoDLocation, UnCountryId,
};

pub use accuracy::{Accuracy, ErrorEllipse};
pub use ahead::{ahead, bearing};
use circle::in_circle;
pub use fault::RegionFault;
use polygon::in_polygon;
use rectangle::in_rectangle;
pub use sphere::{
    Vector, distance, dot, geocentric, is_known, is_place, minus, norm, north_and_east,
};
pub(crate) use within::{check_region, is_within};

/// Knows the borders of countries.
pub trait Borders {
    /// Returns true if a place is in a country, one of its regions, or one of that region's parts;
    /// `None` if this border is not known, which refuses the message. A place that is too near to
    /// the border to be told apart has to count as inside.
    fn contains(
        &self,
        country: UnCountryId,
        region: Option<u8>,
        part: Option<u16>,
        place: &TwoDLocation,
    ) -> Option<bool>;

    /// Names the larger areas that contain all of a country or area, such as 150, Europe, for 276,
    /// Germany. A certificate for the one may stand under an issuer for the other. At most a dozen,
    /// as each is looked up. The area contains every place that the country does.
    fn areas_around(&self, _country: UnCountryId) -> &[UnCountryId] {
        &[]
    }

    /// Returns true if all of a rectangle is certainly in a country, one of its regions, or one of
    /// that region's parts; false also if that is not known. A certificate for a place in the
    /// rectangle may then stand under an issuer for the country.
    fn covers(
        &self,
        _country: UnCountryId,
        _region: Option<u8>,
        _part: Option<u16>,
        _rectangle: &RectangularRegion,
    ) -> bool {
        false
    }
}

/// Knows no border.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBorders;

impl Borders for NoBorders {
    fn contains(
        &self,
        _: UnCountryId,
        _: Option<u8>,
        _: Option<u16>,
        _: &TwoDLocation,
    ) -> Option<bool> {
        None
    }
}

/// Returns true if a place is in a region; `None` if that depends on unknown borders. An unknown
/// place is in no region; an invalid part of a region contains no place.
pub fn contains(
    region: &GeographicRegion<'_>,
    place: &TwoDLocation,
    borders: &dyn Borders,
) -> Option<bool> {
    if !is_known(place) {
        return Some(false);
    }
    match region {
        GeographicRegion::Circular(circle) => Some(in_circle(circle, place)),
        GeographicRegion::Rectangular(rectangles) => {
            let mut rectangles = rectangles.iter().flatten();
            Some(rectangles.any(|one| in_rectangle(&one, place)))
        }
        GeographicRegion::Polygonal(corners) => Some(in_polygon(corners, place)),
        GeographicRegion::Identified(regions) => {
            let answers = regions.iter().flatten();
            let answers = answers.map(|one| in_identified(&one, place, borders));
            any(answers)
        }
    }
}

/// Some answer is yes; or none is known to be; or all are no.
fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(false);
    for answer in answers {
        match answer {
            Some(true) => return Some(true),
            Some(false) => {}
            None => all = None,
        }
    }
    all
}

fn in_identified(
    region: &IdentifiedRegion<'_>,
    place: &TwoDLocation,
    borders: &dyn Borders,
) -> Option<bool> {
    match region {
        IdentifiedRegion::CountryOnly(country) => borders.contains(*country, None, None, place),
        IdentifiedRegion::CountryAndRegions(own) => {
            let regions = own.regions.iter().flatten();
            any(regions.map(|region| borders.contains(own.country, Some(region), None, place)))
        }
        IdentifiedRegion::CountryAndSubregions(own) => {
            let regions = own.regions.iter().flatten();
            any(regions.map(|region| {
                let parts = region.subregions.iter().flatten();
                any(parts.map(|part| {
                    borders.contains(own.country, Some(region.region), Some(part), place)
                }))
            }))
        }
    }
}

#[cfg(test)]
mod tests;
