//! Motion of vehicles as their stations know it.

use waywarden_traffic_lab::VehicleMotion;
use waywarden_traffic_lab::radio::PlanePoint;
use waywarden_v2x_security::region::{Accuracy, ErrorEllipse};
use waywarden_v2x_station::Motion;
use waywarden_v2x_station::content::MessageContent;
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};
use waywarden_vehicle_tracks::PlaneOrigin;

use crate::kinematics::Kinematics;

/// Begin of each run, in microseconds of the standard's time: 2026, when certificates of the
/// laboratory are valid.
pub(crate) const BEGIN_US: u64 = 700_000_000_000_000;

/// Returns a time of the run as stations know it.
#[must_use]
pub fn time(time_ns: u64) -> Time64 {
    Time64(BEGIN_US + time_ns / 1_000)
}

/// The plane of a run on the earth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plane {
    /// Place of the first vehicle: networks may have their origin far away.
    first: Option<PlanePoint>,
}

impl Plane {
    /// Geographic position of the first vehicle; any place will do.
    const ORIGIN: PlaneOrigin = PlaneOrigin {
        latitude: 44.6,
        longitude: 10.9,
    };

    /// Takes a vehicle's place as that of the origin, if it is the first one.
    pub(crate) fn begin(&mut self, place: PlanePoint) {
        self.first.get_or_insert(place);
    }

    /// Returns where a vehicle is now, in metres.
    #[must_use]
    pub fn place(vehicle: &VehicleMotion, time_ns: u64) -> PlanePoint {
        Kinematics::after(vehicle, time_ns).place
    }

    /// Returns the motion of a vehicle at a place now.
    pub fn motion(&mut self, vehicle: &VehicleMotion, place: &PlanePoint, time_ns: u64) -> Motion {
        self.begin(vehicle.place);
        let there = Kinematics {
            place: *place,
            ..Kinematics::after(vehicle, time_ns)
        };
        self.motion_of(&there, 0.0, time_ns)
    }

    /// Returns the motion of a vehicle for its messages. `error_m` is the standard deviation of its
    /// position.
    pub(crate) fn motion_of(&self, vehicle: &Kinematics, error_m: f64, time_ns: u64) -> Motion {
        let place = &vehicle.place;
        let first = self.first.unwrap_or(*place);
        let (latitude, longitude) =
            Self::ORIGIN.degrees(place.x_m - first.x_m, place.y_m - first.y_m);
        let location = ThreeDLocation {
            latitude: Latitude((latitude * 1e7).round() as i32),
            longitude: Longitude((longitude * 1e7).round() as i32),
            elevation: Elevation(4_096),
        };
        let heading = vehicle.heading_degrees;
        let heading = heading.map(|degrees| degrees.rem_euclid(360.0));
        let speed = vehicle.speed_m_s;
        // Conversions saturate.
        let hundredths = |number: f64| (number * 100.0).round() as i16;
        Motion {
            heading_decidegrees: heading.map(|degrees| (degrees * 10.0) as u16 % 3_600),
            speed_cm_s: speed.map(|speed| (speed.abs() * 100.0).round() as u16),
            is_reversing: speed.is_some_and(|speed| speed < 0.0),
            acceleration_cm_s2: vehicle.acceleration_m_s2.map(hundredths),
            yaw_rate_centidegrees_s: vehicle.turn_degrees_s.map(|right| hundredths(-right)),
            accuracy: accuracy(error_m),
            ..Motion::at(location, time(time_ns))
        }
    }

    /// Returns what a message claims.
    pub(crate) fn claimed(&self, content: &MessageContent) -> Option<Kinematics> {
        let (first, place) = (self.first?, content.place?);
        let degrees = |tenth_of_microdegrees: i32| f64::from(tenth_of_microdegrees) / 1e7;
        let (x_m, y_m) = Self::ORIGIN.metres(degrees(place.latitude.0), degrees(place.longitude.0));
        Some(Kinematics {
            place: PlanePoint {
                x_m: first.x_m + x_m,
                y_m: first.y_m + y_m,
            },
            heading_degrees: content.heading_decidegrees.map(|one| f64::from(one) / 10.0),
            speed_m_s: content.speed_cm_s.map(|one| f64::from(one) / 100.0),
            acceleration_m_s2: content.acceleration_cm_s2.map(|one| f64::from(one) / 100.0),
            turn_degrees_s: content
                .yaw_rate_centidegrees_s
                .map(|left| -f64::from(left) / 100.0),
        })
    }
}

/// Returns the accuracy that a station gives for a standard deviation along each axis. Nothing is
/// known of one that is 0.
fn accuracy(error_m: f64) -> Accuracy {
    // 95 of 100 places lie within this many standard deviations in two dimensions.
    let half_axis_cm = (error_m * 2.448 * 100.0).ceil() as u32;
    Accuracy {
        ellipse: (error_m > 0.0).then_some(ErrorEllipse {
            semi_major_cm: half_axis_cm,
            semi_minor_cm: half_axis_cm,
            orientation_decidegrees: 0,
        }),
        ..Accuracy::default()
    }
}
