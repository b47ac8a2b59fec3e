//! Places and regions \[1609.2 §6.3, §6.4\].

use crate::coer::{SequenceOf, choice, number, sequence};

/// Latitude that means "not known", in tenths of a microdegree.
pub const LATITUDE_UNKNOWN: i32 = 900_000_001;
/// Longitude that means "not known", in tenths of a microdegree.
pub const LONGITUDE_UNKNOWN: i32 = 1_800_000_001;

number! {
    /// Latitude in 0.1 microdegrees, positive north, or [`LATITUDE_UNKNOWN`] \[1609.2 §6.3\].
    pub struct Latitude(i32) = "Latitude", in (-900_000_000..=LATITUDE_UNKNOWN);
    /// Longitude in 0.1 microdegrees, positive east, or [`LONGITUDE_UNKNOWN`] \[1609.2 §6.3\].
    pub struct Longitude(i32) = "Longitude", in (-1_799_999_999..=LONGITUDE_UNKNOWN);
    /// Decimetres above 409.6 m below the WGS 84 ellipsoid: -409.5 m is 1, 6,143.9 m is 65,535
    /// \[1609.2 §6.3\].
    pub struct Elevation(u16) = "Elevation";
    /// A country's number in the lists of the United Nations \[1609.2 §6.4\].
    pub struct UnCountryId(u16) = "UnCountryId";
}

impl Elevation {
    /// Value of a point on the ellipsoid.
    const ZERO: i32 = 4_096;

    /// Returns the elevation for decimetres above the ellipsoid; `None` below -4,095 and above
    /// 61,439.
    #[must_use]
    pub fn from_decimetres(above: i32) -> Option<Self> {
        let value = above.checked_add(Self::ZERO).filter(|&value| value > 0)?;
        u16::try_from(value).ok().map(Self)
    }

    /// Returns the height above the ellipsoid in decimetres: -4,096 to 61,439.
    #[must_use]
    pub fn decimetres(self) -> i32 {
        i32::from(self.0) - Self::ZERO
    }
}

sequence! {
    /// A point on the ellipsoid \[1609.2 §6.4\].
    pub struct TwoDLocation = "TwoDLocation" {
        /// Latitude of the point.
        required latitude: Latitude = "latitude";
        /// Longitude of the point.
        required longitude: Longitude = "longitude";
    }
}

sequence! {
    /// A point in space \[1609.2 §6.3\].
    pub struct ThreeDLocation = "ThreeDLocation" {
        /// Latitude of the point.
        required latitude: Latitude = "latitude";
        /// Longitude of the point.
        required longitude: Longitude = "longitude";
        /// Elevation of the point.
        required elevation: Elevation = "elevation";
    }
}

sequence! {
    /// A circle around a point \[1609.2 §6.4\].
    pub struct CircularRegion = "CircularRegion" {
        /// Centre of the circle.
        required center: TwoDLocation = "center";
        /// Radius in metres.
        required radius: u16 = "radius";
    }
}

sequence! {
    /// A rectangle between parallels and meridians \[1609.2 §6.4\].
    pub struct RectangularRegion = "RectangularRegion" {
        /// North-west corner.
        required north_west: TwoDLocation = "northWest";
        /// South-east corner.
        required south_east: TwoDLocation = "southEast";
    }
}

sequence! {
    /// Regions of a country \[1609.2 §6.4\].
    pub struct CountryAndRegions<'a> = "CountryAndRegions" {
        /// Number of the country.
        required country: UnCountryId = "countryOnly";
        /// Regions of the country.
        required regions: SequenceOf<'a, u8> = "regions";
    }
}

sequence! {
    /// Parts of a region \[1609.2 §6.4\].
    pub struct RegionAndSubregions<'a> = "RegionAndSubregions" {
        /// Number of the region.
        required region: u8 = "region";
        /// Parts of the region.
        required subregions: SequenceOf<'a, u16> = "subregions";
    }
}

sequence! {
    /// Parts of regions of a country \[1609.2 §6.4\].
    pub struct CountryAndSubregions<'a> = "CountryAndSubregions" {
        /// Number of the country.
        required country: UnCountryId = "countryOnly";
        /// Parts of its regions.
        required regions: SequenceOf<'a, RegionAndSubregions<'a>> = "regionAndSubregions";
    }
}

choice! {
    /// A region that has a number \[1609.2 §6.4\].
    pub enum IdentifiedRegion<'a> = "IdentifiedRegion", critical {
        /// A country.
        0 CountryOnly(UnCountryId) = "countryOnly";
        /// Regions of a country.
        1 CountryAndRegions(CountryAndRegions<'a>) = "countryAndRegions";
        /// Parts of regions of a country.
        2 CountryAndSubregions(CountryAndSubregions<'a>) = "countryAndSubregions";
    }
}

choice! {
    /// Region of validity \[1609.2 §6.4\].
    pub enum GeographicRegion<'a> = "GeographicRegion", critical {
        /// A circle.
        0 Circular(CircularRegion) = "circularRegion";
        /// One of these rectangles.
        1 Rectangular(SequenceOf<'a, RectangularRegion>) = "rectangularRegion";
        /// A polygon with these corners, the last one joined to the first.
        2 Polygonal(SequenceOf<'a, TwoDLocation, 3>) = "polygonalRegion";
        /// One of these countries or regions.
        3 Identified(SequenceOf<'a, IdentifiedRegion<'a>>) = "identifiedRegion";
    }
}
