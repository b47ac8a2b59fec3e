//! Places and regions \[1609.2 §6.3, §6.4\].

use crate::coer::{SequenceOf, choice, number, sequence};

/// The latitude that says that none is known, in tenths of a microdegree.
pub const LATITUDE_UNKNOWN: i32 = 900_000_001;
/// The longitude that says that none is known, in tenths of a microdegree.
pub const LONGITUDE_UNKNOWN: i32 = 1_800_000_001;

number! {
    /// Tenths of a microdegree north, or [`LATITUDE_UNKNOWN`] \[1609.2 §6.3\].
    pub struct Latitude(i32) = "Latitude", in (-900_000_000..=LATITUDE_UNKNOWN);
    /// Tenths of a microdegree east, or [`LONGITUDE_UNKNOWN`] \[1609.2 §6.3\].
    pub struct Longitude(i32) = "Longitude", in (-1_799_999_999..=LONGITUDE_UNKNOWN);
    /// Decimetres above 409.6 m below the WGS 84 ellipsoid: -409.5 m is 1, 6,143.9 m is 65,535
    /// \[1609.2 §6.3\].
    pub struct Elevation(u16) = "Elevation";
    /// A country's number in the lists of the United Nations \[1609.2 §6.4\].
    pub struct UnCountryId(u16) = "UnCountryId";
}

impl Elevation {
    /// The value of a point on the ellipsoid.
    const ZERO: i32 = 4_096;

    /// Returns the value of so many decimetres above the ellipsoid; `None` below -4,095 and above
    /// 61,439.
    #[must_use]
    pub fn from_decimetres(above: i32) -> Option<Self> {
        let value = above.checked_add(Self::ZERO).filter(|&value| value > 0)?;
        u16::try_from(value).ok().map(Self)
    }

    /// Returns how many decimetres it is above the ellipsoid: -4,096 to 61,439.
    #[must_use]
    pub fn decimetres(self) -> i32 {
        i32::from(self.0) - Self::ZERO
    }
}

sequence! {
    /// A point on the ellipsoid \[1609.2 §6.4\].
    pub struct TwoDLocation = "TwoDLocation" {
        /// North.
        required latitude: Latitude = "latitude";
        /// East.
        required longitude: Longitude = "longitude";
    }
}

sequence! {
    /// A point in space \[1609.2 §6.3\].
    pub struct ThreeDLocation = "ThreeDLocation" {
        /// North.
        required latitude: Latitude = "latitude";
        /// East.
        required longitude: Longitude = "longitude";
        /// Up.
        required elevation: Elevation = "elevation";
    }
}

sequence! {
    /// What lies within a distance \[1609.2 §6.4\].
    pub struct CircularRegion = "CircularRegion" {
        /// Of this point.
        required center: TwoDLocation = "center";
        /// In metres.
        required radius: u16 = "radius";
    }
}

sequence! {
    /// A rectangle between parallels and meridians \[1609.2 §6.4\].
    pub struct RectangularRegion = "RectangularRegion" {
        /// One corner.
        required north_west: TwoDLocation = "northWest";
        /// The other one.
        required south_east: TwoDLocation = "southEast";
    }
}

sequence! {
    /// Regions of a country \[1609.2 §6.4\].
    pub struct CountryAndRegions<'a> = "CountryAndRegions" {
        /// The country.
        required country: UnCountryId = "countryOnly";
        /// Its regions.
        required regions: SequenceOf<'a, u8> = "regions";
    }
}

sequence! {
    /// Parts of a region \[1609.2 §6.4\].
    pub struct RegionAndSubregions<'a> = "RegionAndSubregions" {
        /// The region.
        required region: u8 = "region";
        /// Its parts.
        required subregions: SequenceOf<'a, u16> = "subregions";
    }
}

sequence! {
    /// Parts of regions of a country \[1609.2 §6.4\].
    pub struct CountryAndSubregions<'a> = "CountryAndSubregions" {
        /// The country.
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
        /// Regions of it.
        1 CountryAndRegions(CountryAndRegions<'a>) = "countryAndRegions";
        /// Parts of regions of it.
        2 CountryAndSubregions(CountryAndSubregions<'a>) = "countryAndSubregions";
    }
}

choice! {
    /// Where something is valid \[1609.2 §6.4\].
    pub enum GeographicRegion<'a> = "GeographicRegion", critical {
        /// In a circle.
        0 Circular(CircularRegion) = "circularRegion";
        /// In one of these rectangles.
        1 Rectangular(SequenceOf<'a, RectangularRegion>) = "rectangularRegion";
        /// In a polygon with these corners, the last one joined to the first.
        2 Polygonal(SequenceOf<'a, TwoDLocation, 3>) = "polygonalRegion";
        /// In one of these.
        3 Identified(SequenceOf<'a, IdentifiedRegion<'a>>) = "identifiedRegion";
    }
}
