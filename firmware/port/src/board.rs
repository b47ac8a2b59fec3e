//! The core and the board of an image: what differs from one to the next.
//!
//! Each has a module with the same names: `TICKS`, `start_timer`, `timer`, `watch`, `feed`,
//! `guard`, `PAINT`, `entry`. Its handlers of faults are in `faults`.

#[cfg(any(cortex = "m4f", cortex = "m33"))]
mod cortex_m;
#[cfg(cortex = "m33")]
mod m33;
#[cfg(cortex = "m4f")]
mod m4f;
#[cfg(cortex = "r5f")]
mod r5f;
#[cfg(any(cortex = "m4f", cortex = "m33"))]
mod registers;

#[cfg(any(cortex = "m4f", cortex = "m33"))]
use self::cortex_m as core_of_the_board;
#[cfg(cortex = "r5f")]
use self::r5f as core_of_the_board;

pub use self::core_of_the_board::entry;
#[cfg(any(cortex = "m4f", cortex = "m33"))]
pub(crate) use self::core_of_the_board::is_overflow;
pub(crate) use self::core_of_the_board::{PAINT, TICKS, feed, guard, start_timer, timer, watch};

#[cfg(not(any(cortex = "m4f", cortex = "m33", cortex = "r5f")))]
compile_error!(
    "no core for this target; targets: thumbv7em-none-eabihf, thumbv8m.main-none-eabihf, \
     armv7r-none-eabihf"
);

/// Maximum number of instructions between two requests, on boards with a watchdog: 0.84 s at 80 MHz
/// and one cycle each, and six times what a P-256 verification takes.
pub const INSTRUCTIONS_MAX: u64 = 1 << 26;

/// Ticks of the timer for a number of instructions. More ticks than instructions: so each
/// instruction has a value of its own, and the counter is exact.
pub(crate) struct Ticks {
    pub(crate) ticks: u64,
    pub(crate) instructions: u64,
}

impl Ticks {
    /// Returns the instructions that are executed in so many ticks.
    pub(crate) const fn to_instructions(&self, ticks: u64) -> u64 {
        ticks * self.instructions / self.ticks
    }
}
