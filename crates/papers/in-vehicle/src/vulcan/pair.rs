//! A number by formula and by measurement, for arithmetic on both at once.

use waywarden_paper_tables::{Amount, Unit};

/// A number by formula, and as it was measured. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) formula: f64,
    pub(super) measured: Option<f64>,
}

impl Pair {
    /// Does the same with two formulas and two measured numbers.
    pub(super) fn with(self, other: Pair, of: impl Fn(f64, f64) -> f64) -> Self {
        let measured = self.measured.zip(other.measured);
        Pair {
            formula: of(self.formula, other.formula),
            measured: measured.map(|(one, two)| of(one, two)),
        }
    }

    pub(super) fn map(self, of: impl Fn(f64) -> f64) -> Self {
        Pair {
            formula: of(self.formula),
            measured: self.measured.map(of),
        }
    }

    /// Returns the increase of this over `plain`, in per cent.
    pub(super) fn overhead(self, plain: Pair) -> Self {
        self.with(plain, |own, plain| (own / plain - 1.0) * 100.0)
    }

    /// Returns the numbers there are.
    pub(super) fn numbers(self) -> Vec<f64> {
        let both = [Some(self.formula), self.measured];
        both.into_iter().flatten().collect()
    }

    /// Leaves out what is rounding noise of binary fractions.
    pub(super) fn rounded(self) -> Self {
        self.map(|number| Amount::Number(number).in_unit(Unit::Times))
    }
}
