//! The difference between a receiver's time and the system's clock.

use super::Clock;
use crate::now::{microseconds, signed, tai_minus_utc};
use crate::{ClockEvent, ClockReading, UntrustedTime};

impl Clock {
    /// Returns the reason that speaks against a time that is used nevertheless.
    #[must_use]
    pub fn doubt(&self) -> Option<UntrustedTime> {
        if self.system_differs {
            return Some(UntrustedTime::SystemClockDiffers);
        }
        if self.leap_check.is_failing() {
            return Some(UntrustedTime::LeapSecondsDiffer);
        }
        self.is_expired.then_some(UntrustedTime::LeapSecondsExpired)
    }

    pub(super) fn compare_with_system(&mut self, now: ClockReading) {
        let bound = self.settings.max_system_difference.map_or(0, microseconds);
        let (true, None, None) = (bound > 0, self.loss, self.suspect) else {
            return;
        };
        let time = self.time(now);
        let system = self.leap_seconds.from_unix_near(now.system, time);
        let by = signed(time).saturating_sub(system.map_or(0, signed));
        // A difference near the bound is reported once, not at each fix.
        let bound = if self.system_differs {
            bound / 2
        } else {
            bound
        };
        let differs = by.saturating_abs() > bound;
        if differs != self.system_differs {
            self.system_differs = differs;
            self.events.push(match differs {
                true => ClockEvent::SystemClockDiffers { by },
                false => ClockEvent::SystemClockAgrees,
            });
        }
        let tai = system.map_or(0, |system| tai_minus_utc(system, now.system));
        if let Some(event) = self.leap_check.update(by, tai) {
            self.events.push(event);
        }
    }
}
