//! The start: stack, values in RAM, the division of the board, the module, and the jump into the
//! normal half.

use core::arch::{asm, naked_asm};

use crate::module::ProtectedModule;
use crate::{failure, gateway, partition};

/// An entry of the vector table.
#[repr(C)]
union Vector {
    stack: *const u32,
    handler: unsafe extern "C" fn(),
}

// SAFETY: it is constant.
unsafe impl Sync for Vector {}

unsafe extern "C" {
    static _stack_seal: u32;
}

const FAULT: Vector = Vector {
    handler: failure::fault,
};

/// The vectors of this half: it has no interrupts, and each exception is a fault.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".vectors")]
static VECTORS: [Vector; 16] = {
    let mut vectors = [FAULT; 16];
    vectors[0] = Vector {
        stack: &raw const _stack_seal,
    };
    vectors[1] = Vector { handler: reset };
    vectors
};

/// The first instruction: sets the limit of the stack and its seal, and the values in RAM.
///
/// # Safety
/// Only the vector table may call it.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn reset() {
    naked_asm!(
        "movw r0, #:lower16:_stack_end",
        "movt r0, #:upper16:_stack_end",
        "msr msplim, r0",
        "movw r0, #:lower16:_stack_seal",
        "movt r0, #:upper16:_stack_seal",
        "movw r1, #0xEDA5",
        "movt r1, #0xFEF5",
        "strd r1, r1, [r0]",
        "movw r0, #:lower16:_data_start",
        "movt r0, #:upper16:_data_start",
        "movw r1, #:lower16:_data_end",
        "movt r1, #:upper16:_data_end",
        "movw r2, #:lower16:_data_load",
        "movt r2, #:upper16:_data_load",
        "2: cmp r0, r1",
        "itt lo",
        "ldrlo r3, [r2], #4",
        "strlo r3, [r0], #4",
        "blo 2b",
        "movw r0, #:lower16:_bss_start",
        "movt r0, #:upper16:_bss_start",
        "movw r1, #:lower16:_bss_end",
        "movt r1, #:upper16:_bss_end",
        "movs r3, #0",
        "3: cmp r0, r1",
        "it lo",
        "strlo r3, [r0], #4",
        "blo 3b",
        "bl {main}",
        "udf #0",
        main = sym main,
    )
}

extern "C" fn main() -> ! {
    partition::divide();
    match ProtectedModule::new() {
        Ok(module) => gateway::open(module),
        Err(error) => panic!("the keys: {error}"),
    }
    // SAFETY: the normal half starts with its own vectors: the start of its stack, and its first
    // instruction. No register has anything of this half, and nothing returns here.
    unsafe {
        asm!(
            "ldr r1, [r0]",
            "msr msp_ns, r1",
            "ldr lr, [r0, #4]",
            "bic lr, lr, #1",
            "movs r0, #0",
            "msr control_ns, r0",
            "mov r1, r0",
            "mov r2, r0",
            "mov r3, r0",
            "mov r4, r0",
            "mov r5, r0",
            "mov r6, r0",
            "mov r7, r0",
            "mov r8, r0",
            "mov r9, r0",
            "mov r10, r0",
            "mov r11, r0",
            "mov r12, r0",
            "msr apsr_nzcvq, r0",
            "bxns lr",
            in("r0") partition::NORMAL_START,
            options(noreturn),
        )
    }
}
