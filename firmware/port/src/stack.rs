//! The stack: the guard below it, and its use, by the paint that is left on it.

use cortex_m_rt::STACK_PAINT_VALUE;

use crate::registers::PROTECTION;

const CONTROL: usize = 0x04;
const NUMBER: usize = 0x08;
const BASE: usize = 0x0C;
const ATTRIBUTES: usize = 0x10;

/// The 256 MB below the RAM, in which no access is allowed.
const GUARD_BASE: u32 = 0x1000_0000;
const GUARD: u32 = 1 << 28 | (28 - 1) << 1 | 1;
/// Protection is on; everything else is as without.
const ENABLED: u32 = 1 << 2 | 1;

unsafe extern "C" {
    static _stack_start: u32;
    static _stack_end: u32;
}

/// Has a stack that leaves the RAM fault. The emulated board reads and writes what is not there
/// without a fault.
pub(crate) fn guard() {
    PROTECTION.write(NUMBER, 0);
    PROTECTION.write(BASE, GUARD_BASE);
    PROTECTION.write(ATTRIBUTES, GUARD);
    PROTECTION.write(CONTROL, ENABLED);
}

/// Returns the number of bytes of the stack that have been written since the reset.
pub(crate) fn used() -> u32 {
    let (mut word, start) = (&raw const _stack_end, &raw const _stack_start);
    // SAFETY: these words are RAM, from the end of the stack up to its start, and the start-up code
    // has written each. Reading them as volatile is no claim on what they hold.
    while word < start && unsafe { word.read_volatile() } == STACK_PAINT_VALUE {
        word = word.wrapping_add(1);
    }
    (start as u32).saturating_sub(word as u32)
}
