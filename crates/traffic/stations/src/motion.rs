//! Motion of vehicles as their stations know it.

use waywarden_traffic_lab::VehicleMotion;
use waywarden_traffic_lab::radio::PlanePoint;
use waywarden_v2x_station::Motion;
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};
use waywarden_vehicle_tracks::PlaneOrigin;

/// Begin of each run, in microseconds of the standard's time: 2026, when certificates of the
/// laboratory are valid.
pub(crate) const BEGIN_US: u64 = 700_000_000_000_000;

/// A vehicle moves on for at most this time from its step, in ns.
const MOVE_ON_MOST_NS: u64 = 1_000_000_000;

/// Returns a time of the run as stations know it.
pub(crate) fn time(time_ns: u64) -> Time64 {
    Time64(BEGIN_US + time_ns / 1_000)
}

/// The plane of a run on the earth.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plane {
    /// Place of the first vehicle: networks may have their origin far away.
    first: Option<PlanePoint>,
}

impl Plane {
    /// Geographic position of the first vehicle; any place will do.
    const ORIGIN: PlaneOrigin = PlaneOrigin {
        latitude: 44.6,
        longitude: 10.9,
    };

    /// Returns where a vehicle is now, in metres.
    pub(crate) fn place(vehicle: &VehicleMotion, time_ns: u64) -> PlanePoint {
        let passed = time_ns.saturating_sub(vehicle.at_ns).min(MOVE_ON_MOST_NS) as f64 / 1e9;
        let moved = vehicle.speed_m_s.unwrap_or(0.0) * passed;
        let (sine, cosine) = vehicle
            .heading_degrees
            .map_or((0.0, 0.0), |degrees| degrees.to_radians().sin_cos());
        PlanePoint {
            x_m: vehicle.place.x_m + moved * sine,
            y_m: vehicle.place.y_m + moved * cosine,
        }
    }

    /// Returns the motion of a vehicle at a place now.
    pub(crate) fn motion(
        &mut self,
        vehicle: &VehicleMotion,
        place: &PlanePoint,
        time_ns: u64,
    ) -> Motion {
        let first = *self.first.get_or_insert(vehicle.place);
        let (latitude, longitude) =
            Self::ORIGIN.degrees(place.x_m - first.x_m, place.y_m - first.y_m);
        let location = ThreeDLocation {
            latitude: Latitude((latitude * 1e7).round() as i32),
            longitude: Longitude((longitude * 1e7).round() as i32),
            elevation: Elevation(4_096),
        };
        let heading = vehicle
            .heading_degrees
            .map(|degrees| degrees.rem_euclid(360.0));
        Motion {
            heading_decidegrees: heading.map(|degrees| (degrees * 10.0) as u16 % 3_600),
            speed_cm_s: vehicle
                .speed_m_s
                .map(|speed| (speed.abs() * 100.0).round() as u16),
            is_reversing: vehicle.speed_m_s.is_some_and(|speed| speed < 0.0),
            ..Motion::at(location, time(time_ns))
        }
    }
}
