//! The handlers of a Cortex-M, which its vector table has by their names.

use core::arch::naked_asm;

use crate::board::{INSTRUCTIONS_MAX, is_overflow};
use crate::failure::report;

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
    match is_overflow(frame) {
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
