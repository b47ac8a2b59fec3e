//! Both clocks of the machine, read together.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Readings of the machine's clocks at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// Monotonic clock: the time since any fixed moment.
    pub monotonic: Duration,
    /// System's clock, in microseconds since 1970 UTC.
    pub system: i64,
}

/// Reads the machine's clocks.
#[derive(Clone, Copy, Debug)]
pub struct MachineClock(Instant);

impl MachineClock {
    /// Creates a clock whose monotonic part begins now.
    #[must_use]
    pub fn new() -> Self {
        Self(Instant::now())
    }

    /// Reads both clocks. A system's clock before 1970 shows 1970.
    #[must_use]
    pub fn now(&self) -> ClockReading {
        let system = SystemTime::now().duration_since(UNIX_EPOCH);
        let system = system.unwrap_or_default().as_micros();
        ClockReading {
            monotonic: self.0.elapsed(),
            system: i64::try_from(system).unwrap_or(i64::MAX),
        }
    }
}

impl Default for MachineClock {
    fn default() -> Self {
        Self::new()
    }
}

/// A span in microseconds; the longest one that fits where it is longer.
pub(super) fn microseconds(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// A moment in microseconds, as a number that can be subtracted.
pub(super) fn signed(time: waywarden_v2x_wire::ieee1609dot2::Time64) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}

/// Returns TAI - UTC in seconds at a moment that is known in both.
pub(super) fn tai_minus_utc(time: waywarden_v2x_wire::ieee1609dot2::Time64, unix: i64) -> i64 {
    /// 2004-01-01 UTC, when the count of [`Time64`] begins, in microseconds since 1970.
    ///
    /// [`Time64`]: waywarden_v2x_wire::ieee1609dot2::Time64
    const EPOCH: i64 = 1_072_915_200_000_000;
    /// TAI - UTC on that day, in seconds.
    const THEN: i64 = 32;
    let since = unix.saturating_sub(EPOCH);
    THEN + signed(time).saturating_sub(since) / 1_000_000
}
