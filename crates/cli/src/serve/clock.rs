//! The service's source of time, as the configuration names it.

use std::sync::Arc;

use waywarden_v2x_service::config::{FixedPosition, TimeSection, TimeSourceName};
use waywarden_v2x_service::time::{Position, Reading, TimeSource};
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation};

use crate::exit::Failure;
use crate::v2x::time;

/// Makes the source of time.
pub(super) fn source(settings: &TimeSection) -> Result<Arc<dyn TimeSource>, Failure> {
    let is_unsupported = settings.synchronized_file.is_some() || settings.leap_seconds.is_some();
    if is_unsupported || settings.require_leap_seconds {
        return Err(Failure::new(
            "[time]: this build has no synchronized_file, leap_seconds and require_leap_seconds; \
             leave them out",
        ));
    }
    match settings.source {
        TimeSourceName::System => Ok(Arc::new(SystemClock {
            position: settings.position.map(position),
        })),
        TimeSourceName::Gpsd => Err(Failure::new(
            "[time] source: this build has no gpsd client; give \"system\"",
        )),
    }
}

/// The system's clock, and a position that does not change.
struct SystemClock {
    position: Option<Position>,
}

impl TimeSource for SystemClock {
    fn read(&self) -> Reading {
        Reading {
            time: time::now(),
            distrust: None,
            position: self.position,
        }
    }
}

fn position(fixed: FixedPosition) -> Position {
    // The configuration has checked the ranges.
    let tenths_of_microdegrees = |degrees: f64| (degrees * 1e7).round() as i32;
    let elevation = Elevation::from_decimetres((fixed.elevation * 10.0).round() as i32);
    Position {
        location: ThreeDLocation {
            latitude: Latitude(tenths_of_microdegrees(fixed.latitude)),
            longitude: Longitude(tenths_of_microdegrees(fixed.longitude)),
            elevation: elevation.unwrap_or(Elevation(0)),
        },
        heading: None,
        speed: None,
    }
}
