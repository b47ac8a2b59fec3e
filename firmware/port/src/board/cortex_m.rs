//! A Cortex-M: its timer and its watchdog. The boards of QEMU have the same devices at different
//! addresses.

pub(crate) use cortex_m_rt::STACK_PAINT_VALUE as PAINT;
pub use cortex_m_rt::entry;

#[cfg(cortex = "m4f")]
use super::m4f as machine;
#[cfg(cortex = "m33")]
use super::m33 as machine;
pub(crate) use machine::{TICKS, guard, is_overflow};

use super::INSTRUCTIONS_MAX;

/// Registers of the timer.
const TIMER_CONTROL: usize = 0x0;
const TIMER_VALUE: usize = 0x4;
const TIMER_RELOAD: usize = 0x8;

/// Registers of the watchdog.
const WATCHDOG_LOAD: usize = 0x000;
const WATCHDOG_CONTROL: usize = 0x008;
const WATCHDOG_LOCK: usize = 0xC00;

/// The value that opens the registers of the watchdog.
const UNLOCKED: u32 = 0x1ACC_E551;
/// Counts, and raises the interrupt that cannot be masked.
const ENABLED: u32 = 1;

const WATCHDOG_TICKS: u32 = (INSTRUCTIONS_MAX * TICKS.ticks / TICKS.instructions) as u32;

/// Starts the timer; returns its value, from which it counts down and wraps.
pub(crate) fn start_timer() -> u32 {
    machine::TIMER.write(TIMER_RELOAD, u32::MAX);
    machine::TIMER.write(TIMER_VALUE, u32::MAX);
    machine::TIMER.write(TIMER_CONTROL, 1);
    u32::MAX
}

/// Returns the value of the timer.
#[inline(always)]
pub(crate) fn timer() -> u32 {
    machine::TIMER.read(TIMER_VALUE)
}

/// Starts the watchdog.
pub(crate) fn watch() {
    machine::WATCHDOG.write(WATCHDOG_LOCK, UNLOCKED);
    machine::WATCHDOG.write(WATCHDOG_LOAD, WATCHDOG_TICKS);
    machine::WATCHDOG.write(WATCHDOG_CONTROL, ENABLED);
}

/// Has the watchdog wait for the whole time again.
pub(crate) fn feed() {
    machine::WATCHDOG.write(WATCHDOG_LOAD, WATCHDOG_TICKS);
}
