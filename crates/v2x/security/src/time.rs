//! The time of messages and that of calendars: TAI since 2004 against UTC, whose seconds leap.

mod civil;
mod leap;
mod leap_file;

use waywarden_v2x_wire::ieee1609dot2::Time64;

pub use civil::CivilTime;
use leap::BUILT_IN;
pub use leap::{LeapSecond, LeapSeconds};
pub use leap_file::{FILE_BYTES_MAX, LeapSecondsError};

/// Returns the time of a moment in microseconds since 1970 UTC, by the built-in table of leap
/// seconds; `None` before 2004.
#[must_use]
pub fn from_unix(microseconds: i64) -> Option<Time64> {
    BUILT_IN.from_unix(microseconds)
}

/// Returns a moment in microseconds since 1970 UTC, by the built-in table of leap seconds. A leap
/// second is told as the one after it.
#[must_use]
pub fn to_unix(time: Time64) -> Option<i64> {
    BUILT_IN.to_unix(time)
}

impl CivilTime {
    /// Returns the date and time of a moment, by the built-in table of leap seconds; `None` beyond
    /// what 64 bits of microseconds hold.
    #[must_use]
    pub fn of(time: Time64) -> Option<Self> {
        BUILT_IN.civil(time)
    }

    /// Returns the moment, by the built-in table of leap seconds; `None` for a date that there is
    /// not, for a second 60 that does not leap, or before 2004.
    #[must_use]
    pub fn time(&self) -> Option<Time64> {
        BUILT_IN.time(self)
    }
}

#[cfg(test)]
mod tests {
    use super::leap::EPOCH;
    use super::*;

    fn civil(year: i64, month: u8, day: u8, second: u8) -> CivilTime {
        CivilTime {
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
            let date = CivilTime::of(time).unwrap();
            assert_eq!(date.time(), Some(time), "{date}");
        }
        assert_eq!(civil(2023, 2, 29, 0).time(), None);
        assert_eq!(
            civil(2024, 2, 29, 0).time().and_then(CivilTime::of),
            Some(civil(2024, 2, 29, 0))
        );
        assert_eq!(
            CivilTime::of(Time64(0)).map(|one| (one.year, one.month, one.day)),
            Some((2004, 1, 1))
        );
    }
}
