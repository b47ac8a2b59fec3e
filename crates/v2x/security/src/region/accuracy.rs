//! The errors of a position.

/// An ellipse around a place that contains the true one in 95 of 100 cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorEllipse {
    /// Longer half axis, in centimetres.
    pub semi_major_cm: u32,
    /// Shorter half axis, in centimetres.
    pub semi_minor_cm: u32,
    /// Direction of the longer axis in tenths of a degree from north to the east, below 1,800.
    pub orientation_decidegrees: u16,
}

/// The errors of a position, which are not exceeded in 95 of 100 cases; `None`: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Of the place over ground.
    pub ellipse: Option<ErrorEllipse>,
    /// Of the elevation, in centimetres.
    pub elevation_cm: Option<u32>,
    /// Of the speed, in centimetres a second.
    pub speed_cm_s: Option<u32>,
    /// Of the heading, in tenths of a degree.
    pub heading_decidegrees: Option<u32>,
}
