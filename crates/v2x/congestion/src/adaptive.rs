//! Adaptive control: the share of time for own frames, by LIMERIC \[TS 102 687 §5.4\].

use crate::busy_ratio::BusyRatio;

/// Time from one adaptation to the next, in microseconds: two measurements.
pub const ADAPTATION_US: u64 = 200_000;

/// A second weight for a duty cycle that falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualAlpha {
    /// Weight in place of [`AdaptiveParameters::alpha`].
    pub alpha: f64,
    /// It applies while an adaptation lowers the duty cycle by more than this.
    pub threshold: f64,
}

/// Parameters of adaptive control. Shares are of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveParameters {
    /// Weight with which a duty cycle fades.
    pub alpha: f64,
    /// Weight of the distance from the target.
    pub beta: f64,
    /// Least and greatest duty cycle.
    pub duty_cycle: (f64, f64),
    /// Least and greatest offset of one adaptation.
    pub offset: (f64, f64),
    /// Ratio that all stations together aim at.
    pub target: BusyRatio,
    /// Faster fall, or `None`.
    pub dual_alpha: Option<DualAlpha>,
}

impl AdaptiveParameters {
    /// The parameters of \[TS 102 687 table 3\].
    pub const STANDARD: Self = Self {
        alpha: 0.016,
        beta: 0.0012,
        duty_cycle: (0.0006, 0.03),
        offset: (-0.00025, 0.0005),
        target: BusyRatio::TARGET,
        dual_alpha: None,
    };

    /// Those with a weight of 0.1 for a duty cycle that falls.
    pub const DUAL_ALPHA: Self = Self {
        dual_alpha: Some(DualAlpha {
            alpha: 0.1,
            threshold: 0.000_01,
        }),
        ..Self::STANDARD
    };
}

/// Adaptive control of one station.
#[derive(Clone, Copy, Debug)]
pub struct AdaptiveControl {
    parameters: AdaptiveParameters,
    duty_cycle: f64,
    /// The smoothed ratio (`CBR_ITS`), as of the last adaptation; before there are two
    /// measurements, their mean.
    smoothed: f64,
    /// The last two measurements, the later one first.
    last: [Option<f64>; 2],
}

impl AdaptiveControl {
    /// A station that has measured nothing yet: its duty cycle is halfway between the bounds.
    #[must_use]
    pub fn new(parameters: AdaptiveParameters) -> Self {
        let (least, greatest) = parameters.duty_cycle;
        Self {
            parameters,
            duty_cycle: f64::midpoint(least, greatest),
            smoothed: 0.0,
            last: [None; 2],
        }
    }

    /// Takes a measurement, each [`MEASUREMENT_US`](crate::MEASUREMENT_US).
    pub fn measured(&mut self, ratio: BusyRatio) {
        let was_full = self.last[1].is_some();
        self.last = [Some(ratio.share()), self.last[0]];
        if !was_full {
            self.smoothed = self.mean();
        }
    }

    /// Returns the smoothed ratio as the next adaptation would have it.
    #[must_use]
    pub fn smoothed(&self) -> f64 {
        match self.last {
            [Some(_), Some(_)] => f64::midpoint(self.mean(), self.smoothed),
            _ => self.smoothed,
        }
    }

    /// Adapts the duty cycle, each [`ADAPTATION_US`]; returns it.
    pub fn adapt(&mut self) -> f64 {
        self.smoothed = self.smoothed();
        let AdaptiveParameters {
            alpha,
            beta,
            target,
            offset: (least, greatest),
            dual_alpha,
            ..
        } = self.parameters;
        let offset = (beta * (target.share() - self.smoothed)).clamp(least, greatest);
        let (least, greatest) = self.parameters.duty_cycle;
        let weighted =
            |alpha: f64| ((1.0 - alpha) * self.duty_cycle + offset).clamp(least, greatest);
        let adapted = weighted(alpha);
        let falls = dual_alpha.filter(|dual| self.duty_cycle - adapted > dual.threshold);
        self.duty_cycle = falls.map_or(adapted, |dual| weighted(dual.alpha));
        self.duty_cycle
    }

    /// Returns the duty cycle: the share of time for own frames.
    #[must_use]
    pub fn duty_cycle(&self) -> f64 {
        self.duty_cycle
    }

    fn mean(&self) -> f64 {
        match self.last {
            [Some(one), Some(other)] => f64::midpoint(one, other),
            [one, _] => one.unwrap_or(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn ratio(share: f64) -> BusyRatio {
        BusyRatio::new(share).unwrap()
    }

    fn is_close(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-12, "{one} {other}");
    }

    /// Known answers of the field: measurements, with the smoothed ratio after each; `None` is an
    /// adaptation.
    #[test]
    fn ratios_are_smoothed_over_two_measurements_and_the_time_before() {
        let mut control = AdaptiveControl::new(AdaptiveParameters::STANDARD);
        is_close(control.duty_cycle(), 0.0153);
        let series = [
            (Some(0.3), 0.3),
            (Some(0.4), 0.35),
            (None, 0.35),
            (Some(0.2), 0.325),
            (Some(0.1), 0.25),
            (Some(0.1), 0.225),
            (None, 0.1625),
            (Some(0.3), 0.2125),
            (Some(0.5), 0.3125),
        ];
        for (measured, expected) in series {
            match measured {
                Some(share) => control.measured(ratio(share)),
                None => _ = control.adapt(),
            }
            is_close(control.smoothed(), expected);
        }
    }

    /// The duty cycle of so many stations that each take theirs of one channel, after a long time:
    /// it goes to beta * target / (alpha + stations * beta).
    fn fixed_point(parameters: AdaptiveParameters, stations: u32) -> f64 {
        let mut control = AdaptiveControl::new(parameters);
        for _ in 0..20_000 {
            let load = (f64::from(stations) * control.duty_cycle()).min(1.0);
            control.measured(ratio(load));
            control.measured(ratio(load));
            control.adapt();
        }
        control.duty_cycle()
    }

    #[test]
    fn stations_meet_at_the_fixed_point() {
        for stations in [50, 100, 200] {
            let expected = 0.0012 * 0.68 / (0.016 + f64::from(stations) * 0.0012);
            let share = fixed_point(AdaptiveParameters::STANDARD, stations) / expected;
            assert!((share - 1.0).abs() < 0.02, "{stations}: {share}");
            // With another target the same comparison fails.
            let wrong = AdaptiveParameters {
                target: ratio(0.7),
                ..AdaptiveParameters::STANDARD
            };
            let share = fixed_point(wrong, stations) / expected;
            assert!((share - 1.0).abs() > 0.02, "{stations}: {share}");
        }
    }

    #[test]
    fn two_weights_lower_the_duty_cycle_faster() {
        let loads = [0.8; 32];
        let lowered = |parameters| {
            let mut control = AdaptiveControl::new(parameters);
            let steps = loads.map(|load| {
                control.measured(ratio(load));
                control.measured(ratio(load));
                control.adapt()
            });
            steps.into_iter().collect::<Vec<_>>()
        };
        let one = lowered(AdaptiveParameters::STANDARD);
        let two = lowered(AdaptiveParameters::DUAL_ALPHA);
        assert!(one.iter().zip(&two).all(|(one, two)| two < one));
        // A rise is as slow as before.
        let mut control = AdaptiveControl::new(AdaptiveParameters::DUAL_ALPHA);
        let mut same = AdaptiveControl::new(AdaptiveParameters::STANDARD);
        for _ in 0..100 {
            is_close(control.adapt(), same.adapt());
        }
    }

    #[test]
    fn the_duty_cycle_stays_within_its_bounds() {
        for (load, expected) in [(0.0, 0.03), (1.0, 0.0006)] {
            let mut control = AdaptiveControl::new(AdaptiveParameters::STANDARD);
            for _ in 0..5_000 {
                control.measured(ratio(load));
                control.adapt();
            }
            is_close(control.duty_cycle(), expected);
        }
    }
}
