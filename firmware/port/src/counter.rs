//! The counter of executed instructions.
//!
//! QEMU with `-icount shift=6` lets one instruction take 64 ns of its machine's time, and the timer
//! of each board counts down once in that time or more often. So each instruction has a value of
//! its own, and the counter is exact.

use crate::board::{self, TICKS};

/// The counter, and the pauses in which it does not count. Reading the timer costs the emulator as
/// much as hundreds of instructions, so a pause reads it twice and no more.
pub(crate) struct Counter {
    /// The last value of the timer, and all ticks until then. Zero before the start, so that
    /// neither takes room in flash.
    last: u32,
    total: u64,
    /// Instructions that were counted, until it counted on last.
    counted: u64,
    /// The instruction at which it counted on; none in a pause.
    since: Option<u64>,
}

impl Counter {
    pub(crate) const fn new() -> Self {
        Counter {
            last: 0,
            total: 0,
            counted: 0,
            since: None,
        }
    }

    /// Starts the timer, and counts from here on.
    pub(crate) fn start(&mut self) {
        self.last = board::start_timer();
        self.resume();
    }

    /// Returns the number of instructions since the start, none left out. The timer must be read
    /// more often than it wraps, which the watchdog sees to.
    fn executed(&mut self) -> u64 {
        let value = board::timer();
        self.total += u64::from(self.last.wrapping_sub(value));
        self.last = value;
        TICKS.to_instructions(self.total)
    }

    /// Counts no further; in a pause already, does nothing. Returns true if it counted.
    pub(crate) fn pause(&mut self) -> bool {
        let Some(since) = self.since.take() else {
            return false;
        };
        self.counted += self.executed() - since;
        true
    }

    /// Counts on.
    pub(crate) fn resume(&mut self) {
        self.since = Some(self.executed());
    }

    /// Returns the number of instructions that were counted so far.
    pub(crate) fn count(&mut self) -> u64 {
        match self.since {
            Some(since) => self.counted + (self.executed() - since),
            None => self.counted,
        }
    }
}
