//! The table of leap seconds, and what follows from it.

use alloc::borrow::Cow;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::civil::CivilTime;

/// 2004-01-01T00:00:00 UTC, in seconds since 1970.
pub(super) const EPOCH: i64 = 1_072_915_200;

const SECOND: i64 = 1_000_000;

/// A change of TAI - UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeapSecond {
    /// The first second after it, in seconds since 1970 UTC: a midnight.
    pub at: i64,
    /// TAI - UTC from then on, less the 32 s of 2004; in seconds. One more than before, or one less
    /// where a second was left out.
    pub offset: i32,
}

/// The leap seconds since 2004, and until when no other one can come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeapSeconds {
    table: Cow<'static, [LeapSecond]>,
    expiry: i64,
}

const fn leap(at: i64, offset: i32) -> LeapSecond {
    LeapSecond { at, offset }
}

/// Leap seconds announced by \[IERS-C\].
pub(super) static BUILT_IN: LeapSeconds = LeapSeconds {
    table: Cow::Borrowed(&[
        leap(1_136_073_600, 1), // 2006-01-01
        leap(1_230_768_000, 2), // 2009-01-01
        leap(1_341_100_800, 3), // 2012-07-01
        leap(1_435_708_800, 4), // 2015-07-01
        leap(1_483_228_800, 5), // 2017-01-01
    ]),
    // 2027-06-28: none at the end of 2026, and the next chance is the end of June.
    expiry: 1_814_140_800,
};

impl LeapSeconds {
    /// Returns the table that the program was built with. It expires on 2027-06-28.
    #[must_use]
    pub fn built_in() -> Self {
        BUILT_IN.clone()
    }

    /// Makes a table whose entries have been checked.
    pub(super) fn checked(table: alloc::vec::Vec<LeapSecond>, expiry: i64) -> Self {
        Self {
            table: Cow::Owned(table),
            expiry,
        }
    }

    /// Returns the entries, by time.
    #[must_use]
    pub fn entries(&self) -> &[LeapSecond] {
        &self.table
    }

    /// Returns the time from which the table may lack an entry, in seconds since 1970 UTC.
    #[must_use]
    pub fn expiry(&self) -> i64 {
        self.expiry
    }

    /// Returns true if the table may lack an entry at a time.
    #[must_use]
    pub fn is_expired(&self, time: Time64) -> bool {
        self.to_unix(time)
            .is_none_or(|unix| unix >= self.expiry.saturating_mul(SECOND))
    }

    /// Returns the time of a moment in microseconds since 1970 UTC; `None` before 2004.
    #[must_use]
    pub fn from_unix(&self, microseconds: i64) -> Option<Time64> {
        let seconds = microseconds.div_euclid(SECOND);
        let passed = self.table.iter().rev().find(|leap| seconds >= leap.at);
        let offset = passed.map_or(0, |leap| i64::from(leap.offset));
        let since = microseconds.checked_sub((EPOCH - offset) * SECOND)?;
        u64::try_from(since).ok().map(Time64)
    }

    /// Returns the time of a moment in microseconds since 1970 UTC, when it should be about
    /// `expected`; `None` before 2004.
    ///
    /// A count since 1970 has no number for a leap second: the system's clock repeats the second
    /// before it, gpsd the one after it. Of both meanings the one nearer to `expected` is returned.
    #[must_use]
    pub fn from_unix_near(&self, microseconds: i64, expected: Time64) -> Option<Time64> {
        let time = self.from_unix(microseconds)?;
        let seconds = microseconds.div_euclid(SECOND);
        let other = if self.is_positive_leap_at(seconds) {
            time.0.checked_sub(SECOND as u64)
        } else if self.is_positive_leap_at(seconds + 1) {
            time.0.checked_add(SECOND as u64)
        } else {
            None
        };
        let distance = |time: u64| time.abs_diff(expected.0);
        let other = other.filter(|&other| distance(other) < distance(time.0));
        Some(other.map_or(time, Time64))
    }

    /// Returns a moment in microseconds since 1970 UTC; `None` beyond what 64 bits hold. A leap
    /// second is told as the one after it.
    #[must_use]
    pub fn to_unix(&self, time: Time64) -> Option<i64> {
        let since = i64::try_from(time.0).ok()?.checked_add(EPOCH * SECOND)?;
        let seconds = since.div_euclid(SECOND);
        let is_over = |leap: &&LeapSecond| seconds >= leap.at + i64::from(leap.offset);
        let over = self.table.iter().rev().find(is_over);
        since.checked_sub(over.map_or(0, |leap| i64::from(leap.offset)) * SECOND)
    }

    /// Returns true if a time is within a leap second.
    #[must_use]
    pub fn is_leap_second(&self, time: Time64) -> bool {
        let seconds = EPOCH.saturating_add_unsigned(time.0 / SECOND as u64);
        self.table.iter().any(|leap| {
            seconds == leap.at + i64::from(leap.offset) - 1 && self.is_positive_leap_at(leap.at)
        })
    }

    /// Returns the date and time of a moment, with second 60 in a leap second; `None` beyond what
    /// 64 bits of microseconds hold.
    #[must_use]
    pub fn civil(&self, time: Time64) -> Option<CivilTime> {
        let unix = self.to_unix(time)?;
        if !self.is_leap_second(time) {
            return Some(CivilTime::from_unix(unix));
        }
        let before = CivilTime::from_unix(unix.checked_sub(SECOND)?);
        Some(CivilTime {
            second: 60,
            ..before
        })
    }

    /// Returns the moment of a date and time; `None` for a date that there is not, for a second 60
    /// that does not leap, for a second that was left out, or before 2004.
    #[must_use]
    pub fn time(&self, civil: &CivilTime) -> Option<Time64> {
        let is_60 = civil.second == 60;
        let second = if is_60 { 59 } else { civil.second };
        let time = self.from_unix(CivilTime { second, ..*civil }.unix()?)?;
        let time = time.0.checked_add(if is_60 { SECOND as u64 } else { 0 })?;
        Some(Time64(time)).filter(|&time| self.civil(time) == Some(*civil))
    }

    /// Returns true if the second before `seconds` (since 1970) was an inserted leap second.
    fn is_positive_leap_at(&self, seconds: i64) -> bool {
        let mut before = 0;
        self.table.iter().any(|leap| {
            let is_positive = leap.offset > before;
            before = leap.offset;
            leap.at == seconds && is_positive
        })
    }
}
