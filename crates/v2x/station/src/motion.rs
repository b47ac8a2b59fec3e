//! Position and motion of a vehicle, and its kind.

use waywarden_v2x_security::region::{self, Accuracy};
use waywarden_v2x_wire::ieee1609dot2::{ThreeDLocation, Time64, TwoDLocation};

/// Position and motion of a vehicle at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The time at which all of it holds: the reference time of messages. What was measured earlier
    /// is extrapolated to it.
    pub time: Time64,
    /// The place.
    pub location: ThreeDLocation,
    /// Heading, in tenths of a degree from north to the east, below 3,600.
    pub heading_decidegrees: Option<u16>,
    /// Speed, in cm/s, never negative.
    pub speed_cm_s: Option<u16>,
    /// True if it goes backwards.
    pub is_reversing: bool,
    /// Acceleration forwards, in cm/s².
    pub acceleration_cm_s2: Option<i16>,
    /// Turn to the left, in hundredths of a degree a second.
    pub yaw_rate_centidegrees_s: Option<i16>,
    /// Errors of the above.
    pub accuracy: Accuracy,
}

impl Motion {
    /// A vehicle at a place of which no more is known.
    #[must_use]
    pub fn at(location: ThreeDLocation, time: Time64) -> Self {
        Self {
            time,
            location,
            heading_decidegrees: None,
            speed_cm_s: None,
            is_reversing: false,
            acceleration_cm_s2: None,
            yaw_rate_centidegrees_s: None,
            accuracy: Accuracy::default(),
        }
    }

    /// Returns the distance to another place, in metres over ground.
    #[must_use]
    pub fn distance_m(&self, other: &Self) -> f64 {
        let over_ground = |motion: &Self| TwoDLocation {
            latitude: motion.location.latitude,
            longitude: motion.location.longitude,
        };
        region::distance(&over_ground(self), &over_ground(other))
    }

    /// Returns by how much two headings differ, in tenths of a degree up to 1,800; `None` where one
    /// is not known.
    pub(crate) fn turned_decidegrees(&self, other: &Self) -> Option<u16> {
        let (one, other) = (self.heading_decidegrees?, other.heading_decidegrees?);
        let turned = one.abs_diff(other) % 3_600;
        Some(turned.min(3_600 - turned))
    }
}

/// Type and size of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VehicleType {
    /// The number of its kind \[TS 102 894-2\]: 5 a passenger car, 15 a roadside unit.
    pub station_type: u8,
    /// Length in cm.
    pub length_cm: Option<u16>,
    /// Width in cm.
    pub width_cm: Option<u16>,
}

impl VehicleType {
    /// A car of a usual size.
    pub const CAR: Self = Self {
        station_type: 5,
        length_cm: Some(450),
        width_cm: Some(180),
    };

    /// A roadside unit.
    pub const ROADSIDE_UNIT: Self = Self {
        station_type: 15,
        length_cm: None,
        width_cm: None,
    };
}
