//! Reports of a receiver, and the plausible range of their numbers.

mod errors;

use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation};

pub(crate) use errors::Errors;
pub use errors::FixErrors;

/// Dimensions of a receiver's fix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum FixMode {
    /// No fix.
    #[default]
    None,
    /// Latitude and longitude.
    TwoD,
    /// Latitude, longitude and altitude.
    ThreeD,
}

/// A report of a receiver; values that it left out are `None`. The numbers are unchecked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReceiverFix {
    /// Dimensions of the fix.
    pub mode: FixMode,
    /// Time in microseconds since 1970 UTC. A leap second has the number of the second after it.
    pub unix: Option<i64>,
    /// Latitude in degrees, positive north.
    pub latitude: Option<f64>,
    /// Longitude in degrees, positive east.
    pub longitude: Option<f64>,
    /// Altitude in metres above the WGS 84 ellipsoid: `altHAE` of gpsd.
    pub altitude: Option<f64>,
    /// Direction of motion in degrees from north.
    pub track: Option<f64>,
    /// Speed in m/s.
    pub speed: Option<f64>,
    /// Estimated error of the place in metres: `eph` of gpsd.
    pub accuracy: Option<f64>,
    /// Other errors that the receiver estimates.
    pub errors: FixErrors,
}

/// A checked place, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    latitude: f64,
    longitude: f64,
    /// The estimated error in metres.
    pub(super) accuracy: f64,
}

/// The mean radius of the Earth in metres.
const EARTH_RADIUS: f64 = 6_371_008.8;

/// The error of a receiver that gives none, in metres.
const ACCURACY_USUAL: f64 = 10.0;

/// The largest error that is believed, in metres. It bounds how far a jump can hide behind it.
const ACCURACY_MAX: f64 = 100.0;

/// Below this speed in m/s the track is noise.
pub(super) const SPEED_WITH_TRACK_MIN: f64 = 0.5;

/// Faster than any vehicle, in m/s: nonsense.
const SPEED_MAX: f64 = 1_000.0;

impl Place {
    /// Returns how far another place is, in metres: the haversine formula, right to 0.6 % on the
    /// ellipsoid.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        let (from, to) = (self.latitude.to_radians(), other.latitude.to_radians());
        let north = ((to - from) / 2.0).sin().powi(2);
        let east = (other.longitude - self.longitude).to_radians() / 2.0;
        let chord = north + from.cos() * to.cos() * east.sin().powi(2);
        2.0 * EARTH_RADIUS * chord.clamp(0.0, 1.0).sqrt().asin()
    }
}

impl ReceiverFix {
    /// Returns the place; `None` where there is none on Earth.
    pub(super) fn place(&self) -> Option<Place> {
        let latitude = self.latitude?;
        let longitude = self.longitude?;
        let is_place = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
        let accuracy = self.accuracy.filter(|metres| *metres >= 0.0);
        is_place.then(|| Place {
            latitude,
            longitude,
            accuracy: accuracy.unwrap_or(ACCURACY_USUAL).min(ACCURACY_MAX),
        })
    }

    /// Returns a place of this fix as headers have it. Where the altitude is not known, it is that
    /// of `before`, and the ellipsoid's without one.
    pub(super) fn location(&self, place: &Place, before: Option<Elevation>) -> ThreeDLocation {
        let tenths = |degrees: f64| (degrees * 1e7).round() as i32;
        ThreeDLocation {
            latitude: Latitude(tenths(place.latitude)),
            // The standard's range begins beside -180 degrees, which is 180 degrees.
            longitude: Longitude(match tenths(place.longitude) {
                -1_800_000_000 => 1_800_000_000,
                other => other,
            }),
            elevation: self.elevation().or(before).unwrap_or(Elevation(4_096)),
        }
    }

    /// Returns the speed in m/s, if it is one.
    pub(super) fn speed_m_s(&self) -> Option<f64> {
        self.speed.filter(|speed| (0.0..=SPEED_MAX).contains(speed))
    }

    /// Returns the course in degrees from north, if it is one: at rest it is noise.
    pub(super) fn track_degrees(&self) -> Option<f64> {
        let moves = self
            .speed_m_s()
            .is_none_or(|speed| speed >= SPEED_WITH_TRACK_MIN);
        let track = self.track.filter(|track| (0.0..=360.0).contains(track));
        track.filter(|_| moves)
    }

    /// Returns the errors that are ones. Where only one of a place is estimated, it is that to all
    /// sides.
    pub(super) fn errors(&self) -> Errors {
        let is_error = |error: &f64| error.is_finite() && *error >= 0.0;
        let FixErrors {
            east,
            north,
            altitude,
            speed,
            track,
        } = self.errors;
        let axes = east.filter(is_error).zip(north.filter(is_error));
        let circle = self.accuracy.filter(is_error).map(|one| (one, one));
        Errors {
            axes: axes.or(circle),
            altitude: altitude.filter(|one| is_error(one) && self.elevation().is_some()),
            speed: speed.filter(is_error),
            track: track.filter(|one| is_error(one) && self.track_degrees().is_some()),
        }
    }

    fn elevation(&self) -> Option<Elevation> {
        let above = self.altitude.filter(|_| self.mode == FixMode::ThreeD);
        above.and_then(elevation)
    }
}

/// The elevation of so many metres above the ellipsoid, at the nearest end of the standard's range
/// beyond it; `None` for what is no number.
fn elevation(metres: f64) -> Option<Elevation> {
    let decimetres = (metres * 10.0).round().clamp(-4_095.0, 61_439.0);
    match decimetres.is_nan() {
        true => None,
        false => Elevation::from_decimetres(decimetres as i32),
    }
}
