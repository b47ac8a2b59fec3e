//! Times that are whole leap seconds off the system's clock, and the likely cause.

use std::fmt;

/// GPS time is TAI less so many seconds, always.
const TAI_MINUS_GPS: i64 = 19;
/// Most seconds between two tables of leap seconds of which one is out of date.
///
/// `Choice:` 3 s. In the twenty years to 2026 five leap seconds came.
const TABLES_APART_MAX: i64 = 3;
const SECOND: i64 = 1_000_000;

/// Likely cause of a time that is whole leap seconds off the system's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeapSecondFault {
    /// The source gives GPS time as UTC.
    SourceIsGpsTime,
    /// The source gives TAI as UTC.
    SourceIsTai,
    /// The system's clock counts TAI.
    SystemIsTai,
    /// A table of leap seconds is out of date on one side.
    TableOutdated,
}

impl LeapSecondFault {
    /// Finds the likely cause of a difference in microseconds, positive if the time is later than
    /// the system's clock; `tai` is TAI - UTC in seconds, and `tolerance` what it may be from
    /// whole seconds, in microseconds.
    pub(super) fn of(by: i64, tai: i64, tolerance: i64) -> Option<Self> {
        let seconds = by.saturating_add(by.signum() * SECOND / 2) / SECOND;
        let rest = by.saturating_sub(seconds.saturating_mul(SECOND));
        if rest.saturating_abs() > tolerance {
            return None;
        }
        match seconds {
            0 => None,
            _ if seconds == tai - TAI_MINUS_GPS => Some(Self::SourceIsGpsTime),
            _ if seconds == tai => Some(Self::SourceIsTai),
            _ if seconds == -tai => Some(Self::SystemIsTai),
            _ if seconds.saturating_abs() <= TABLES_APART_MAX => Some(Self::TableOutdated),
            _ => None,
        }
    }

    /// The cause and its remedy.
    fn remedy(self) -> &'static str {
        match self {
            Self::SourceIsGpsTime => {
                "as GPS time is of UTC: the receiver has not received the leap seconds yet, which \
                 takes 13 minutes after a cold start, or is set to GPS time; wait, then check its \
                 settings"
            }
            Self::SourceIsTai => "as TAI is of UTC: set the receiver to UTC",
            Self::SystemIsTai => {
                "as UTC is of TAI: set the system's clock to UTC; with PTP the grandmaster's UTC \
                 offset has to be valid"
            }
            Self::TableOutdated => {
                "whole leap seconds: a table of leap seconds is out of date; check the receiver's \
                 firmware, the NTP server and leap-seconds.list"
            }
        }
    }
}

impl fmt::Display for LeapSecondFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: i64 = 300_000;

    #[test]
    fn differences_of_leap_seconds_have_a_cause_and_others_have_none() {
        use LeapSecondFault::{SourceIsGpsTime, SourceIsTai, SystemIsTai, TableOutdated};
        for (milliseconds, expected) in [
            (0, None),
            (299, None),
            (-299, None),
            (500, None),
            (700, Some(TableOutdated)),
            (1_000, Some(TableOutdated)),
            (-1_250, Some(TableOutdated)),
            (2_300, Some(TableOutdated)),
            (2_400, None),
            (-3_000, Some(TableOutdated)),
            (4_000, None),
            (6_000, None),
            (17_000, None),
            (17_800, Some(SourceIsGpsTime)),
            (18_000, Some(SourceIsGpsTime)),
            (-18_000, None),
            (37_000, Some(SourceIsTai)),
            (-36_900, Some(SystemIsTai)),
            (-37_000, Some(SystemIsTai)),
            (3_600_000, None),
        ] {
            let found = LeapSecondFault::of(milliseconds * 1_000, 37, TOLERANCE);
            assert_eq!(found, expected, "{milliseconds} ms");
        }
        for by in [i64::MIN, i64::MIN + 1, i64::MAX] {
            assert_eq!(LeapSecondFault::of(by, 37, TOLERANCE), None);
        }
    }
}
