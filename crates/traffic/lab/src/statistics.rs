//! Means over seeds, with confidence intervals.

/// Student's t for a two-sided confidence of 95 %, from one degree of freedom on.
const T_95: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// The same beyond the table, from the normal distribution's by the first terms of the expansion of
/// Cornish and Fisher; to 0.0001.
fn t_95_beyond(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    let first = (Z.powi(3) + Z) / (4.0 * freedom);
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / (96.0 * freedom * freedom);
    Z + first + second
}

/// A mean over several seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half-width of the 95 % confidence interval of the mean (Student's t); `None` of one value.
    pub confidence_95: Option<f64>,
}

impl Mean {
    /// Takes one value or more; the order does not matter. Of none the mean is not a number.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let freedom = values.len().saturating_sub(1);
        let confidence_95 = (freedom > 0).then(|| {
            let t = T_95.get(freedom - 1).copied();
            t.unwrap_or_else(|| t_95_beyond(freedom as f64))
                * (squares / freedom as f64 / count).sqrt()
        });
        Self {
            mean,
            confidence_95,
        }
    }
}

/// Comparison of one policy with another one on the same seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairedVerdict {
    /// Better, beyond the interval of 95 % confidence.
    Better,
    /// Worse, beyond that interval.
    Worse,
    /// Neither: the interval contains 0.
    Same,
    /// There is one seed only: no interval.
    OneSeed,
}

impl PairedVerdict {
    /// Judges the mean of differences, this one's value minus the other's.
    #[must_use]
    pub fn of(difference: &Mean) -> Self {
        let Some(half) = difference.confidence_95 else {
            return Self::OneSeed;
        };
        match difference.mean {
            mean if mean - half > 0.0 => Self::Better,
            mean if mean + half < 0.0 => Self::Worse,
            _ => Self::Same,
        }
    }

    /// Returns its code, as tables have it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::OneSeed => "one-seed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_student() {
        // Of 1, 2, 3 the deviation is 1, so 4.303 / sqrt(3).
        let three = Mean::of([3.0, 1.0, 2.0]);
        let half = three.confidence_95.unwrap_or(0.0);
        assert!(three.mean == 2.0 && (half - 2.4843).abs() < 1e-4, "{half}");
        assert_eq!(Mean::of([3.0]).confidence_95, None);
        for (freedom, t) in [(30.0, 2.0423), (40.0, 2.0211), (120.0, 1.9799)] {
            assert!((t_95_beyond(freedom) - t).abs() < 2e-4, "{freedom}");
        }
    }

    #[test]
    fn a_difference_is_judged_by_its_interval() {
        let verdict = |values: &[f64]| PairedVerdict::of(&Mean::of(values.iter().copied()));
        assert_eq!(verdict(&[0.1, 0.11, 0.12]), PairedVerdict::Better);
        assert_eq!(verdict(&[-0.1, -0.11, -0.12]), PairedVerdict::Worse);
        assert_eq!(verdict(&[0.1, -0.1, 0.05]), PairedVerdict::Same);
        assert_eq!(verdict(&[0.0, 0.0]), PairedVerdict::Same);
        assert_eq!(verdict(&[0.3]), PairedVerdict::OneSeed);
    }
}
