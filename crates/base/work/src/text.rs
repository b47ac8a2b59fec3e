//! Durations as text with their unit. Decimal fractions are read exactly, by integer arithmetic.

use core::fmt;
use core::str::FromStr;

use crate::Duration;

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Refusal of a text that is no duration: the unit is missing, or it is finer than a nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseDurationError;

impl fmt::Display for ParseDurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a duration such as 10s, 250ms, 50us, 5min or 24h")
    }
}

impl core::error::Error for ParseDurationError {}

/// Reads `10ms`, `0.5 s`, `300us`, `2min`, `24h`.
impl FromStr for Duration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, ParseDurationError> {
        let text = text.trim();
        let nanos = UNITS.iter().find_map(|(unit, factor)| {
            let number = text.strip_suffix(unit)?.trim_end();
            decimal(number, *factor)
        });
        nanos.map(Duration::from_nanos).ok_or(ParseDurationError)
    }
}

/// Reads a decimal number times `factor`, exactly; `None` where digits are left over.
#[must_use]
pub fn decimal(number: &str, factor: u64) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let point_without_digits = number.contains('.') && part.is_empty();
    if whole.is_empty() || point_without_digits || !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let mut value = whole.parse::<u64>().ok()?.checked_mul(factor)?;
    let mut weight = factor;
    for digit in part.bytes().map(|byte| u64::from(byte - b'0')) {
        if digit != 0 && !weight.is_multiple_of(10) {
            return None;
        }
        weight /= 10;
        value = value.checked_add(digit * weight)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_exact_and_need_a_unit() {
        for (text, nanos) in [
            ("10ms", 10_000_000),
            ("0.5 s", 500_000_000),
            ("300us", 300_000),
            ("300\u{b5}s", 300_000),
            ("2min", 120_000_000_000),
            ("1.000000001s", 1_000_000_001),
            ("0ms", 0),
            ("2.50h", 9_000_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Duration::from_nanos(nanos)), "{text}");
        }
        for text in [
            "10",
            "ms",
            "-1ms",
            "1.5ns",
            "1e3ms",
            "1.ms",
            ".5s",
            "1 m",
            "",
            "99999999999999h",
        ] {
            assert_eq!(text.parse::<Duration>(), Err(ParseDurationError), "{text}");
        }
    }
}
