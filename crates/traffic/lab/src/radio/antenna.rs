//! The gain of an antenna by direction.

/// An antenna, with its gain in the plane by the direction from the vehicle's heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Antenna {
    /// Factors of power at directions that are equally far apart, clockwise from straight ahead;
    /// empty: 1 in all directions.
    factors: Vec<f64>,
}

impl Antenna {
    /// No gain, in all directions.
    pub const ISOTROPIC: Self = Self {
        factors: Vec::new(),
    };

    /// Takes gains in dBi at directions that are equally far apart, clockwise from straight ahead;
    /// one gain is that of all directions. Between two directions their factors are interpolated.
    #[must_use]
    pub fn new(gains_dbi: &[f64]) -> Self {
        let factors = gains_dbi.iter().map(|gain| 10.0_f64.powf(gain / 10.0));
        Self {
            factors: factors.collect(),
        }
    }

    /// Returns by which factor power grows, if it is the same in all directions.
    pub(super) fn uniform(&self) -> Option<f64> {
        match self.factors[..] {
            [] => Some(1.0),
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns by which factor power grows at most, in any direction.
    pub(super) fn largest_factor(&self) -> f64 {
        let factors = self.factors.iter().copied();
        factors.reduce(f64::max).unwrap_or(1.0)
    }

    /// Returns by which factor power grows to or from a direction: so many metres to the east and
    /// to the north. Without a heading, or where the vehicle itself is, it is that straight ahead.
    pub(super) fn factor(&self, (east, north): (f64, f64), heading_degrees: Option<f64>) -> f64 {
        let [first, _, ..] = self.factors[..] else {
            return self.factors.first().copied().unwrap_or(1.0);
        };
        let Some(heading) = heading_degrees.filter(|_| east != 0.0 || north != 0.0) else {
            return first;
        };
        let count = self.factors.len();
        let turn = (east.atan2(north) - heading.to_radians()) / std::f64::consts::TAU;
        let at = turn.rem_euclid(1.0) * count as f64;
        let (below, share) = (at as usize % count, at.fract());
        let above = (below + 1) % count;
        self.factors[below] * (1.0 - share) + self.factors[above] * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_turn_with_the_vehicle() {
        assert_eq!(Antenna::ISOTROPIC.factor((1.0, 0.0), Some(7.0)), 1.0);
        let all = Antenna::new(&[-10.0]);
        assert!((all.factor((1.0, 0.0), Some(7.0)) - 0.1).abs() < 1e-12);
        // Nothing lost ahead and behind, 10 dB to the sides.
        let antenna = Antenna::new(&[0.0, -10.0, 0.0, -10.0]);
        for (way, heading, expected) in [
            ((100.0, 0.0), 90.0, 1.0),
            ((100.0, 0.0), 0.0, 0.1),
            ((0.0, -100.0), 0.0, 1.0),
            ((-100.0, 0.0), 360.0, 0.1),
            ((100.0, 100.0), 0.0, 0.55),
        ] {
            let factor = antenna.factor(way, Some(heading));
            assert!(
                (factor - expected).abs() < 1e-9,
                "{way:?} {heading}: {factor}"
            );
        }
        assert_eq!(antenna.factor((1.0, 0.0), None), 1.0);
    }
}
