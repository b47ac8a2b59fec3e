//! The core and the board of an image: what differs from one to the next.
//!
//! Each has a module with the same names: `TICKS`, `start_timer`, `timer`, `watch`, `feed`, `guard`,
//! `PAINT`, `entry`, and its handlers of faults, which end in `failure`.

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
pub(crate) use self::core_of_the_board::{PAINT, TICKS, feed, guard, start_timer, timer, watch};

#[cfg(not(any(cortex = "m4f", cortex = "m33", cortex = "r5f")))]
compile_error!(
    "no core for this target; targets: thumbv7em-none-eabihf, thumbv8m.main-none-eabihf, \
     armv7r-none-eabihf"
);

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
