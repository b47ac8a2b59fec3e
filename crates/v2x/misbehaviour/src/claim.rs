//! The claims of messages, who makes them, and who hears them.

/// Name of a sender: the first eight bytes that identify its certificate, or any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SenderId(pub u64);

impl From<[u8; 8]> for SenderId {
    fn from(hashed_id: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(hashed_id))
    }
}

impl From<u64> for SenderId {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

/// The claims of a message about its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Claim {
    /// Time of reception, by the receiver's clock.
    pub received_us: u64,
    /// Time of generation that the message states.
    pub generated_us: u64,
    /// Position to the east.
    pub x_m: f64,
    /// Position to the north.
    pub y_m: f64,
    /// Uncertainty of the position that the message states.
    pub position_confidence_m: Option<f64>,
    /// Speed, negative in reverse.
    pub speed_m_s: Option<f64>,
    /// Longitudinal acceleration, negative for braking.
    pub acceleration_m_s2: Option<f64>,
    /// Heading, clockwise from the north.
    pub heading_degrees: Option<f64>,
    /// Yaw rate, positive clockwise.
    pub yaw_rate_degrees_s: Option<f64>,
    /// Vehicle length.
    pub length_m: Option<f64>,
    /// Vehicle width.
    pub width_m: Option<f64>,
}

/// The receiver of the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Observer {
    /// Position to the east, in the plane of the claims.
    pub x_m: f64,
    /// Position to the north.
    pub y_m: f64,
}

/// A map of the roads, if the observer has one.
pub trait RoadMap {
    /// Returns how far a position lies outside of the nearest road; 0 or less on a road, `None`
    /// where the map knows no roads.
    fn off_road_m(&self, x_m: f64, y_m: f64) -> Option<f64>;
}

/// The map of an observer without a map.
impl RoadMap for () {
    fn off_road_m(&self, _: f64, _: f64) -> Option<f64> {
        None
    }
}

impl Claim {
    /// Returns the velocity to the east and to the north, if the claim has speed and heading.
    pub(crate) fn velocity(&self) -> Option<(f64, f64)> {
        let (speed, heading) = (self.speed_m_s?, self.heading_degrees?.to_radians());
        Some((speed * libm::sin(heading), speed * libm::cos(heading)))
    }

    /// Returns the time between the generation of an earlier claim and of this one, in seconds.
    pub(crate) fn seconds_since(&self, earlier: &Self) -> f64 {
        seconds_between(earlier.generated_us, self.generated_us)
    }
}

/// Returns the signed time from `start_us` to `end_us`, in seconds.
pub(crate) fn seconds_between(start_us: u64, end_us: u64) -> f64 {
    let magnitude = end_us.abs_diff(start_us) as f64 * 1e-6;
    if end_us < start_us {
        -magnitude
    } else {
        magnitude
    }
}
