//! The watchdog of an image that computes too long without a request. Its interrupt, which cannot
//! be masked, is handled where all failures are.

use crate::counter::ticks;
use crate::registers::WATCHDOG;

/// Maximum number of instructions between two requests: 0.84 s at 80 MHz and one cycle each, and
/// six times what a P-256 verification takes.
pub const INSTRUCTIONS_MAX: u64 = 1 << 26;

const LOAD: usize = 0x000;
const CONTROL: usize = 0x008;
const LOCK: usize = 0xC00;

/// The value that opens the registers.
const UNLOCKED: u32 = 0x1ACC_E551;
/// Counts, and raises the interrupt that cannot be masked.
const ENABLED: u32 = 1;

const TICKS: u32 = ticks(INSTRUCTIONS_MAX) as u32;

/// Starts it.
pub(crate) fn start() {
    WATCHDOG.write(LOCK, UNLOCKED);
    WATCHDOG.write(LOAD, TICKS);
    WATCHDOG.write(CONTROL, ENABLED);
}

/// Has it wait for the whole time again.
pub(crate) fn feed() {
    WATCHDOG.write(LOAD, TICKS);
}
