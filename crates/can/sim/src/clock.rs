//! Simulated time in picoseconds, and each ECU's own view of it.
//!
//! The bus needs picoseconds: bit times such as 1/83,333 s, and sample points inside them, are no
//! whole nanoseconds. Nodes see nanoseconds of their own clock, which may drift.

use std::ops::Add;

use serde::{Serialize, Serializer};
use waywarden_can::timing::Picoseconds;
use waywarden_work::{Duration, Instant};

/// A point of simulated time: picoseconds since the start, up to 213 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The start of the simulation.
    pub const ZERO: Time = Time(0);
    /// A time that never comes.
    pub const NEVER: Time = Time(u64::MAX);

    /// Makes a time from picoseconds since the start.
    #[must_use]
    pub const fn from_picos(picos: u64) -> Self {
        Time(picos)
    }

    /// Makes a time from nanoseconds since the start, saturating.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Time(nanos.saturating_mul(1_000))
    }

    /// Returns picoseconds since the start.
    #[must_use]
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// Returns the seconds since the start, for display.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 * 1e-12
    }

    /// Returns the picoseconds since `earlier`, zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Time) -> Picoseconds {
        Picoseconds::new(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Picoseconds> for Time {
    type Output = Time;
    fn add(self, rhs: Picoseconds) -> Time {
        Time(self.0.saturating_add(rhs.get()))
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, rhs: Duration) -> Time {
        Time(self.0.saturating_add(rhs.as_nanos().saturating_mul(1_000)))
    }
}

/// Written as nanoseconds, with a fraction where the bus has one.
impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(1_000) {
            serializer.serialize_u64(self.0 / 1_000)
        } else {
            serializer.serialize_f64(self.0 as f64 / 1_000.0)
        }
    }
}

/// An ECU's own clock: zero at its boot, running fast or slow by a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalClock {
    /// The time since which it has run at this rate.
    since: Time,
    /// The time that it showed then.
    shown: Instant,
    drift_ppb: i32,
}

const BILLION: u128 = 1_000_000_000;

impl LocalClock {
    /// Starts a clock at `boot` that gains `drift_ppb` nanoseconds a second (negative: loses).
    #[must_use]
    pub const fn starting(boot: Time, drift_ppb: i32) -> Self {
        LocalClock {
            since: boot,
            shown: Instant::ZERO,
            drift_ppb,
        }
    }

    /// Returns the clock that goes on from `now` at another rate.
    #[must_use]
    pub fn drifting(&self, now: Time, drift_ppb: i32) -> Self {
        LocalClock {
            since: now,
            shown: self.at(now),
            drift_ppb,
        }
    }

    /// Returns what the clock shows at `time`.
    #[must_use]
    pub fn at(&self, time: Time) -> Instant {
        let elapsed = time.0.saturating_sub(self.since.0);
        let nanos = if self.drift_ppb == 0 {
            elapsed / 1_000
        } else {
            (u128::from(elapsed) * self.rate() / BILLION / 1_000) as u64
        };
        self.shown + Duration::from_nanos(nanos)
    }

    /// Returns the first time at which the clock shows `instant` or later.
    #[must_use]
    pub fn when(&self, instant: Instant) -> Time {
        let nanos = instant.since(self.shown).as_nanos();
        let elapsed = if self.drift_ppb == 0 {
            nanos.saturating_mul(1_000)
        } else {
            let picos = (u128::from(nanos) * 1_000 * BILLION).div_ceil(self.rate());
            u64::try_from(picos).unwrap_or(u64::MAX)
        };
        Time(self.since.0.saturating_add(elapsed))
    }

    fn rate(&self) -> u128 {
        (1_000_000_000 + i128::from(self.drift_ppb)).unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drifting_clock_is_never_early() {
        for drift in [-200_000, -1, 0, 1, 77, 200_000] {
            let clock = LocalClock::starting(Time::from_nanos(5), drift);
            for nanos in [0, 1, 999, 1_000_003, 86_400_000_000_000] {
                let due = Instant::from_nanos(nanos);
                let time = clock.when(due);
                assert!(clock.at(time) >= due, "drift {drift} at {nanos}");
                if nanos > 0 {
                    let before = Time(time.0 - 1);
                    assert!(clock.at(before) < due, "drift {drift} at {nanos}");
                }
            }
        }
    }

    #[test]
    fn a_change_of_rate_neither_jumps_nor_goes_back() {
        let clock = LocalClock::starting(Time::ZERO, 100_000);
        let now = Time::from_nanos(1_000_000_000);
        let slower = clock.drifting(now, -100_000);
        assert_eq!(slower.at(now), clock.at(now));
        assert_eq!(
            slower.at(Time::from_nanos(2_000_000_000)).as_nanos(),
            2_000_000_000
        );
    }

    #[test]
    fn one_hundred_ppm_fast_gains_a_hundred_microseconds_a_second() {
        let clock = LocalClock::starting(Time::ZERO, 100_000);
        assert_eq!(
            clock.at(Time::from_nanos(1_000_000_000)).as_nanos(),
            1_000_100_000
        );
    }
}
