//! How much of a radio's power arrives.

use std::f64::consts::PI;

/// Metres on a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// To the east.
    pub x_m: f64,
    /// To the north.
    pub y_m: f64,
}

impl Place {
    /// Returns how far another place is, in metres.
    #[must_use]
    pub fn distance_m(&self, other: &Self) -> f64 {
        self.square_m2(other).sqrt()
    }

    /// Returns the square of that distance, in m².
    #[must_use]
    pub fn square_m2(&self, other: &Self) -> f64 {
        let (x, y) = (self.x_m - other.x_m, self.y_m - other.y_m);
        x * x + y * y
    }
}

/// Loss by distance: free space up to a metre, and a power of the distance beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Propagation {
    /// The frequency, in Hz.
    pub frequency_hz: f64,
    /// The exponent of the distance: 2 in free space (Friis).
    pub exponent: f64,
}

/// The speed of light, in m/s.
const LIGHT_M_S: f64 = 299_792_458.0;

impl Propagation {
    /// Free space at 5.89 GHz, the channel of safety messages.
    pub const FREE_SPACE: Self = Self {
        frequency_hz: 5.89e9,
        exponent: 2.0,
    };

    /// Returns the share of the power that arrives at a metre's distance.
    #[must_use]
    pub fn share_at_a_metre(&self) -> f64 {
        (LIGHT_M_S / self.frequency_hz / (4.0 * PI)).powi(2)
    }

    /// Returns the share of the power that arrives, by the square of the distance in m². Below a
    /// metre it is that of a metre.
    #[must_use]
    pub fn share(&self, square_m2: f64) -> f64 {
        let square = square_m2.max(1.0);
        let lost = match self.exponent == 2.0 {
            true => square,
            false => square.powf(self.exponent / 2.0),
        };
        self.share_at_a_metre() / lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_loses_as_much_as_friis_says() {
        // 20 log10(4 pi d f / c): 47.85 dB at a metre, 20 dB for each ten times.
        let decibels =
            |distance: f64| -10.0 * Propagation::FREE_SPACE.share(distance * distance).log10();
        assert!((decibels(1.0) - 47.85).abs() < 0.01);
        assert!((decibels(500.0) - 101.83).abs() < 0.01);
        let steep = Propagation {
            exponent: 3.0,
            ..Propagation::FREE_SPACE
        };
        assert!((-10.0 * steep.share(100.0).log10() - 77.85).abs() < 0.01);
    }
}
