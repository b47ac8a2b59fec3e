//! A vehicle of which the truth is known at every moment, and a gpsd that reports it. Tests of
//! other crates include this file by its path.

use std::f64::consts::TAU;
use std::time::Duration;

use waywarden_v2x_security::region::ahead;
use waywarden_v2x_security::time::LeapSeconds;
use waywarden_v2x_time::clock::{Clock, ClockSettings};
use waywarden_v2x_time::{ClockReading, Fix, FixErrors, FixMode, Reading};
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, TwoDLocation};

/// 2026-03-01T00:00:00Z in microseconds since 1970.
pub(crate) const START: i64 = 1_772_323_200_000_000;

/// The way of a vehicle at a constant speed in m/s.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path {
    /// Straight on, at a bearing in degrees.
    Straight { speed: f64, bearing: f64 },
    /// To the right on a circle of this radius in metres, from its west on.
    Circle { speed: f64, radius: f64 },
}

/// The truth at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth {
    pub(crate) place: TwoDLocation,
    /// In degrees from north.
    pub(crate) heading: f64,
    /// In m/s.
    pub(crate) speed: f64,
}

impl Path {
    /// The truth so many seconds after the vehicle was at `begin`.
    pub(crate) fn at(self, begin: &TwoDLocation, seconds: f64) -> Truth {
        match self {
            Self::Straight { speed, bearing } => {
                let (place, heading) = ahead(begin, bearing, speed * seconds);
                Truth {
                    place,
                    heading,
                    speed,
                }
            }
            Self::Circle { speed, radius } => {
                let turned = speed * seconds / radius;
                // In the west of the circle the vehicle goes north.
                let (centre, _) = ahead(begin, 90.0, radius);
                let bearing = 270.0 + turned.to_degrees();
                let (place, _) = ahead(&centre, bearing.rem_euclid(360.0), radius);
                Truth {
                    place,
                    heading: turned.rem_euclid(TAU).to_degrees(),
                    speed,
                }
            }
        }
    }
}

/// A place in degrees.
pub(crate) fn at(latitude: f64, longitude: f64) -> TwoDLocation {
    TwoDLocation {
        latitude: Latitude((latitude * 1e7).round() as i32),
        longitude: Longitude((longitude * 1e7).round() as i32),
    }
}

/// A vehicle, its receiver, and the clock that hears of it; the true time counts from `START` on.
pub(crate) struct TestDrive {
    pub(crate) path: Path,
    pub(crate) begin: TwoDLocation,
    pub(crate) clock: Clock,
    pub(crate) us: i64,
}

impl TestDrive {
    pub(crate) fn new(path: Path, begin: TwoDLocation, settings: ClockSettings) -> Self {
        let mut clock = Clock::new(settings, LeapSeconds::built_in());
        let us = 0;
        clock.handle_connection(true, now(us));
        Self {
            path,
            begin,
            clock,
            us,
        }
    }

    /// The truth at a moment.
    pub(crate) fn truth(&self, us: i64) -> Truth {
        self.path.at(&self.begin, us as f64 / 1e6)
    }

    /// The fix that the receiver measures at a moment.
    pub(crate) fn fix(&self, us: i64) -> Fix {
        let truth = self.truth(us);
        Fix {
            mode: FixMode::ThreeD,
            unix: Some(START + us),
            latitude: Some(f64::from(truth.place.latitude.0) / 1e7),
            longitude: Some(f64::from(truth.place.longitude.0) / 1e7),
            altitude: Some(520.0),
            track: Some(truth.heading),
            speed: Some(truth.speed),
            accuracy: Some(3.0),
            errors: FixErrors {
                east: Some(1.5),
                north: Some(2.5),
                altitude: Some(4.0),
                speed: Some(0.2),
                track: Some(1.0),
            },
        }
    }

    /// Hands over a report that arrives now.
    pub(crate) fn handle(&mut self, fix: &Fix) {
        self.clock.handle_fix(fix, now(self.us));
    }

    pub(crate) fn read(&mut self) -> Reading {
        self.clock.read(now(self.us))
    }
}

/// Readings of the machine's clocks at a moment.
pub(crate) fn now(us: i64) -> ClockReading {
    ClockReading {
        monotonic: Duration::from_micros(77_000_000 + us as u64),
        system: START + us,
    }
}
