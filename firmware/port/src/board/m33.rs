//! QEMU's `mps2-an505`: a Cortex-M33 with TrustZone. An image is in the secure state, in which the
//! core starts.

use core::arch::asm;

use super::Ticks;
use super::registers::Registers;

// SAFETY of all blocks here: the board has each, and none writes memory.

/// The first timer, by its secure alias: CMSDK APB timer, 20 MHz.
// SAFETY: see above.
pub(super) const TIMER: Registers = unsafe { Registers::at(0x5000_0000) };
/// The watchdog of the secure state: CMSDK APB watchdog, 20 MHz.
// SAFETY: see above.
pub(super) const WATCHDOG: Registers = unsafe { Registers::at(0x5008_1000) };
/// The reasons of faults.
// SAFETY: see above.
const FAULTS: Registers = unsafe { Registers::at(0xE000_ED28) };

/// The timer counts down once in 50 ns, and an instruction takes 64 ns.
pub(crate) const TICKS: Ticks = Ticks {
    ticks: 32,
    instructions: 25,
};

/// The stack is used up: the stack pointer would have passed its limit.
const STACK_OVERFLOW: u32 = 1 << 20;

/// Has a stack that is too deep fault, by the limit that this core has for its stack pointer.
pub(crate) fn guard() {
    unsafe extern "C" {
        static _stack_end: u32;
    }
    // SAFETY: the stack is above its end, by the linker script, and so is the stack pointer.
    unsafe {
        asm!("msr msplim, {0}", in(reg) &raw const _stack_end as u32, options(nomem, nostack));
    }
}

/// Returns true if the fault is that of the guard.
pub(crate) fn is_overflow(_frame: u32) -> bool {
    FAULTS.read(0) & STACK_OVERFLOW != 0
}
