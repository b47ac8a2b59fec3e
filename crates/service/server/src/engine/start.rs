//! The start of the service, before which its receiver remembers no message.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use waywarden_v2x_security::{StartTime, Verifier};
use waywarden_v2x_time::TimeReading;

use super::known::Known;

/// Start of the service by the clock that messages are checked with; nothing for a receiver that
/// has no start.
pub(super) struct ServiceStart {
    begun: Instant,
    start: Option<Mutex<StartTime>>,
}

impl ServiceStart {
    /// Begins now, with the start of the verifier as a guess.
    pub(super) fn of(verifier: &Verifier) -> Self {
        let start = verifier.start().map(StartTime::new);
        Self {
            begun: Instant::now(),
            start: start.map(Mutex::new),
        }
    }

    /// Takes a reading of the clock, and sets the verifier's start if it has changed: once when the
    /// time becomes trusted, and by at least 50 ms each time that the clock was set.
    pub(super) fn observe(&self, reading: &TimeReading, known: &Known) {
        let Some(start) = &self.start else {
            return;
        };
        let is_trusted = reading.distrust.is_none();
        let elapsed = self.begun.elapsed();
        let changed = locked(start).observe(elapsed, reading.time, is_trusted);
        if changed.is_some() {
            // Read again under the lock: another thread may have seen a later change.
            known.write(|verifier, _| verifier.set_start(Some(locked(start).time())));
        }
    }
}

fn locked(start: &Mutex<StartTime>) -> MutexGuard<'_, StartTime> {
    start.lock().unwrap_or_else(PoisonError::into_inner)
}
