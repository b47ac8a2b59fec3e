//! The share of a radio's power that arrives.

use std::f64::consts::PI;
use std::sync::Arc;

use super::antenna::Antenna;
use super::buildings::Buildings;
use super::place::VehiclePosition;

/// Loss by distance: free space up to a metre, and a power of the distance beyond; what antennas
/// gain, and what buildings take.
#[derive(Clone, Debug, PartialEq)]
pub struct Propagation {
    /// The frequency, in Hz.
    pub frequency_hz: f64,
    /// The exponent of the distance: 2 in free space (Friis).
    pub exponent: f64,
    /// The antenna of every vehicle.
    pub antenna: Antenna,
    /// Buildings between vehicles; `None`: none.
    pub buildings: Option<Arc<Buildings>>,
}

/// The speed of light, in m/s.
const LIGHT_M_S: f64 = 299_792_458.0;

impl Propagation {
    /// Free space at 5.89 GHz, the channel of safety messages.
    pub const FREE_SPACE: Self = Self {
        frequency_hz: 5.89e9,
        exponent: 2.0,
        antenna: Antenna::ISOTROPIC,
        buildings: None,
    };

    /// Returns the power that arrives, in mW, of so much at a metre's distance: the same in both
    /// directions. Where it is less than `least_mw` it may be any number below that.
    #[must_use]
    #[inline]
    pub fn power_mw(
        &self,
        metre_mw: f64,
        least_mw: f64,
        from: &VehiclePosition,
        to: &VehiclePosition,
    ) -> f64 {
        let way = (to.place.x_m - from.place.x_m, to.place.y_m - from.place.y_m);
        let back = (-way.0, -way.1);
        let square = way.0 * way.0 + way.1 * way.1;
        let gain = match self.antenna.uniform() {
            Some(factor) => factor * factor,
            None => {
                self.antenna.factor(way, from.heading_degrees)
                    * self.antenna.factor(back, to.heading_degrees)
            }
        };
        let power = metre_mw / self.lost(square) * gain;
        match &self.buildings {
            Some(buildings) if power >= least_mw => behind(buildings, power, least_mw, (from, to)),
            _ => power,
        }
    }

    /// Returns whether anything stands between vehicles.
    pub(super) fn has_buildings(&self) -> bool {
        self.buildings.as_ref().is_some_and(|all| !all.is_empty())
    }

    /// Returns beyond which distance, in metres, less than `least_mw` arrives, of so much power at
    /// a metre's distance: without buildings, and where antennas gain the most.
    #[must_use]
    pub fn range_m(&self, metre_mw: f64, least_mw: f64) -> f64 {
        let gain = self.antenna.largest_factor().powi(2);
        let range = (metre_mw * gain / least_mw).powf(self.exponent.recip());
        match self.exponent > 0.0 && range.is_finite() {
            // A little more, for what is rounded.
            true => range * (1.0 + 1e-6),
            false => f64::INFINITY,
        }
    }

    /// Returns the share of the power that arrives at a metre's distance.
    #[must_use]
    pub fn share_at_a_metre(&self) -> f64 {
        (LIGHT_M_S / self.frequency_hz / (4.0 * PI)).powi(2)
    }

    /// Returns the share of the power that arrives, by the square of the distance in m². Below a
    /// metre it is that of a metre.
    #[must_use]
    pub fn share(&self, square_m2: f64) -> f64 {
        self.share_at_a_metre() / self.lost(square_m2)
    }

    /// Returns the factor of loss relative to a metre's distance.
    fn lost(&self, square_m2: f64) -> f64 {
        let square = square_m2.max(1.0);
        match self.exponent == 2.0 {
            true => square,
            false => square.powf(self.exponent / 2.0),
        }
    }
}

/// Returns what is left of a power behind buildings, in mW. It is not inlined, so that the loop
/// over all stations stays small where nothing is built.
#[inline(never)]
fn behind(
    buildings: &Buildings,
    power_mw: f64,
    least_mw: f64,
    (from, to): (&VehiclePosition, &VehiclePosition),
) -> f64 {
    let limit_db = 10.0 * (power_mw / least_mw).log10();
    let loss_db = buildings.loss_db(&from.place, &to.place, limit_db);
    match loss_db == 0.0 {
        true => power_mw,
        false => power_mw * 10.0_f64.powf(-loss_db / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::PlanePoint;

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

    #[test]
    fn less_than_the_least_power_arrives_just_beyond_the_range() {
        let with = |exponent: f64, gains_dbi: &[f64]| Propagation {
            exponent,
            antenna: Antenna::new(gains_dbi),
            ..Propagation::FREE_SPACE
        };
        for (propagation, expected) in [
            (with(2.0, &[0.0]), 1_000.0),
            (with(3.0, &[0.0]), 100.0),
            // 10 dB on each side.
            (with(2.0, &[0.0, 10.0, -5.0]), 10_000.0),
        ] {
            let range = propagation.range_m(1.0, 1e-6);
            assert!((range / expected - 1.0).abs() < 1e-5, "{range}");
            let at = |x_m: f64| VehiclePosition {
                place: PlanePoint { x_m, y_m: 0.0 },
                heading_degrees: None,
            };
            let arriving = propagation.power_mw(1.0, 1e-6, &at(0.0), &at(range));
            assert!(arriving < 1e-6);
        }
        assert_eq!(with(0.0, &[0.0]).range_m(1.0, 1e-6), f64::INFINITY);
        assert_eq!(with(-1.0, &[0.0]).range_m(1.0, 1e-6), f64::INFINITY);
        assert_eq!(with(2.0, &[0.0]).range_m(1.0, 0.0), f64::INFINITY);
    }
}
