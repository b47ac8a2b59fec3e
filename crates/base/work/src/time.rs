//! Monotonic time as a number that is handed in; no clock is read here.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// A point on an ECU's own monotonic clock, in nanoseconds since its epoch (usually the boot).
///
/// Range: 584 years. Arithmetic saturates, so a far-future deadline is a deadline that never
/// comes rather than one in the past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

/// A span of monotonic time in nanoseconds. Arithmetic saturates at 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Instant {
    /// The epoch of the clock.
    pub const ZERO: Instant = Instant(0);
    /// The last representable instant: a deadline that never comes.
    pub const MAX: Instant = Instant(u64::MAX);

    /// Makes an instant from nanoseconds since the epoch.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Instant(nanos)
    }

    /// Returns nanoseconds since the epoch.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the time since `earlier`, zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// Makes a duration from nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Duration(nanos)
    }

    /// Makes a duration from microseconds, saturating.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Duration(micros.saturating_mul(1_000))
    }

    /// Makes a duration from milliseconds, saturating.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Duration(millis.saturating_mul(1_000_000))
    }

    /// Returns the duration in nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns this duration `times` times over, saturating.
    #[must_use]
    pub const fn times(self, times: u64) -> Duration {
        Duration(self.0.saturating_mul(times))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    fn add(self, rhs: Duration) -> Instant {
        Instant(self.0.saturating_add(rhs.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, rhs: Duration) {
        *self = *self + rhs;
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, rhs: Duration) -> Duration {
        Duration(self.0.saturating_add(rhs.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, rhs: Duration) {
        *self = *self + rhs;
    }
}

impl Sub for Duration {
    type Output = Duration;
    fn sub(self, rhs: Duration) -> Duration {
        Duration(self.0.saturating_sub(rhs.0))
    }
}

/// Prints with the unit that reads best and three digits behind the point, if any: `12.500 ms`,
/// `340 us`, `80 ns`. The alternate form `{:#}` has all digits there are, as a time that a person
/// wrote is to be told: `1.0005 s`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "us"),
            1_000_000..1_000_000_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        if f.alternate() {
            let (mut rest, mut digits) = (self.0 % unit, unit.ilog10() as usize);
            while rest != 0 && rest.is_multiple_of(10) {
                (rest, digits) = (rest / 10, digits - 1);
            }
            let whole = self.0 / unit;
            return match rest {
                0 => write!(f, "{whole} {name}"),
                _ => write!(f, "{whole}.{rest:0digits$} {name}"),
            };
        }
        let (whole, rest) = (self.0 / unit, self.0 % unit * 1_000 / unit);
        match rest {
            0 => write!(f, "{whole} {name}"),
            _ => write!(f, "{whole}.{rest:03} {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn time_saturates_instead_of_wrapping() {
        assert_eq!(Instant::MAX + Duration::from_millis(1), Instant::MAX);
        assert_eq!(Instant::ZERO.since(Instant::from_nanos(5)), Duration::ZERO);
        assert_eq!(Duration::from_millis(u64::MAX).as_nanos(), u64::MAX);
    }

    #[test]
    fn durations_print_with_their_unit() {
        assert_eq!(Duration::from_nanos(80).to_string(), "80 ns");
        assert_eq!(Duration::from_micros(340).to_string(), "340 us");
        assert_eq!(Duration::from_nanos(12_500_000).to_string(), "12.500 ms");
        for (nanos, text) in [
            (0, "0 ns"),
            (1_000, "1 us"),
            (1_001, "1.001 us"),
            (12_500_000, "12.5 ms"),
            (1_000_500_000, "1.0005 s"),
            (1_000_000_001, "1.000000001 s"),
            (60_010_000_000, "60.01 s"),
        ] {
            assert_eq!(std::format!("{:#}", Duration::from_nanos(nanos)), text);
        }
    }
}
