//! The use of the stack, by the paint that is left on it.

use crate::board::PAINT;

unsafe extern "C" {
    static _stack_start: u32;
    static _stack_end: u32;
}

/// Returns the number of bytes of the stack that have been written since the reset.
pub(crate) fn used() -> u32 {
    let (mut word, start) = (&raw const _stack_end, &raw const _stack_start);
    // SAFETY: these words are RAM, from the end of the stack up to its start, and the start-up code
    // has written each. Reading them as volatile is no claim on what they hold.
    while word < start && unsafe { word.read_volatile() } == PAINT {
        word = word.wrapping_add(1);
    }
    (start as u32).saturating_sub(word as u32)
}
