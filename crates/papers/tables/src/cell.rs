//! One printed number beside what formula and simulation give for it.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Class, Printed, Unit};

/// Share of a printed number beyond which a difference within its last digit is no rounding.
const COARSE: f64 = 0.1;

/// One number of a paper, and ours.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Cell {
    /// Table, figure or section.
    pub place: String,
    /// Name of the number.
    pub cell: String,
    /// The unit of all three numbers.
    pub unit: Unit,
    /// The paper's number, or with [`CellVerdict::FromMemory`] the number known from memory; `None`
    /// where the paper draws or says nothing.
    pub paper: Option<f64>,
    /// Result of the paper's formula on the boards' figures.
    pub formula: Option<f64>,
    /// Simulated value.
    pub measured: Option<f64>,
    /// Verdict on the paper's number and ours.
    pub verdict: CellVerdict,
    /// Class of our number; `None` where there is nothing of ours.
    pub class: Option<Class>,
    /// Computed findings about it; never empty where the verdict is [`CellVerdict::Differs`].
    pub why: String,
}

impl Cell {
    /// Creates a cell about which nothing is known yet.
    pub fn new(place: &str, cell: String, unit: Unit) -> Self {
        Self {
            place: place.to_owned(),
            cell,
            unit,
            paper: None,
            formula: None,
            measured: None,
            verdict: CellVerdict::NotStated,
            class: None,
            why: String::new(),
        }
    }

    /// A number that the paper has measured or states, with nothing of ours beside it.
    pub fn stated(self, printed: &Printed) -> Self {
        Self {
            paper: Some(printed.value()),
            verdict: CellVerdict::PaperOnly,
            ..self
        }
    }

    /// A number of ours that the paper does not print.
    pub fn own(self, ours: f64) -> Self {
        Self {
            formula: Some(ours),
            class: Some(Class::Derived),
            ..self
        }
    }

    /// A number that follows from others, beside the printed one. `why` is asked only if ours is
    /// not what is printed.
    pub fn derived(
        self,
        ours: f64,
        printed: &Printed,
        why: impl FnOnce(CellVerdict) -> String,
    ) -> Self {
        let verdict = CellVerdict::by_digits(Class::Derived, &[ours], printed);
        Self {
            paper: Some(printed.value()),
            formula: Some(ours),
            verdict,
            class: Some(Class::Derived),
            why: match verdict {
                CellVerdict::Differs | CellVerdict::Rounding | CellVerdict::TooCoarse => {
                    why(verdict)
                }
                _ => String::new(),
            },
            ..self
        }
    }

    /// A statement of the paper's, 1, beside whether it holds.
    pub fn claimed(self, holds: bool, why: String) -> Self {
        Self {
            paper: Some(1.0),
            formula: Some(f64::from(u8::from(holds))),
            verdict: match holds {
                true => CellVerdict::Agrees,
                false => CellVerdict::Differs,
            },
            class: Some(Class::Derived),
            why,
            ..self
        }
    }
}

/// Agreement between the paper's number and ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CellVerdict {
    /// Ours is the printed number, as exactly as that is meant, and could have come out otherwise.
    Agrees,
    /// Ours does not round to the printed number, but lies within its last printed digit: neither
    /// agreement nor finding.
    Rounding,
    /// Ours does not round to the printed number and lies within its last digit, but that digit is
    /// more than a tenth of the number: 1.03 for 2. So few digits can tell nothing.
    TooCoarse,
    /// Ours is another number.
    Differs,
    /// Ours is the printed number because the model starts from it or is fitted to it.
    NotTested,
    /// Ours is the printed number and could be no other: the manner of counting gives it, such as a
    /// least of 1 among counts that begin with 1.
    ByConstruction,
    /// Ours is a sum that was sought because it gives the printed number: a guess at how the paper
    /// came to it.
    Hypothesis,
    /// The paper prints a number, and nothing of ours stands beside it.
    PaperOnly,
    /// The paper prints a number, and ours is of something else: context, which is not judged.
    NotCompared,
    /// The paper prints no number.
    NotStated,
    /// The paper's number was not seen in print: it is known from memory, and nothing is concluded
    /// from whether ours fits.
    FromMemory,
}

impl CellVerdict {
    /// Every verdict, in the order that totals have.
    pub const ALL: [CellVerdict; 11] = [
        CellVerdict::Agrees,
        CellVerdict::Rounding,
        CellVerdict::TooCoarse,
        CellVerdict::Differs,
        CellVerdict::NotTested,
        CellVerdict::ByConstruction,
        CellVerdict::Hypothesis,
        CellVerdict::PaperOnly,
        CellVerdict::NotCompared,
        CellVerdict::NotStated,
        CellVerdict::FromMemory,
    ];

    /// Returns the verdict in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CellVerdict::Agrees => "agrees",
            CellVerdict::Rounding => "rounding",
            CellVerdict::TooCoarse => "too coarse",
            CellVerdict::Differs => "differs",
            CellVerdict::NotTested => "not tested",
            CellVerdict::ByConstruction => "by construction",
            CellVerdict::Hypothesis => "hypothesis",
            CellVerdict::PaperOnly => "paper only",
            CellVerdict::NotCompared => "not compared",
            CellVerdict::NotStated => "not stated",
            CellVerdict::FromMemory => "from memory, not seen",
        }
    }

    /// Judges our numbers by two tests: whether a number is the printed one, and whether it misses
    /// that by rounding only.
    pub fn judge(
        class: Class,
        ours: &[f64],
        fits: impl Fn(f64) -> bool,
        nearly: impl Fn(f64) -> bool,
    ) -> Self {
        if ours.iter().all(|value| fits(*value)) {
            return match class.can_agree() {
                true => CellVerdict::Agrees,
                false => CellVerdict::NotTested,
            };
        }
        match ours.iter().all(|value| fits(*value) || nearly(*value)) {
            true => CellVerdict::Rounding,
            false => CellVerdict::Differs,
        }
    }

    /// Judges our numbers by the digits of the printed one.
    pub fn by_digits(class: Class, ours: &[f64], printed: &Printed) -> Self {
        let fits = |value| printed.is_exactly(value);
        let verdict = Self::judge(class, ours, fits, |value| printed.is_nearly(value));
        verdict.unless_coarse(ours, printed)
    }

    /// Returns [`CellVerdict::TooCoarse`] in place of [`CellVerdict::Rounding`] if one of our
    /// numbers is more than a tenth of the printed one away from it.
    #[must_use]
    pub fn unless_coarse(self, ours: &[f64], printed: &Printed) -> Self {
        let is_far = |value: &f64| !printed.is_within(*value, COARSE);
        match self {
            CellVerdict::Rounding if ours.iter().any(is_far) => CellVerdict::TooCoarse,
            verdict => verdict,
        }
    }

    /// Returns [`CellVerdict::ByConstruction`] if ours is the printed number.
    #[must_use]
    pub const fn by_construction(self) -> Self {
        match self {
            CellVerdict::Agrees | CellVerdict::NotTested => CellVerdict::ByConstruction,
            verdict => verdict,
        }
    }
}

impl fmt::Display for CellVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> Printed {
        Printed::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn only_derived_and_measured_numbers_agree() {
        for class in Class::ALL {
            let own = CellVerdict::by_digits(class, &[60.239], &printed("60.24"));
            let expected = match class {
                Class::Derived | Class::Measured => CellVerdict::Agrees,
                Class::Input | Class::Fitted => CellVerdict::NotTested,
            };
            assert_eq!(own, expected, "{class}");
            // An input that is not what is printed is a fault of the data, and shown as one.
            let other = CellVerdict::by_digits(class, &[61.0], &printed("60.24"));
            assert_eq!(other, CellVerdict::Differs, "{class}");
        }
    }

    #[test]
    fn a_difference_within_the_last_digit_is_rounding() {
        let judge = |ours: &[f64]| CellVerdict::by_digits(Class::Measured, ours, &printed("60.24"));
        assert_eq!(judge(&[60.239, 60.2455]), CellVerdict::Rounding);
        assert_eq!(judge(&[60.2455, 60.239]), CellVerdict::Rounding);
        assert_eq!(judge(&[60.239, 60.2501]), CellVerdict::Differs);
        assert_eq!(judge(&[60.239, 60.241]), CellVerdict::Agrees);
    }

    #[test]
    fn one_digit_is_too_coarse_for_rounding() {
        let judge = |ours, text| CellVerdict::by_digits(Class::Measured, &[ours], &printed(text));
        assert_eq!(judge(1.03, "2"), CellVerdict::TooCoarse);
        assert_eq!(judge(1.38, "2"), CellVerdict::TooCoarse);
        assert_eq!(judge(1.6, "2"), CellVerdict::Agrees);
        assert_eq!(judge(0.9, "2"), CellVerdict::Differs);
        assert_eq!(judge(28.2, "29"), CellVerdict::Rounding);
        assert_eq!(judge(0.03, "0"), CellVerdict::Agrees);
        assert_eq!(judge(0.7, "0"), CellVerdict::TooCoarse);
    }

    #[test]
    fn constructed_numbers_agree_with_nothing() {
        let by =
            |class, ours| CellVerdict::by_digits(class, &[ours], &printed("1")).by_construction();
        assert_eq!(by(Class::Measured, 1.0), CellVerdict::ByConstruction);
        assert_eq!(by(Class::Input, 1.0), CellVerdict::ByConstruction);
        assert_eq!(by(Class::Derived, 3.0), CellVerdict::Differs);
    }

    /// Random numbers around random printed ones: what rounds to a number agrees, what is less
    /// than a unit of its last digit away is rounding, all else differs.
    #[test]
    fn verdicts_follow_the_digits_of_random_numbers() {
        const SEED: u64 = 0x7061_7065;
        let mut state = SEED;
        for _ in 0..2_000 {
            let decimals = waywarden_random::split_mix(&mut state) % 4;
            let unit = 10_f64.powi(-(decimals as i32));
            let whole = waywarden_random::split_mix(&mut state) % 100_000;
            let number = printed(&format!("{:.*}", decimals as usize, whole as f64 * unit));
            // Thousandths of a unit, off the halves and whole units that either side may claim.
            let off =
                (waywarden_random::split_mix(&mut state) % 3_000) as f64 / 1e3 - 1.5 + 0.000_4;
            let ours = number.value() + off * unit;
            let expected = match off.abs() {
                off if off < 0.5 => CellVerdict::Agrees,
                off if off < 1.0 && off * unit > number.value() * 0.1 => CellVerdict::TooCoarse,
                off if off < 1.0 => CellVerdict::Rounding,
                _ => CellVerdict::Differs,
            };
            let verdict = CellVerdict::by_digits(Class::Derived, &[ours], &number);
            assert_eq!(
                verdict,
                expected,
                "seed {SEED:#x}: {ours} for {}",
                number.text()
            );
        }
    }
}
