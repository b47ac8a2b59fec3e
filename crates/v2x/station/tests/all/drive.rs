//! A vehicle that drives at random.

use waywarden_testkit::Random;
use waywarden_v2x_station::Motion;
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};

/// A moment of this decade.
pub(crate) const START: Time64 = Time64(700_000_100 * 1_000_000);
/// Interval between samples of a drive, in microseconds.
pub(crate) const STEP_US: u64 = 10_000;
/// Metres for each tenth of a microdegree of latitude.
const METRES: f64 = 0.011_1;

/// A vehicle that drives at random: it speeds up, brakes, stands and turns.
pub(crate) struct Drive {
    random: Random,
    now: Time64,
    north_m: f64,
    east_m: f64,
    speed: f64,
    heading: f64,
    acceleration: f64,
    turn: f64,
}

impl Drive {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            now: START,
            north_m: 0.0,
            east_m: 0.0,
            speed: 10.0,
            heading: 0.0,
            acceleration: 0.0,
            turn: 0.0,
        }
    }

    /// Drives for a step, and returns where it is then.
    pub(crate) fn step(&mut self) -> Motion {
        let seconds = STEP_US as f64 / 1e6;
        if self.random.below(300) == 0 {
            self.acceleration = self.random.below(9) as f64 - 4.0;
            self.turn = (self.random.below(41) as f64 - 20.0) * f64::from(self.speed > 1.0);
        }
        self.speed = (self.speed + self.acceleration * seconds).clamp(0.0, 40.0);
        self.heading = (self.heading + self.turn * seconds).rem_euclid(360.0);
        let (sine, cosine) = self.heading.to_radians().sin_cos();
        self.north_m += self.speed * seconds * cosine;
        self.east_m += self.speed * seconds * sine;
        self.now = Time64(self.now.0 + STEP_US);
        self.motion()
    }

    pub(crate) fn motion(&self) -> Motion {
        Motion {
            heading_decidegrees: Some((self.heading * 10.0) as u16 % 3_600),
            speed_cm_s: Some((self.speed * 100.0) as u16),
            acceleration_cm_s2: Some((self.acceleration * 100.0) as i16),
            yaw_rate_centidegrees_s: Some((-self.turn * 100.0) as i16),
            ..Motion::at(place(self.north_m, self.east_m), self.now)
        }
    }
}

/// A place so many metres from the equator's beginning.
pub(crate) fn place(north_m: f64, east_m: f64) -> ThreeDLocation {
    ThreeDLocation {
        latitude: Latitude((north_m / METRES) as i32),
        longitude: Longitude((east_m / METRES) as i32),
        elevation: Elevation::from_decimetres(350).unwrap(),
    }
}
