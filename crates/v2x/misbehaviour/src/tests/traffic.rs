//! Drives with known truth, and the noise of honest receivers.

use std::vec::Vec;

use waywarden_testkit::Random;

use crate::{Claim, Observer};

pub(super) const OBSERVER: Observer = Observer { x_m: 0.0, y_m: 0.0 };

/// Messages in a second.
const RATE: u64 = 5;

/// A vehicle that changes speed and direction all the time.
pub(super) struct Drive {
    random: Random,
    seed: u64,
}

impl Drive {
    pub(super) fn of_seed(seed: u64) -> Self {
        std::println!("seed {seed}");
        Self {
            random: Random::new(seed),
            seed,
        }
    }

    /// Returns a number of mean 0 and deviation 1, nearly normal.
    fn normal(&mut self) -> f64 {
        let sum: f64 = (0..12)
            .map(|_| self.random.u64() as f64 / u64::MAX as f64)
            .sum();
        sum - 6.0
    }

    /// Returns the messages of the drive, with white noise or noise that lasts for seconds.
    pub(super) fn claims(&mut self, count: u64, correlated: bool) -> Vec<Claim> {
        let step = 1.0 / RATE as f64;
        let (mut x, mut y, mut speed) = (-100.0, -50.0, 16.0 + (self.seed % 7) as f64);
        let mut heading = (self.seed * 37 % 360) as f64;
        let mut error = (0.0, 0.0);
        let mut claims = Vec::new();
        for index in 0..count {
            let phase = index as f64 * step / 5.0 + self.seed as f64;
            let acceleration = 0.8 * phase.sin();
            let yaw_rate = 6.0 + 4.0 * (phase * 0.7).cos();
            speed += acceleration * step;
            heading = (heading + yaw_rate * step).rem_euclid(360.0);
            let (sin, cos) = heading.to_radians().sin_cos();
            x += speed * step * sin;
            y += speed * step * cos;
            let keep: f64 = if correlated { 0.96 } else { 0.0 };
            let fresh = 0.5 * (1.0 - keep * keep).sqrt();
            error.0 = keep * error.0 + fresh * self.normal();
            error.1 = keep * error.1 + fresh * self.normal();
            let generated_us = 1_000_000 + index * 1_000_000 / RATE;
            claims.push(Claim {
                received_us: generated_us + 2_000,
                generated_us,
                x_m: x + error.0,
                y_m: y + error.1,
                position_confidence_m: None,
                speed_m_s: Some(speed + 0.1 * self.normal()),
                acceleration_m_s2: Some(acceleration + 0.1 * self.normal()),
                heading_degrees: Some((heading + self.normal()).rem_euclid(360.0)),
                yaw_rate_degrees_s: Some(yaw_rate + self.normal()),
                length_m: Some(4.5),
                width_m: Some(1.8),
            });
        }
        claims
    }
}
