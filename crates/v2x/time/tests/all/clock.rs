//! The clock of a receiver: when it is trusted, by known cases.

mod fixes;
mod jumps;
mod references;

use std::time::Duration;

use waywarden_v2x_security::time::{LeapSeconds, from_unix};
use waywarden_v2x_time::clock::{Clock, ClockSettings};
use waywarden_v2x_time::{ClockEvent, ClockReading, FixErrors, FixMode, ReceiverFix, TimeReading};

/// 2026-03-01T00:00:00Z in microseconds since 1970.
pub(crate) const START: i64 = 1_772_323_200_000_000;

/// A clock, and the true time in milliseconds since `START`.
pub(crate) struct Drive {
    pub(crate) clock: Clock,
    pub(crate) start: i64,
    pub(crate) ms: i64,
    /// Error of the system's clock, in microseconds.
    pub(crate) system_error: i64,
}

impl Drive {
    pub(crate) fn new(settings: ClockSettings) -> Self {
        let mut drive = Self {
            clock: Clock::new(settings, LeapSeconds::built_in()),
            start: START,
            ms: 0,
            system_error: 0,
        };
        drive.clock.handle_connection(true, drive.now());
        assert_eq!(drive.events(), [ClockEvent::Connected]);
        drive
    }

    /// Creates a drive with a fix: 10 of them a second for a second.
    fn with_fix(settings: ClockSettings) -> Self {
        let mut drive = Self::new(settings);
        drive.fixes(10);
        assert_eq!(drive.events(), [ClockEvent::FixGained]);
        assert_eq!(drive.read().distrust, None);
        drive
    }

    pub(crate) fn now(&self) -> ClockReading {
        ClockReading {
            // Any beginning will do.
            monotonic: Duration::from_millis(77_000 + self.ms as u64),
            system: self.start + self.ms * 1_000 + self.system_error,
        }
    }

    /// The fix that an honest receiver reports now: at one place, with a speed, so that a position
    /// shows how old its fix is.
    pub(crate) fn fix(&self) -> ReceiverFix {
        ReceiverFix {
            mode: FixMode::ThreeD,
            unix: Some(self.start + self.ms * 1_000),
            latitude: Some(48.1),
            longitude: Some(11.5),
            altitude: Some(592.34),
            track: Some(359.999),
            speed: Some(11.524),
            accuracy: Some(5.0),
            errors: FixErrors::default(),
        }
    }

    pub(crate) fn handle(&mut self, fix: ReceiverFix) {
        self.clock.handle_fix(&fix, self.now());
    }

    /// So many fixes, changed in the same way, 100 ms apart.
    fn changed_fixes(&mut self, count: u32, change: impl Fn(&mut ReceiverFix)) {
        for _ in 0..count {
            self.ms += 100;
            let mut fix = self.fix();
            change(&mut fix);
            self.handle(fix);
        }
    }

    fn fixes(&mut self, count: u32) {
        self.changed_fixes(count, |_| ());
    }

    pub(crate) fn read(&mut self) -> TimeReading {
        self.clock.read(self.now())
    }

    pub(crate) fn events(&mut self) -> Vec<ClockEvent> {
        std::iter::from_fn(|| self.clock.next_event()).collect()
    }

    /// By how many microseconds a reading is later than the truth.
    pub(crate) fn error(&self, reading: &TimeReading) -> i64 {
        let truth = from_unix(self.start + self.ms * 1_000).unwrap();
        reading.time.0 as i64 - truth.0 as i64
    }
}
