//! The clock of calls whose order counts: it comes in, so that tests set it.

use std::time::Duration;

use waywarden_v2x_wire::ieee1609dot2::Time64;

/// A clock that can be waited for.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Returns this moment.
    pub now: fn() -> Time64,
    /// Waits.
    pub sleep: fn(Duration),
}

impl Clock {
    /// The clock of the operating system.
    pub const SYSTEM: Self = Self {
        now: waywarden_v2x_input::time::now,
        sleep: std::thread::sleep,
    };

    /// Returns this moment.
    #[must_use]
    pub fn now(&self) -> Time64 {
        (self.now)()
    }

    /// Waits.
    pub fn sleep(&self, duration: Duration) {
        (self.sleep)(duration);
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::SYSTEM
    }
}
