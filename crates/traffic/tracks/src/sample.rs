//! Sample of a vehicle's position.

/// Position and motion of a vehicle at one time, as a file has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The time in seconds, from a zero that is the file's own.
    pub time_s: f64,
    /// Degrees to the north, -90 to 90.
    pub latitude: f64,
    /// Degrees to the east, -180 to 180.
    pub longitude: f64,
    /// Metres above sea.
    pub altitude_m: Option<f64>,
    /// Metres a second, 0 or more.
    pub speed_m_s: Option<f64>,
    /// Degrees from north to the east, 0 to below 360.
    pub heading_degrees: Option<f64>,
}
