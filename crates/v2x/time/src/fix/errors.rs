//! The errors that a receiver estimates, and how they grow while its fix becomes older.
//!
//! Choice: gpsd's estimates count as errors that are not exceeded in 95 of 100 cases, which is what
//! messages say. gpsd states a certainty for none of them; its drivers aim at 95 %.

use waywarden_v2x_security::region::{Accuracy, ErrorEllipse};

/// The errors that a receiver estimates, as gpsd names them; `None`: left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixErrors {
    /// Of the longitude, in metres: `epx`.
    pub east: Option<f64>,
    /// Of the latitude, in metres: `epy`.
    pub north: Option<f64>,
    /// Of the altitude, in metres: `epv`.
    pub altitude: Option<f64>,
    /// Of the speed, in m/s: `eps`.
    pub speed: Option<f64>,
    /// Of the track, in degrees: `epd`.
    pub track: Option<f64>,
}

/// Error of a speed and of a course whose errors a receiver leaves out, in m/s and degrees: by it a
/// place becomes less sure. Messages say that they are not known.
const SPEED_USUAL: f64 = 1.0;
const TRACK_USUAL: f64 = 10.0;
/// Error of a speed that follows from places, in m/s.
const SPEED_MEASURED: f64 = 3.0;
/// Most change by drivers since the last fix, in 95 of 100 cases: acceleration in m/s², turn
/// in degrees a second.
const ACCELERATION_CHANGE: f64 = 1.5;
const TURN_CHANGE: f64 = 5.0;
/// The steepest usual road: metres up for each metre ahead.
const SLOPE: f64 = 0.1;

/// The errors of a fix that are numbers, at its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    /// Half axes to the east and to the north, in metres.
    pub(super) axes: Option<(f64, f64)>,
    pub(super) altitude: Option<f64>,
    pub(super) speed: Option<f64>,
    pub(super) track: Option<f64>,
}

impl Errors {
    /// Returns the errors so many seconds later, of a vehicle that moved at `speed` m/s, which the
    /// receiver said or did not.
    pub(crate) fn after(&self, seconds: f64, speed: f64, is_speed_said: bool) -> Accuracy {
        let change = ACCELERATION_CHANGE * seconds * seconds / 2.0;
        let speed_error = match is_speed_said {
            true => self.speed.unwrap_or(SPEED_USUAL),
            false => SPEED_MEASURED,
        };
        let along = speed_error * seconds + change;
        let turned = self.track.unwrap_or(TRACK_USUAL) + TURN_CHANGE * seconds;
        let aside = speed * seconds * turned.min(90.0).to_radians().sin() + change;
        // Choice: by the larger of both to all sides, which contains the ellipse that they span.
        let growth = along.max(aside);
        Accuracy {
            ellipse: self.axes.map(|axes| ellipse(axes, growth)),
            elevation_cm: self
                .altitude
                .map(|error| rounded_up((error + SLOPE * speed * seconds) * 100.0)),
            speed_cm_s: self
                .speed
                .filter(|_| is_speed_said)
                .map(|error| rounded_up((error + ACCELERATION_CHANGE * seconds) * 100.0)),
            heading_decidegrees: self
                .track
                .map(|error| rounded_up((error + TURN_CHANGE * seconds) * 10.0)),
        }
    }
}

fn ellipse((east, north): (f64, f64), growth: f64) -> ErrorEllipse {
    ErrorEllipse {
        semi_major_cm: rounded_up((east.max(north) + growth) * 100.0),
        semi_minor_cm: rounded_up((east.min(north) + growth) * 100.0),
        orientation_decidegrees: if east > north { 900 } else { 0 },
    }
}

/// An error is never said to be smaller than it is. The conversion saturates.
fn rounded_up(error: f64) -> u32 {
    // The error of a binary fraction is no reason for the next whole number.
    (error - 1e-6).ceil() as u32
}
