//! QEMU's `mps2-an386`: a Cortex-M4F.

use super::Ticks;
use super::registers::Registers;

// SAFETY of all blocks here: the board has each. The timers and the watchdog write no memory, and
// the protection unit only takes memory away.

/// The first timer: CMSDK APB timer, 25 MHz.
// SAFETY: see above.
pub(super) const TIMER: Registers = unsafe { Registers::at(0x4000_0000) };
/// The watchdog: CMSDK APB watchdog, 25 MHz.
// SAFETY: see above.
pub(super) const WATCHDOG: Registers = unsafe { Registers::at(0x4000_8000) };
/// The memory protection unit of the core.
// SAFETY: see above.
const PROTECTION: Registers = unsafe { Registers::at(0xE000_ED90) };

/// The timer counts down once in 40 ns, and an instruction takes 64 ns.
pub(crate) const TICKS: Ticks = Ticks {
    ticks: 8,
    instructions: 5,
};

const CONTROL: usize = 0x04;
const NUMBER: usize = 0x08;
const BASE: usize = 0x0C;
const ATTRIBUTES: usize = 0x10;

/// The 256 MB below the RAM, in which no access is allowed.
const GUARD_BASE: u32 = 0x1000_0000;
const GUARD: u32 = 1 << 28 | (28 - 1) << 1 | 1;
/// Protection is on; everything else is as without.
const ENABLED: u32 = 1 << 2 | 1;

/// Has a stack that leaves the RAM fault. The emulated board reads and writes what is not there
/// without a fault.
pub(crate) fn guard() {
    PROTECTION.write(NUMBER, 0);
    PROTECTION.write(BASE, GUARD_BASE);
    PROTECTION.write(ATTRIBUTES, GUARD);
    PROTECTION.write(CONTROL, ENABLED);
}

/// Returns true if the fault is that of the guard: a frame below the stack was never written.
pub(crate) fn is_overflow(frame: u32) -> bool {
    unsafe extern "C" {
        static _stack_end: u32;
    }
    frame < &raw const _stack_end as u32
}
