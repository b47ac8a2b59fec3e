//! A Cortex-M: its timer, watchdog and handlers of faults. The boards of QEMU have the same devices
//! at different addresses.

use core::arch::naked_asm;

pub(crate) use cortex_m_rt::STACK_PAINT_VALUE as PAINT;
pub use cortex_m_rt::entry;

#[cfg(cortex = "m4f")]
use super::m4f as machine;
#[cfg(cortex = "m33")]
use super::m33 as machine;
pub(crate) use machine::{TICKS, guard};

use crate::failure::report;
use crate::watchdog::INSTRUCTIONS_MAX;

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

/// The handler of faults: takes the whole stack for itself, as there may be none left, and hands
/// over the frame of the fault, with its `lr` and `pc`. A frame below the stack was never written.
///
/// # Safety
/// Only the vector table may call it.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn HardFault() {
    naked_asm!(
        "mrs r0, msp",
        "movw r3, #:lower16:_stack_start",
        "movt r3, #:upper16:_stack_start",
        "msr msp, r3",
        "movw r3, #:lower16:_stack_end",
        "movt r3, #:upper16:_stack_end",
        "cmp r0, r3",
        "itt hs",
        "ldrhs r1, [r0, #20]",
        "ldrhs r2, [r0, #24]",
        "b {faulted}",
        faulted = sym faulted,
    )
}

extern "C" fn faulted(frame: u32, lr: u32, pc: u32) -> ! {
    match machine::is_overflow(frame) {
        true => report(format_args!("HardFault: the stack is used up")),
        false => report(format_args!("HardFault at pc={pc:#010x}, lr={lr:#010x}")),
    }
}

/// The handler of the watchdog: hands over the place that the image was at.
///
/// # Safety
/// Only the vector table may call it.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn NonMaskableInt() {
    naked_asm!(
        "mrs r1, msp",
        "ldr r0, [r1, #24]",
        "b {expired}",
        expired = sym expired,
    )
}

extern "C" fn expired(pc: u32) -> ! {
    report(format_args!(
        "no request for {INSTRUCTIONS_MAX} instructions, at pc={pc:#010x}"
    ))
}
