//! The fields text logs are made of: words, hexadecimal digits, seconds, calendar dates.
//!
//! Shared by the text formats; knows none of them.

use crate::error::{LineCause, Quote};

const NANOS: u64 = 1_000_000_000;

/// Cuts a line into words at blanks.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Words { rest: line }
    }

    /// Returns the rest of the text, without blanks around it.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest.trim_ascii()
    }

    /// Returns the next word without taking it.
    pub(crate) fn peek(&self) -> Option<&'a [u8]> {
        self.clone().next()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.rest.trim_ascii_start();
        if text.is_empty() {
            self.rest = text;
            return None;
        }
        let end = text
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

/// Returns the value of a hexadecimal digit.
pub(crate) fn hex_digit(digit: u8) -> Option<u8> {
    // A table look-up is the fastest way through four megabytes of digits.
    const VALUES: [u8; 256] = {
        let mut values = [0xFF; 256];
        let mut n = 0;
        while n < 16 {
            values[b"0123456789ABCDEF"[n] as usize] = n as u8;
            values[b"0123456789abcdef"[n] as usize] = n as u8;
            n += 1;
        }
        values
    };
    let value = VALUES[digit as usize];
    (value < 16).then_some(value)
}

/// Returns the byte of two hexadecimal digits.
pub(crate) fn hex_byte(digits: &[u8]) -> Option<u8> {
    match *digits {
        [high, low] => Some(hex_digit(high)? << 4 | hex_digit(low)?),
        _ => None,
    }
}

/// Parses a number in digits of a base up to 16; none unless all are digits and it fits.
pub(crate) fn number(digits: &[u8], base: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u32, |value, &digit| {
        let digit = u32::from(hex_digit(digit)?);
        (digit < base).then_some(())?;
        value.checked_mul(base)?.checked_add(digit)
    })
}

/// Returns the nanoseconds of a decimal number of seconds, rounded to the nearest.
pub(crate) fn seconds(text: &[u8]) -> Result<u64, LineCause> {
    scaled(text, 9).map_err(|fault| match fault {
        NumberFault::Form => LineCause::TimeStamp(Quote::new(text)),
        NumberFault::Range => LineCause::TimeStampRange(Quote::new(text)),
    })
}

/// Reason why a decimal number cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberFault {
    /// Other characters than digits, or a point without digits on both sides.
    Form,
    /// More than 64 bits.
    Range,
}

/// Returns a decimal number times ten to the power of `digits`, which is 9 at most, rounded to the
/// nearest.
pub(crate) fn scaled(text: &[u8], digits: u32) -> Result<u64, NumberFault> {
    let point = text.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = match point {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &b"0"[..]),
    };
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !is_number(whole) || !is_number(fraction) {
        return Err(NumberFault::Form);
    }
    let units = whole.iter().try_fold(0u64, |value, digit| {
        value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    let shown = &fraction[..fraction.len().min(digits as usize)];
    let rest = shown
        .iter()
        .fold(0u64, |value, digit| value * 10 + u64::from(digit - b'0'))
        * 10u64.pow(digits - shown.len() as u32);
    let next = fraction.get(shown.len());
    let rest = rest + u64::from(next.is_some_and(|digit| *digit >= b'5'));
    units
        .and_then(|units| units.checked_mul(10u64.pow(digits)))
        .and_then(|whole| whole.checked_add(rest))
        .ok_or(NumberFault::Range)
}

/// Returns the nearest whole microsecond of a time in nanoseconds, up to the last one in 64 bits.
/// Times keep their order.
pub(crate) const fn to_microsecond(nanos: u64) -> u64 {
    let half_up = nanos.saturating_add(500);
    half_up - half_up % 1_000
}

/// Returns the nearest whole millisecond of a date in nanoseconds.
pub(crate) const fn to_millisecond(nanos: u64) -> u64 {
    let half_up = nanos.saturating_add(500_000);
    half_up - half_up % 1_000_000
}

/// A point of the Gregorian calendar, taken as UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub(crate) year: u16,
    /// 1 to 12.
    pub(crate) month: u8,
    /// 1 to 31.
    pub(crate) day: u8,
    /// Time since midnight.
    pub(crate) nanos: u64,
}

const DAY: u64 = 86_400 * NANOS;

impl Date {
    /// Returns nanoseconds since the Unix epoch; `None` for no date or one outside 1970 to 2554.
    pub(crate) fn unix_ns(self) -> Option<u64> {
        let days = |month: u8| u64::from(days_before(self.year, month));
        if !(1970..=2554).contains(&self.year)
            || !(1..=12).contains(&self.month)
            || self.day == 0
            || self.nanos >= DAY
            || days(self.month) + u64::from(self.day) > days(self.month + 1)
        {
            return None;
        }
        let years: u64 = (1970..self.year)
            .map(|year| u64::from(days_before(year, 13)))
            .sum();
        (years + days(self.month) + u64::from(self.day) - 1)
            .checked_mul(DAY)?
            .checked_add(self.nanos)
    }

    /// Returns the date of a time since the Unix epoch.
    pub(crate) fn from_unix_ns(unix_ns: u64) -> Self {
        let mut days = unix_ns / DAY;
        let mut year = 1970;
        while days >= u64::from(days_before(year, 13)) {
            days -= u64::from(days_before(year, 13));
            year += 1;
        }
        let mut month = 1;
        while days >= u64::from(days_before(year, month + 1)) {
            month += 1;
        }
        Date {
            year,
            month,
            day: (days - u64::from(days_before(year, month))) as u8 + 1,
            nanos: unix_ns % DAY,
        }
    }

    /// Returns the day of the week, 0 for Sunday.
    pub(crate) fn weekday(unix_ns: u64) -> usize {
        // 1970-01-01 was a Thursday.
        ((unix_ns / DAY + 4) % 7) as usize
    }
}

/// Returns the days of a year before the first of a month; month 13 gives those of the year.
fn days_before(year: u16, month: u8) -> u16 {
    const BEFORE: [u16; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    BEFORE[usize::from(month - 1).min(12)] + u16::from(leap && month > 2)
}

/// Returns the nanoseconds of `hours:minutes:seconds`, the seconds with or without fraction.
pub(crate) fn time_of_day(text: &[u8]) -> Option<u64> {
    let mut parts = text.splitn(3, |&byte| byte == b':');
    let hours = number(parts.next()?, 10).filter(|&hours| hours < 24)?;
    let minutes = number(parts.next()?, 10).filter(|&minutes| minutes < 60)?;
    let nanos = seconds(parts.next()?)
        .ok()
        .filter(|&nanos| nanos < 60 * NANOS)?;
    Some(u64::from(hours * 3600 + minutes * 60) * NANOS + nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact_to_the_nanosecond() {
        assert_eq!(seconds(b"1620692699.796900"), Ok(1_620_692_699_796_900_000));
        assert_eq!(seconds(b"0.1234567894999"), Ok(123_456_789));
        assert_eq!(seconds(b"0.1234567895"), Ok(123_456_790));
        assert_eq!(seconds(b"0.9999999999"), Ok(1_000_000_000));
        assert_eq!(scaled(b"1.5", 0), Ok(2));
        assert_eq!(seconds(b"7"), Ok(7_000_000_000));
        assert_eq!(seconds(b"18446744073.709551615"), Ok(u64::MAX));
        for wrong in [
            &b""[..],
            b".",
            b"1.",
            b".5",
            b"-1.0",
            b"1.5x",
            b"1e3",
            b"1.2.3",
        ] {
            assert!(
                matches!(seconds(wrong), Err(LineCause::TimeStamp(_))),
                "{wrong:?}"
            );
        }
        for wrong in [&b"18446744073.709551616"[..], b"99999999999999999999999"] {
            assert!(
                matches!(seconds(wrong), Err(LineCause::TimeStampRange(_))),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn microseconds_are_the_nearest_and_in_order() {
        for (nanos, expected) in [
            (0, 0),
            (499, 0),
            (500, 1_000),
            (1_620_692_699_796_899_796, 1_620_692_699_796_900_000),
            (u64::MAX, u64::MAX / 1_000 * 1_000),
        ] {
            assert_eq!(to_microsecond(nanos), expected, "{nanos}");
        }
        let mut random = waywarden_testkit::Random::of_test("microseconds_are_the_nearest");
        for _ in 0..10_000 {
            let nanos = random.u64() >> random.below(60);
            let rounded = to_microsecond(nanos);
            assert!(rounded.abs_diff(nanos) <= 500 || nanos > u64::MAX - 1_000, "{nanos}");
            assert!(to_microsecond(nanos.saturating_add(random.below(2_000))) >= rounded);
        }
    }

    #[test]
    fn dates_and_unix_times_are_one_to_one() {
        // Known from `date -u -d @1620692699.5`, `@951782400` (a leap day) and `@4107542399`.
        let known = [
            (1_620_692_699_500_000_000, 2021, 5, 11, 2, "0:24:59.5"),
            (951_782_400_000_000_000, 2000, 2, 29, 2, "0:0:0"),
            (4_107_542_399_000_000_000, 2100, 2, 28, 0, "23:59:59"),
        ];
        for (unix_ns, year, month, day, weekday, time) in known {
            let date = Date {
                year,
                month,
                day,
                nanos: time_of_day(time.as_bytes()).unwrap(),
            };
            assert_eq!(date.unix_ns(), Some(unix_ns));
            assert_eq!(Date::from_unix_ns(unix_ns), date);
            assert_eq!(Date::weekday(unix_ns), weekday);
        }
        for day in 0..=u64::MAX / DAY {
            assert_eq!(Date::from_unix_ns(day * DAY).unix_ns(), Some(day * DAY));
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        let date = |year, month, day, nanos| {
            Date {
                year,
                month,
                day,
                nanos,
            }
            .unix_ns()
        };
        assert_eq!(date(2021, 2, 29, 0), None);
        assert_eq!(date(2021, 13, 1, 0), None);
        assert_eq!(date(2021, 0, 1, 0), None);
        assert_eq!(date(2021, 12, 0, 0), None);
        assert_eq!(date(1601, 1, 1, 0), None);
        assert_eq!(date(u16::MAX, 1, 1, 0), None);
        assert_eq!(date(2021, 12, 31, DAY), None);
        assert_eq!(time_of_day(b"24:00:00"), None);
        assert_eq!(time_of_day(b"12:00"), None);
    }
}
