//! A number as a paper prints it: its digits say how exact it is meant to be.

use serde::Deserialize;

/// A printed number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Printed {
    text: String,
    value: f64,
    /// Half a unit of the last digit.
    half: f64,
    /// Half a unit of the last digit that is no trailing zero of a whole number.
    coarse_half: f64,
}

impl Printed {
    /// Returns the number.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Returns the number as it is printed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns half a unit of the last printed digit.
    pub const fn half(&self) -> f64 {
        self.half
    }

    /// Returns true if a value lies within the last printed digit: less than one unit of it away.
    /// Values that round to the number do, too.
    #[must_use]
    pub fn is_nearly(&self, value: f64) -> bool {
        (value - self.value).abs() < 2.0 * self.half * (1.0 - 1e-9)
    }

    /// Returns true if a value, rounded to as many digits as are printed, is this number.
    #[must_use]
    pub fn is_exactly(&self, value: f64) -> bool {
        close(value, self.value, self.half)
    }

    /// Returns true if a value rounds to this number where trailing zeros are no digits:
    /// 3,571 is about 4000, but not about 4001.
    #[must_use]
    pub fn is_about(&self, value: f64) -> bool {
        close(value, self.value, self.coarse_half)
    }

    /// Returns true if a value lies within a share of this number.
    #[must_use]
    pub fn is_within(&self, value: f64, share: f64) -> bool {
        close(value, self.value, self.value.abs() * share)
    }
}

/// Halves are rounded by print shops in either direction, and decimals are no exact floats.
fn close(value: f64, printed: f64, half: f64) -> bool {
    (value - printed).abs() <= half * (1.0 + 1e-9) + 1e-12
}

impl TryFrom<String> for Printed {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no printed number such as \"43.94\" or \"2016\"");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let lengths = (1..=9).contains(&whole.len()) && fraction.len() <= 9;
        if !lengths || !digits(whole) || !digits(fraction) || text.ends_with('.') {
            return Err(wrong());
        }
        let value: f64 = text.parse().map_err(|_| wrong())?;
        let half = 0.5 / 10_f64.powi(fraction.len() as i32);
        let zeros = match fraction.is_empty() && value > 0.0 {
            true => whole.len() - whole.trim_end_matches('0').len(),
            false => 0,
        };
        let coarse_half = half * 10_f64.powi(zeros as i32);
        Ok(Printed {
            text,
            value,
            half,
            coarse_half,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> Printed {
        Printed::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn digits_say_how_exact() {
        assert!(printed("60.24").is_exactly(60.239));
        assert!(!printed("60.24").is_exactly(60.23));
        assert!(printed("0.9").is_about(0.9106));
        assert!(!printed("0.9").is_about(0.96));
        assert!(printed("4000").is_about(3571.4));
        assert!(!printed("4000").is_exactly(3999.0));
        assert!(printed("50").is_about(50.4));
        assert!(!printed("16").is_about(17.9));
        assert!(printed("60.24").is_nearly(60.2455) && !printed("60.24").is_exactly(60.2455));
        assert!(printed("60.24").is_nearly(60.2301) && !printed("60.24").is_nearly(60.25));
        assert!(printed("4000").is_nearly(3999.1) && !printed("4000").is_nearly(3571.4));
        assert!(printed("70.55").is_within(70.99, 0.01));
        assert!(!printed("28").is_within(21.0, 0.03));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", ".5", "5.", "1e3", "-1", "1.2.3", "1234567890", "x"] {
            assert!(Printed::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
