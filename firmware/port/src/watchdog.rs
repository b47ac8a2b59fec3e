//! The watchdog: it ends an image that computes too long without a request.

use core::arch::naked_asm;

use crate::counter::ticks;
use crate::failure;
use crate::registers::WATCHDOG;

/// Maximum number of instructions between two requests: 3.4 s at 80 MHz and one cycle each.
pub const INSTRUCTIONS_MAX: u64 = 1 << 28;

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

/// Its interrupt: hands over the place that the image was at.
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
    failure::report(format_args!(
        "no request for {INSTRUCTIONS_MAX} instructions, at pc={pc:#010x}"
    ))
}
