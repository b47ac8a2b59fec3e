//! The reports of faults of a Cortex-R5F.

use crate::failure::report;

/// The part of the hole below the stack, in bytes, in which an access is one of the stack.
const BELOW_THE_STACK: u32 = 64 << 20;

pub(super) extern "C" fn data_aborted(pc: u32, lr: u32, address: u32) -> ! {
    unsafe extern "C" {
        static _stack_end: u32;
    }
    let below = (&raw const _stack_end as u32).wrapping_sub(address);
    match below {
        1..=BELOW_THE_STACK => report(format_args!("data abort: the stack is used up")),
        _ => report(format_args!(
            "data abort at pc={pc:#010x}, lr={lr:#010x}, address={address:#010x}"
        )),
    }
}

pub(super) extern "C" fn prefetch_aborted(pc: u32, lr: u32) -> ! {
    report(format_args!(
        "prefetch abort at pc={pc:#010x}, lr={lr:#010x}"
    ))
}

pub(super) extern "C" fn undefined(pc: u32, lr: u32) -> ! {
    report(format_args!(
        "undefined instruction at pc={pc:#010x}, lr={lr:#010x}"
    ))
}
