//! A ring road without a map. Its cars turn, accelerate and brake, which exercises the generation
//! rules of awareness messages.

use std::f64::consts::TAU;
use std::time::Duration;

use waywarden_v2x_station::Motion;
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};

/// Length of a degree of latitude on a sphere, in metres.
const DEGREE_M: f64 = 111_195.0;
/// Period of one acceleration and braking of a car, in seconds.
const WAVE_S: f64 = 24.0;
/// Relative variation of a car's speed.
const VARIATION: f64 = 0.3;

/// A ring road, with cars at equal distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingRoad {
    /// The latitude of its centre, in degrees.
    pub latitude: f64,
    /// The longitude of its centre, in degrees.
    pub longitude: f64,
    /// Its radius in metres.
    pub radius_m: f64,
    /// The mean speed in m/s; each car's speed varies by up to 30 %.
    pub speed_m_s: f64,
    /// Number of cars.
    pub cars: usize,
}

impl RingRoad {
    /// Returns a ring with a radius of 300 m around Munich's main station, at 50 km/h.
    #[must_use]
    pub fn new(cars: usize) -> Self {
        Self {
            latitude: 48.1402,
            longitude: 11.5600,
            radius_m: 300.0,
            speed_m_s: 13.9,
            cars,
        }
    }

    /// Returns the motion of a car, counted from 0, at `elapsed` after the start.
    #[must_use]
    pub fn motion(&self, car: usize, elapsed: Duration, time: Time64) -> Motion {
        let phase = TAU * car as f64 / self.cars.max(1) as f64;
        let wave = TAU * elapsed.as_secs_f64() / WAVE_S + phase * 3.0;
        let speed = self.speed_m_s * (1.0 + VARIATION * wave.sin());
        // The integral of the speed.
        let way = self.speed_m_s
            * (elapsed.as_secs_f64()
                - VARIATION * WAVE_S / TAU * (wave.cos() - (phase * 3.0).cos()));
        let acceleration = self.speed_m_s * VARIATION * TAU / WAVE_S * wave.cos();
        let angle = phase + way / self.radius_m;
        let (north, east) = (self.radius_m * angle.sin(), self.radius_m * angle.cos());
        let latitude = self.latitude + north / DEGREE_M;
        let longitude = self.longitude + east / (DEGREE_M * self.latitude.to_radians().cos());
        // Counterclockwise: in the east of the ring it goes north.
        let heading = (-angle.to_degrees()).rem_euclid(360.0);
        let location = ThreeDLocation {
            latitude: Latitude((latitude * 1e7).round() as i32),
            longitude: Longitude((longitude * 1e7).round() as i32),
            elevation: Elevation::from_decimetres(5_200).unwrap_or(Elevation(0)),
        };
        let turn = (speed / self.radius_m).to_degrees();
        Motion {
            heading_decidegrees: Some((heading * 10.0) as u16 % 3_600),
            speed_cm_s: Some((speed * 100.0).round() as u16),
            acceleration_cm_s2: Some((acceleration * 100.0).round() as i16),
            yaw_rate_centidegrees_s: Some((turn * 100.0).round() as i16),
            ..Motion::at(location, time)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cars_move_as_fast_as_they_say() {
        let road = RingRoad::new(4);
        for car in 0..4 {
            for step in 0..500_u64 {
                let at =
                    |milliseconds| road.motion(car, Duration::from_millis(milliseconds), Time64(0));
                let (one, other) = (at(step * 100), at(step * 100 + 100));
                let measured = one.distance_m(&other) * 10.0;
                let said = f64::from(one.speed_cm_s.unwrap()) / 100.0;
                // 4 m/s² for a tenth of a second, and 1 cm of the coordinates.
                assert!(
                    (measured - said).abs() < 0.7,
                    "{car} {step}: {measured} {said}"
                );
            }
        }
    }
}
