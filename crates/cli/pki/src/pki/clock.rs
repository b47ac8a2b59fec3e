//! The clock of the commands whose order counts. Tests set it.

use std::time::Duration;

use waywarden_pki_authorities::clock::Clock;
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// The clock for the calls of the library.
pub(crate) const CLOCK: Clock = Clock { now, sleep };

/// Returns this moment.
pub(crate) fn now() -> Time64 {
    #[cfg(test)]
    if let Some(time) = tests::set_time() {
        return time;
    }
    waywarden_v2x_input::time::now()
}

/// Waits.
pub(crate) fn sleep(duration: Duration) {
    #[cfg(test)]
    if tests::advance(duration) {
        return;
    }
    std::thread::sleep(duration);
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static TIME: Cell<Option<Time64>> = const { Cell::new(None) };
    }

    /// Sets the clock of this thread.
    pub(crate) fn set(time: Time64) {
        TIME.set(Some(time));
    }

    pub(super) fn set_time() -> Option<Time64> {
        TIME.get()
    }

    pub(super) fn advance(duration: Duration) -> bool {
        let time = TIME.get();
        let passed = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        TIME.set(time.map(|time| Time64(time.0.saturating_add(passed))));
        time.is_some()
    }
}
