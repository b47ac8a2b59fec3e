//! Dates and times of day: their arithmetic and their text. What a leap second is,
//! [`super::LeapSeconds`] knows.

use core::fmt;
use core::ops::RangeInclusive;

/// A date and a time of day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CivilTime {
    /// The year.
    pub year: i64,
    /// The month, from 1.
    pub month: u8,
    /// The day, from 1.
    pub day: u8,
    /// The hour.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second: 60 in a leap second.
    pub second: u8,
    /// The microsecond.
    pub microsecond: u32,
}

impl CivilTime {
    /// Reads what [`Display`](fmt::Display) writes, as `2026-03-01T12:00:00.25Z`: at most six
    /// digits of a fraction. `None` for any other text. Whether there is such a day is not checked.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
        let (clock, microsecond) = match clock.split_once('.') {
            Some((clock, fraction)) => {
                let places = u32::try_from(fraction.len()).ok()?;
                let value = digits(fraction, 1..=6)?;
                (clock, value * 10_u32.pow(6_u32.checked_sub(places)?))
            }
            None => (clock, 0),
        };
        let [year, month, day] = three(date, '-')?;
        let [hour, minute, second] = three(clock, ':')?;
        let two = |text| Some(digits(text, 2..=2)? as u8);
        Some(Self {
            year: digits(year, 4..=4)?.into(),
            month: two(month)?,
            day: two(day)?,
            hour: two(hour)?,
            minute: two(minute)?,
            second: two(second)?,
            microsecond,
        })
    }

    /// Returns the date and time of a moment in microseconds since 1970 UTC.
    pub(super) fn from_unix(unix: i64) -> Self {
        let (days, rest) = (
            unix.div_euclid(86_400_000_000),
            unix.rem_euclid(86_400_000_000),
        );
        // Years begin in March, so that a leap day is the last of its year; eras have 400 of them.
        let days = days + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let date = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let seconds = rest / 1_000_000;
        Self {
            year: era * 400 + year + i64::from(month <= 2),
            month: month as u8,
            day: date as u8,
            hour: (seconds / 3_600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            microsecond: (rest % 1_000_000) as u32,
        }
    }

    /// Returns the moment in microseconds since 1970 UTC; `None` for a date that there is not, or
    /// before 2004. Second 60 is told as the one after it, whether there was one or not.
    #[must_use]
    pub fn unix(&self) -> Option<i64> {
        if self.second == 60 {
            let before = Self {
                second: 59,
                ..*self
            };
            return before.unix()?.checked_add(1_000_000);
        }
        let is_clock = self.hour < 24 && self.minute < 60 && self.second < 60;
        let is_date = (1..=12).contains(&self.month) && (1..=31).contains(&self.day);
        if !is_clock
            || !is_date
            || !(2004..10_000).contains(&self.year)
            || self.microsecond > 999_999
        {
            return None;
        }
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = self.year - i64::from(month <= 2);
        let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
        let month = if month > 2 { month - 3 } else { month + 9 };
        let in_year = (153 * month + 2) / 5 + day - 1;
        let days = era * 146_097 + year * 365 + year / 4 - year / 100 + in_year - 719_468;
        let clock =
            i64::from(self.hour) * 3_600 + i64::from(self.minute) * 60 + i64::from(self.second);
        let unix = (days * 86_400 + clock) * 1_000_000 + i64::from(self.microsecond);
        // The 31st of a month of thirty days would be another day.
        (Self::from_unix(unix) == *self).then_some(unix)
    }
}

impl fmt::Display for CivilTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            self.year, self.month, self.day, self.hour, self.minute, self.second
        )?;
        if self.microsecond != 0 {
            write!(formatter, ".{:06}", self.microsecond)?;
        }
        formatter.write_str("Z")
    }
}

/// A number of so many decimal digits, and nothing else: no sign.
fn digits(text: &str, count: RangeInclusive<usize>) -> Option<u32> {
    let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match are_digits && count.contains(&text.len()) {
        true => text.parse().ok(),
        false => None,
    }
}

fn three(text: &str, by: char) -> Option<[&str; 3]> {
    let mut parts = text.split(by);
    let three = [parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(three)
}
