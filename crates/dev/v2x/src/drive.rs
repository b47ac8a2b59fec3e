//! A vehicle of which the truth is known at every moment, and a gpsd that reports it.

use std::f64::consts::TAU;
use std::time::Duration;

use waywarden_v2x_security::region::{ahead, distance};
use waywarden_v2x_security::time::{LeapSeconds, from_unix};
use waywarden_v2x_time::clock::{Clock, ClockSettings};
use waywarden_v2x_time::{ClockReading, FixErrors, FixMode, ReceiverFix, TimeReading};
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, TwoDLocation};

/// 2026-03-01T00:00:00Z in microseconds since 1970.
pub const START: i64 = 1_772_323_200_000_000;

/// The way of a vehicle at a constant speed in m/s.
#[derive(Clone, Copy, Debug)]
pub enum Path {
    /// Straight on.
    Straight {
        /// In m/s.
        speed: f64,
        /// In degrees from north.
        bearing: f64,
    },
    /// To the right on a circle, from its west on.
    Circle {
        /// In m/s.
        speed: f64,
        /// In metres.
        radius: f64,
    },
}

/// The truth at a moment.
#[derive(Clone, Copy, Debug)]
pub struct DriveTruth {
    /// True position.
    pub place: TwoDLocation,
    /// In degrees from north.
    pub heading: f64,
    /// In m/s.
    pub speed: f64,
}

impl Path {
    /// The truth so many seconds after the vehicle was at `begin`.
    pub fn at(self, begin: &TwoDLocation, seconds: f64) -> DriveTruth {
        match self {
            Self::Straight { speed, bearing } => {
                let (place, heading) = ahead(begin, bearing, speed * seconds);
                DriveTruth {
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
                DriveTruth {
                    place,
                    heading: turned.rem_euclid(TAU).to_degrees(),
                    speed,
                }
            }
        }
    }
}

/// A place in degrees.
pub fn at(latitude: f64, longitude: f64) -> TwoDLocation {
    TwoDLocation {
        latitude: Latitude((latitude * 1e7).round() as i32),
        longitude: Longitude((longitude * 1e7).round() as i32),
    }
}

/// A vehicle, its receiver, and the clock that hears of it; the true time counts from `START` on.
pub struct TestDrive {
    /// Way of the vehicle.
    pub path: Path,
    /// Position at [`START`].
    pub begin: TwoDLocation,
    /// Clock under test.
    pub clock: Clock,
    /// True time in microseconds since [`START`].
    pub us: i64,
}

impl TestDrive {
    /// A vehicle at the start of its way, whose clock is connected and has no fix yet.
    pub fn new(path: Path, begin: TwoDLocation, settings: ClockSettings) -> Self {
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
    pub fn truth(&self, us: i64) -> DriveTruth {
        self.path.at(&self.begin, us as f64 / 1e6)
    }

    /// The fix that the receiver measures at a moment.
    pub fn fix(&self, us: i64) -> ReceiverFix {
        let truth = self.truth(us);
        ReceiverFix {
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
    pub fn handle(&mut self, fix: &ReceiverFix) {
        self.clock.handle_fix(fix, now(self.us));
    }

    /// Reads the clock now.
    pub fn read(&mut self) -> TimeReading {
        self.clock.read(now(self.us))
    }

    /// Returns the distance of a reading's position from the truth at the time of the reading, in
    /// metres.
    pub fn error_m(&self, reading: &TimeReading) -> f64 {
        let epoch = from_unix(START).unwrap();
        let truth = self.truth(reading.time.0 as i64 - epoch.0 as i64);
        let location = reading.position.expect("a position").location;
        let place = TwoDLocation {
            latitude: location.latitude,
            longitude: location.longitude,
        };
        distance(&place, &truth.place)
    }
}

/// Readings of the machine's clocks at a moment.
pub fn now(us: i64) -> ClockReading {
    ClockReading {
        monotonic: Duration::from_micros(77_000_000 + us as u64),
        system: START + us,
    }
}
