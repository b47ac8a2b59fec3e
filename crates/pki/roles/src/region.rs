//! Regions of validity of certificates.

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CircularRegion, CountryAndRegions, GeographicRegion, IdentifiedRegion, Latitude, Longitude,
    RectangularRegion, TwoDLocation, UnCountryId,
};

/// A point, in tenths of a microdegree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeographicPoint {
    /// North.
    pub latitude: i32,
    /// East.
    pub longitude: i32,
}

impl GeographicPoint {
    fn wire(self) -> TwoDLocation {
        TwoDLocation {
            latitude: Latitude(self.latitude),
            longitude: Longitude(self.longitude),
        }
    }
}

/// A region \[1609.2 §6.4.17\].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// Within so many metres of a place.
    Circle(GeographicPoint, u16),
    /// In one of these rectangles: the north-western and the south-eastern corner.
    Rectangles(Vec<(GeographicPoint, GeographicPoint)>),
    /// In the polygon with these corners.
    Polygon(Vec<GeographicPoint>),
    /// In one of these countries, or in these numbered regions of one; none: all of it.
    Countries(Vec<(u16, Vec<u8>)>),
}

impl Region {
    /// Hands the region to `use_it` in the form in which it is written; `None` for a polygon with
    /// fewer than three corners.
    pub(crate) fn with<R>(&self, use_it: impl FnOnce(GeographicRegion<'_>) -> R) -> Option<R> {
        match self {
            Self::Circle(center, radius) => {
                let (center, radius) = (center.wire(), *radius);
                Some(use_it(GeographicRegion::Circular(CircularRegion {
                    center,
                    radius,
                })))
            }
            Self::Rectangles(rectangles) => {
                let rectangles = rectangles.iter().map(|(north_west, south_east)| {
                    let (north_west, south_east) = (north_west.wire(), south_east.wire());
                    RectangularRegion {
                        north_west,
                        south_east,
                    }
                });
                let rectangles: Vec<_> = rectangles.collect();
                SequenceOf::new(&rectangles)
                    .map(GeographicRegion::Rectangular)
                    .map(use_it)
            }
            Self::Polygon(corners) => {
                let corners: Vec<_> = corners.iter().map(|corner| corner.wire()).collect();
                SequenceOf::new(&corners)
                    .map(GeographicRegion::Polygonal)
                    .map(use_it)
            }
            Self::Countries(countries) => {
                let countries = countries.iter().map(|(country, regions)| {
                    let country = UnCountryId(*country);
                    match SequenceOf::new(regions) {
                        Some(regions) if !regions.is_empty() => {
                            let own = CountryAndRegions { country, regions };
                            IdentifiedRegion::CountryAndRegions(own)
                        }
                        _ => IdentifiedRegion::CountryOnly(country),
                    }
                });
                let countries: Vec<_> = countries.collect();
                SequenceOf::new(&countries)
                    .map(GeographicRegion::Identified)
                    .map(use_it)
            }
        }
    }
}
