//! The start of a Cortex-R5F: vectors, memory, and the handlers of faults.

use core::arch::{global_asm, naked_asm};

use super::r5f::{data_aborted, prefetch_aborted, undefined};
use crate::board::PAINT;

// Nothing but faults comes here: no interrupt is enabled, and no code makes a supervisor call.
global_asm!(
    ".section .vectors, \"ax\"",
    ".arm",
    ".global _vectors",
    "_vectors:",
    "b _reset",
    "b {undefined}",
    "b .",
    "b {prefetch}",
    "b {data}",
    "b .",
    "b .",
    "b .",
    undefined = sym undefined_instruction,
    prefetch = sym prefetch_abort,
    data = sym data_abort,
);

// The core starts in supervisor mode, and stays in it.
global_asm!(
    ".section .text._reset, \"ax\"",
    ".arm",
    ".fpu vfpv3-d16",
    ".global _reset",
    ".type _reset, %function",
    "_reset:",
    "ldr sp, =_stack_start",
    // The whole floating-point unit is available and on.
    "mrc p15, 0, r0, c1, c0, 2",
    "orr r0, r0, #0xF00000",
    "mcr p15, 0, r0, c1, c0, 2",
    "isb",
    "mov r0, #0x40000000",
    "vmsr fpexc, r0",
    // The first content of RAM.
    "ldr r0, =_data_start",
    "ldr r1, =_data_end",
    "ldr r2, =_data_load",
    "0:",
    "cmp r0, r1",
    "ldrlo r3, [r2], #4",
    "strlo r3, [r0], #4",
    "blo 0b",
    "ldr r0, =_bss_start",
    "ldr r1, =_bss_end",
    "mov r3, #0",
    "1:",
    "cmp r0, r1",
    "strlo r3, [r0], #4",
    "blo 1b",
    // The paint of the stack.
    "ldr r0, =_stack_end",
    "ldr r1, =_stack_start",
    "ldr r3, ={paint}",
    "2:",
    "cmp r0, r1",
    "strlo r3, [r0], #4",
    "blo 2b",
    "bl main",
    "b .",
    ".ltorg",
    paint = const PAINT,
);

/// The handler of data aborts: goes back to the mode of the image, as that has its `lr`, and takes
/// the whole stack for itself, as there may be none left.
///
/// # Safety
/// Only the vector table may come here.
#[unsafe(naked)]
unsafe extern "C" fn data_abort() {
    naked_asm!(
        "sub r0, lr, #8",
        "cps #0x13",
        "mov r1, lr",
        "ldr sp, =_stack_start",
        "mrc p15, 0, r2, c6, c0, 0",
        "b {aborted}",
        ".ltorg",
        aborted = sym data_aborted,
    )
}

/// The handler of prefetch aborts.
///
/// # Safety
/// As of [`data_abort`].
#[unsafe(naked)]
unsafe extern "C" fn prefetch_abort() {
    naked_asm!(
        "sub r0, lr, #4",
        "cps #0x13",
        "mov r1, lr",
        "ldr sp, =_stack_start",
        "b {aborted}",
        ".ltorg",
        aborted = sym prefetch_aborted,
    )
}

/// The handler of undefined instructions.
///
/// # Safety
/// As of [`data_abort`].
#[unsafe(naked)]
unsafe extern "C" fn undefined_instruction() {
    naked_asm!(
        "sub r0, lr, #4",
        "cps #0x13",
        "mov r1, lr",
        "ldr sp, =_stack_start",
        "b {undefined}",
        ".ltorg",
        undefined = sym undefined,
    )
}
