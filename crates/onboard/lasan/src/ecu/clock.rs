//! The time, as far as an ECU can know it: used for the security module's certificate.

use waywarden_can::node::Retained;
use waywarden_work::{Duration, Instant};

use super::super::name::NetworkTime;

/// The latest time that an ECU has received or has kept, and what has passed since. The true time
/// is that or later, as far as the ECU's oscillator is right; it never goes back.
pub(super) struct Clock {
    known: NetworkTime,
    at: Instant,
}

impl Clock {
    /// Begins with what was kept over a reset.
    pub(super) const fn new(kept: NetworkTime, now: Instant) -> Self {
        Clock {
            known: kept,
            at: now,
        }
    }

    pub(super) fn time(&self, now: Instant) -> NetworkTime {
        let passed = now.since(self.at).as_nanos() / 1_000_000;
        NetworkTime(self.known.0.saturating_add(passed))
    }

    /// Goes on to a time; one that is over changes nothing.
    pub(super) fn learn(&mut self, time: NetworkTime, now: Instant) {
        if time > self.time(now) {
            *self = Clock::new(time, now);
        }
    }

    /// Returns when a time will be over; never for one that is further off than can be counted.
    pub(super) fn end_of(&self, last: NetworkTime) -> Option<Instant> {
        let Some(millis) = last.0.checked_sub(self.known.0) else {
            return Some(self.at);
        };
        let end = self.at + Duration::from_millis(millis.saturating_add(1));
        (end < Instant::MAX).then_some(end)
    }
}

/// Returns the value that an ECU keeps over a reset: the highest epoch, and the time then.
pub(super) fn kept(epoch: u64, time: NetworkTime) -> Retained {
    let mut value = [0; 32];
    value[..8].copy_from_slice(&epoch.to_be_bytes());
    value[8..16].copy_from_slice(&time.0.to_be_bytes());
    value
}

pub(super) fn read_kept(value: &Retained) -> (u64, NetworkTime) {
    let number = |at: usize| {
        let bytes = value[at..].first_chunk().copied();
        u64::from_be_bytes(bytes.unwrap_or_default())
    };
    (number(0), NetworkTime(number(8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn time_goes_on_and_never_back() {
        let mut clock = Clock::new(NetworkTime(5_000), at(10));
        assert_eq!(clock.time(at(30)), NetworkTime(5_020));
        // An instant before changes nothing.
        assert_eq!(clock.time(at(3)), NetworkTime(5_000));
        for earlier in [0, 4_999, 5_019, 5_020] {
            clock.learn(NetworkTime(earlier), at(30));
            assert_eq!(clock.time(at(30)), NetworkTime(5_020), "{earlier}");
        }
        clock.learn(NetworkTime(7_000), at(30));
        assert_eq!(clock.time(at(31)), NetworkTime(7_001));
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let value = kept(7, NetworkTime(0x0102_0304_0506_0708));
        assert_eq!(
            value[..16],
            [0, 0, 0, 0, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8]
        );
        assert_eq!(read_kept(&value), (7, NetworkTime(0x0102_0304_0506_0708)));
    }

    #[test]
    fn the_last_millisecond_belongs_to_a_time() {
        let clock = Clock::new(NetworkTime(5_000), at(10));
        assert_eq!(clock.end_of(NetworkTime(5_000)), Some(at(11)));
        assert_eq!(clock.end_of(NetworkTime(6_000)), Some(at(1_011)));
        assert_eq!(
            clock.end_of(NetworkTime(4_999)),
            Some(at(10)),
            "over already"
        );
        assert_eq!(clock.end_of(NetworkTime::MAX), None);
    }
}
