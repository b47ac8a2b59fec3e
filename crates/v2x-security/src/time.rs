//! The time of messages and that of calendars: TAI since 2004 against UTC, whose seconds leap.

use waywarden_v2x_wire::ieee1609dot2::Time64;

/// 2004-01-01T00:00:00 UTC, in seconds since 1970.
const EPOCH: i64 = 1_072_915_200;

/// The seconds that leapt since 2004: the first second after each, in seconds since 1970.
/// \[IERS-C\] announces them half a year ahead; none is announced.
const LEAPS: [i64; 5] = [
    1_136_073_600, // 2006-01-01
    1_230_768_000, // 2009-01-01
    1_341_100_800, // 2012-07-01
    1_435_708_800, // 2015-07-01
    1_483_228_800, // 2017-01-01
];

/// A date and a time of day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
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
    /// The second.
    pub second: u8,
    /// The microsecond.
    pub microsecond: u32,
}

/// Returns the time of a moment in microseconds since 1970 UTC; `None` before 2004.
#[must_use]
pub fn from_unix(microseconds: i64) -> Option<Time64> {
    let seconds = microseconds.div_euclid(1_000_000);
    let leaps = LEAPS.iter().filter(|leap| seconds >= **leap).count() as i64;
    let since = microseconds.checked_sub((EPOCH - leaps) * 1_000_000)?;
    u64::try_from(since).ok().map(Time64)
}

/// Returns a moment in microseconds since 1970 UTC. A second that leaps is told as the one after
/// it.
#[must_use]
pub fn to_unix(time: Time64) -> Option<i64> {
    let since = i64::try_from(time.0).ok()?.checked_add(EPOCH * 1_000_000)?;
    let seconds = since.div_euclid(1_000_000);
    // A leap is over when as many seconds more have passed as leapt before it, and its own.
    let over = |(at, leap): &(usize, &i64)| seconds - *at as i64 > **leap;
    let leaps = LEAPS.iter().enumerate().take_while(over).count() as i64;
    since.checked_sub(leaps * 1_000_000)
}

impl Civil {
    /// Returns the date and time of a moment; `None` beyond what 64 bits of microseconds hold.
    #[must_use]
    pub fn of(time: Time64) -> Option<Self> {
        let unix = to_unix(time)?;
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
        Some(Self {
            year: era * 400 + year + i64::from(month <= 2),
            month: month as u8,
            day: date as u8,
            hour: (seconds / 3_600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            microsecond: (rest % 1_000_000) as u32,
        })
    }

    /// Returns the moment; `None` for a date that there is not, or before 2004.
    #[must_use]
    pub fn time(&self) -> Option<Time64> {
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
        let time = from_unix(unix)?;
        // The 31st of a month of thirty days would be another day.
        Self::of(time).filter(|again| again == self).map(|_| time)
    }
}

impl core::fmt::Display for Civil {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn civil(year: i64, month: u8, day: u8, second: u8) -> Civil {
        Civil {
            year,
            month,
            day,
            hour: 23 * u8::from(second > 0),
            minute: 59 * u8::from(second > 0),
            second,
            microsecond: 0,
        }
    }

    #[test]
    fn time_begins_with_2004_and_leaps() {
        assert_eq!(from_unix(EPOCH * 1_000_000), Some(Time64(0)));
        assert_eq!(from_unix(EPOCH * 1_000_000 - 1), None);
        // 13 years with four leap days, and four seconds that leapt before the fifth.
        let days = 13 * 365 + 4;
        let last = civil(2016, 12, 31, 59).time().unwrap();
        assert_eq!(last, Time64((days * 86_400 - 1 + 4) * 1_000_000));
        let next = civil(2017, 1, 1, 0).time().unwrap();
        assert_eq!(next.0 - last.0, 2_000_000);
    }

    #[test]
    fn dates_come_back() {
        for day in 0..40_000_u64 {
            let time = Time64(day * 86_400_000_000 + 43_200_123_456);
            let date = Civil::of(time).unwrap();
            assert_eq!(date.time(), Some(time), "{date}");
        }
        assert_eq!(civil(2023, 2, 29, 0).time(), None);
        assert_eq!(
            civil(2024, 2, 29, 0).time().and_then(Civil::of),
            Some(civil(2024, 2, 29, 0))
        );
        assert_eq!(
            Civil::of(Time64(0)).map(|one| (one.year, one.month, one.day)),
            Some((2004, 1, 1))
        );
    }
}
