//! The start of a measurement in TRC files: days since 1899-12-30, or a date in a comment.

use crate::text::{Date, Words, number, time_of_day};

const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;

/// Days from 1899-12-30 to the Unix epoch.
const EPOCH_DAYS: u64 = 25_569;

/// The digits of the fraction of a day that are written: its last one is 0.1 ns.
const DIGITS: u32 = 15;

/// Reads days as nanoseconds since the Unix epoch, to the microsecond, as PEAK's ten digits of a
/// fraction mean no less.
pub(super) fn unix_ns(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|byte| b".,".contains(byte));
    let (whole, fraction) = text.split_at(point.unwrap_or(text.len()));
    let days = u64::from(number(whole, 10)?).checked_sub(EPOCH_DAYS)?;
    let digits = fraction.get(1..).unwrap_or_default();
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = &digits[..digits.len().min(18)];
    let value = digits
        .iter()
        .fold(0_u128, |value, digit| value * 10 + u128::from(digit - b'0'));
    let scale = 10_u128.pow(digits.len() as u32);
    let micros = (value * u128::from(DAY / 1_000) + scale / 2) / scale;
    days.checked_mul(DAY)?
        .checked_add(u64::try_from(micros).ok()? * 1_000)
}

/// Returns the days of a time since the Unix epoch.
pub(super) fn days(unix_ns: u64) -> String {
    let (days, nanos) = (unix_ns / DAY + EPOCH_DAYS, unix_ns % DAY);
    let scale = 10_u128.pow(DIGITS);
    let fraction = u128::from(nanos) * scale / u128::from(DAY);
    format!("{days}.{fraction:0width$}", width = DIGITS as usize)
}

/// Reads the comment `Start time: day.month.year hour:minute:second.fraction` of version 1.0.
pub(super) fn of_comment(line: &[u8]) -> Option<u64> {
    let text = line[1..].trim_ascii().strip_prefix(b"Start time:")?;
    let mut words = Words::new(text);
    let mut parts = words.next()?.splitn(3, |&byte| byte == b'.');
    let mut part = || number(parts.next()?, 10);
    let (day, month, year) = (part()?, part()?, part()?);
    Date {
        year: year.try_into().ok()?,
        month: month.try_into().ok()?,
        day: day.try_into().ok()?,
        nanos: time_of_day(words.next()?)?,
    }
    .unix_ns()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_one_to_one_to_the_microsecond() {
        // 18.12.2021 14:28:07.062.001, as PEAK's converter states it beside the days.
        let start = unix_ns(b"44548.6028595139").unwrap();
        assert_eq!(start / 1_000_000, 1_639_837_687_062);
        assert_eq!(unix_ns(b"25569"), Some(0));
        assert_eq!(unix_ns(b"25569,5"), Some(DAY / 2));
        for micros in [0, 1, 43_200_000_001, 86_399_999_999, 1_639_837_687_062_001] {
            let written = days(micros * 1_000);
            assert_eq!(
                unix_ns(written.as_bytes()),
                Some(micros * 1_000),
                "{written}"
            );
        }
        for wrong in ["", "x", "1", "44548.6x", "9999999999", "4000000000.5"] {
            assert_eq!(unix_ns(wrong.as_bytes()), None, "{wrong}");
        }
        let comment = b";    Start time: 18.12.2021 14:28:07.062";
        assert_eq!(of_comment(comment), Some(1_639_837_687_062_000_000));
        assert_eq!(of_comment(b";   Start time: 12/18/2021 2:28 PM"), None);
        assert_eq!(of_comment(b";"), None);
    }
}
