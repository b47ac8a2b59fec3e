//! Faults of regions that make their certificates invalid.

use crate::result::ResultCode;

/// A fault of a region \[1609.2 §6.4\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RegionFault {
    /// A list of rectangles, regions or subregions has no element.
    Empty,
    /// A corner or centre has the reserved value for an unknown coordinate.
    UnknownCoordinate,
    /// A corner or centre is beyond a pole, or more than half a turn away from the prime meridian.
    CoordinateOutOfRange,
    /// A circle has the radius 0.
    NoRadius,
    /// A rectangle's north-west corner lies south of its south-east corner.
    SwappedLatitudes,
    /// A rectangle's corners have one latitude.
    NoHeight,
    /// A rectangle's corners have one longitude.
    NoWidth,
    /// A polygon has one corner twice.
    RepeatedCorner,
    /// Sides of a polygon cross or touch each other.
    CrossingSides,
    /// A polygon reaches farther from its middle than is supported.
    PolygonTooLarge,
    /// More rectangles than are supported.
    TooManyRectangles,
    /// More corners of a polygon than are supported.
    TooManyCorners,
    /// More countries, regions and subregions than are supported.
    TooManyIdentified,
}

impl RegionFault {
    /// Returns the result code: a fault that no region may have is invalid input, and a region
    /// beyond the bounds of this implementation is not supported.
    #[must_use]
    pub fn code(self) -> ResultCode {
        match self {
            Self::PolygonTooLarge
            | Self::TooManyRectangles
            | Self::TooManyCorners
            | Self::TooManyIdentified => ResultCode::ParsingUnsupportedCriticalInformationField,
            _ => ResultCode::ParsingInvalidInput,
        }
    }

    /// Returns an explanation.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Self::Empty => "a list without an element",
            Self::UnknownCoordinate => "a corner or centre without a known place",
            Self::CoordinateOutOfRange => "a latitude or longitude out of range",
            Self::NoRadius => "a circle with the radius 0",
            Self::SwappedLatitudes => "a rectangle whose north-west corner is in the south",
            Self::NoHeight => "a rectangle whose corners have one latitude",
            Self::NoWidth => "a rectangle whose corners have one longitude",
            Self::RepeatedCorner => "a polygon that has one corner twice",
            Self::CrossingSides => "a polygon whose sides cross or touch",
            Self::PolygonTooLarge => {
                "a polygon that reaches farther than 80 degrees from its middle"
            }
            Self::TooManyRectangles => "more than 64 rectangles",
            Self::TooManyCorners => "more than 48 corners of a polygon",
            Self::TooManyIdentified => "more than 1,024 countries, regions and subregions",
        }
    }
}
