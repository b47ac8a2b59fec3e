//! Rate and power of basic safety messages \[J2945/1 §6.3.8\].

use crate::busy_ratio::BusyRatio;

/// Parameters of the control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafetyParameters {
    /// Radius within which vehicles are counted, in metres (`vPERRange`).
    pub radius_m: f64,
    /// Number of vehicles up to which the least interval holds (`vDensityCoefficient`).
    pub density: f64,
    /// Weight of a count in the smoothed density (`vDensityWeightFactor`).
    pub density_weight: f64,
    /// Least and greatest time between messages, in microseconds (`vMax_ITT`).
    pub interval_us: (u64, u64),
    /// Ratios between which the power falls (`vMinChanUtil`, `vMaxChanUtil`).
    pub ratio: (f64, f64),
    /// Least and greatest power in dBm (`vRPMin`, `vRPMax`).
    pub power_dbm: (f64, f64),
    /// Share of the way to the asked power that one step takes (`vSUPRAGain`).
    pub gain: f64,
    /// Weight of a measurement in the smoothed ratio (`vCBPWeightFactor`).
    pub ratio_weight: f64,
    /// Errors in metres below which no message is sent for it, and from which one always is
    /// (`vTrackingErrMin`, `vTrackingErrMax`).
    pub error_m: (f64, f64),
    /// Rise of the probability between them, in 1/m² (`vErrSensitivity`).
    pub sensitivity: f64,
}

impl SafetyParameters {
    /// The values of the standard, as the README has them with their sources.
    pub const STANDARD: Self = Self {
        radius_m: 100.0,
        density: 25.0,
        density_weight: 0.05,
        interval_us: (100_000, 600_000),
        ratio: (0.5, 0.8),
        power_dbm: (10.0, 20.0),
        gain: 0.5,
        ratio_weight: 0.5,
        error_m: (0.2, 0.5),
        sensitivity: 75.0,
    };
}

/// Control of one station's basic safety messages.
#[derive(Clone, Copy, Debug)]
pub struct SafetyControl {
    parameters: SafetyParameters,
    density: f64,
    ratio: f64,
    power_dbm: f64,
}

impl SafetyControl {
    /// A station that is alone on an idle channel: it sends with the greatest power.
    #[must_use]
    pub fn new(parameters: SafetyParameters) -> Self {
        Self {
            density: 0.0,
            ratio: 0.0,
            power_dbm: parameters.power_dbm.1,
            parameters,
        }
    }

    /// Takes a measurement, each [`MEASUREMENT_US`](crate::MEASUREMENT_US): the busy ratio, and the
    /// number of vehicles heard of within the radius.
    pub fn measured(&mut self, ratio: BusyRatio, vehicles: u32) {
        let own = &self.parameters;
        self.density += own.density_weight * (f64::from(vehicles) - self.density);
        self.ratio += own.ratio_weight * (ratio.share() - self.ratio);
        let (least, greatest) = own.ratio;
        let share = ((self.ratio - least) / (greatest - least)).clamp(0.0, 1.0);
        let (quiet, loud) = own.power_dbm;
        let asked = loud - share * (loud - quiet);
        self.power_dbm += own.gain * (asked - self.power_dbm);
    }

    /// Returns the greatest time between two messages, in microseconds, by the smoothed density.
    #[must_use]
    pub fn interval_us(&self) -> u64 {
        let (least, greatest) = self.parameters.interval_us;
        let interval = least as f64 * self.density / self.parameters.density;
        // A float is converted within its bounds.
        (libm::round(interval) as u64).clamp(least, greatest)
    }

    /// Returns the power for messages, in dBm.
    #[must_use]
    pub fn power_dbm(&self) -> f64 {
        self.power_dbm
    }

    /// Returns whether a message is due because others know the position wrongly: the error of
    /// their estimate, in metres, and a number that was drawn from 0 to 1.
    #[must_use]
    pub fn is_due(&self, error_m: f64, drawn: f64) -> bool {
        let (least, greatest) = self.parameters.error_m;
        let beyond = error_m - least;
        let rising = 1.0 - libm::exp(-self.parameters.sensitivity * beyond * beyond);
        match error_m {
            _ if error_m < least => false,
            _ if error_m < greatest => drawn < rising,
            // One that is no number, too: then nothing is known of it.
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(ratio: f64, vehicles: u32) -> SafetyControl {
        let mut control = SafetyControl::new(SafetyParameters::STANDARD);
        for _ in 0..1_000 {
            control.measured(BusyRatio::new(ratio).unwrap(), vehicles);
        }
        control
    }

    /// 100 ms for up to 25 vehicles, 600 ms from 150 on, in proportion between.
    #[test]
    fn the_interval_follows_the_density() {
        for (vehicles, interval_ms) in [(0, 100), (25, 100), (50, 200), (150, 600), (400, 600)] {
            let control = settled(0.0, vehicles);
            assert_eq!(control.interval_us(), interval_ms * 1_000, "{vehicles}");
        }
    }

    #[test]
    fn the_power_follows_the_ratio() {
        for (ratio, power_dbm) in [
            (0.0, 20.0),
            (0.5, 20.0),
            (0.65, 15.0),
            (0.8, 10.0),
            (1.0, 10.0),
        ] {
            let control = settled(ratio, 0);
            assert!((control.power_dbm() - power_dbm).abs() < 1e-6, "{ratio}");
        }
    }

    /// By hand: 0.5 of a full channel is 0.5, where the power is still whole; then 0.75, which asks
    /// for 11.667 dBm, half of the way from 20; one count of 100 with a weight of 0.05 is 5.
    #[test]
    fn one_measurement_goes_part_of_the_way() {
        let mut control = SafetyControl::new(SafetyParameters::STANDARD);
        control.measured(BusyRatio::FULL, 100);
        assert_eq!(control.power_dbm(), 20.0);
        assert_eq!(control.density, 5.0);
        control.measured(BusyRatio::FULL, 100);
        assert!((control.power_dbm() - 15.833_333).abs() < 1e-6);
    }

    #[test]
    fn an_error_makes_a_message_due() {
        let control = SafetyControl::new(SafetyParameters::STANDARD);
        assert!(!control.is_due(0.199, 0.0));
        assert!(control.is_due(0.5, 0.999));
        assert!(control.is_due(f64::NAN, 0.999));
        // 1 - exp(-75 * 0.1 * 0.1) is 0.5276.
        assert!(control.is_due(0.3, 0.527));
        assert!(!control.is_due(0.3, 0.528));
    }
}
