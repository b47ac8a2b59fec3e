//! Calls to the emulator: files and the end.
//!
//! They go by the instruction that a debugger would take. On a real part without one it faults, and
//! none of this is in a product.
#![no_std]
#![deny(clippy::undocumented_unsafe_blocks)]

use core::arch::asm;

/// Operations of semihosting.
const SYS_OPEN: usize = 0x01;
const SYS_WRITE: usize = 0x05;
const SYS_READ: usize = 0x06;
const SYS_EXIT_EXTENDED: usize = 0x20;

/// The reason of an exit that has a code.
const APPLICATION_EXIT: usize = 0x2_0026;

/// An open file of the host.
#[derive(Clone, Copy, Debug)]
pub struct File(usize);

/// Calls the emulator with a block of arguments.
fn call<const N: usize>(operation: usize, arguments: &[usize; N]) -> usize {
    let mut result = operation;
    // SAFETY: the emulator reads the arguments, and for a read writes the buffer that they name,
    // which the caller has borrowed for that.
    unsafe {
        #[cfg(cortex_m)]
        asm!("bkpt 0xAB", inout("r0") result, in("r1") arguments.as_ptr(), options(nostack));
        // The word is `hlt 0xF000`, which the assembler takes for newer cores only.
        #[cfg(not(cortex_m))]
        asm!(".word 0xE10F0070", inout("r0") result, in("r1") arguments.as_ptr(), options(nostack));
    }
    result
}

/// Opens the file on which the host writes answers.
#[must_use]
pub fn open_input() -> File {
    open(c"/dev/stdin", 1)
}

/// Opens the file from which the host reads requests.
#[must_use]
pub fn open_output() -> File {
    open(c"/dev/stdout", 5)
}

/// Modes are those of `fopen`, counted: 1 is `rb`, 5 `wb`.
fn open(name: &core::ffi::CStr, mode: usize) -> File {
    let handle = call(
        SYS_OPEN,
        &[name.as_ptr() as usize, mode, name.count_bytes()],
    );
    if handle == usize::MAX {
        exit(2);
    }
    File(handle)
}

/// Writes all of these bytes; ends the image if the host takes no more.
pub fn write(file: File, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let left = call(SYS_WRITE, &[file.0, bytes.as_ptr() as usize, bytes.len()]);
        match bytes.len().checked_sub(left) {
            Some(written) if written > 0 => bytes = &bytes[written..],
            _ => exit(2),
        }
    }
}

/// Reads at least one byte, waiting for it; returns the number. Ends the image if the host has
/// closed the file.
pub fn read(file: File, into: &mut [u8]) -> usize {
    let left = call(SYS_READ, &[file.0, into.as_mut_ptr() as usize, into.len()]);
    match into.len().checked_sub(left) {
        Some(taken) if taken > 0 => taken,
        _ => exit(2),
    }
}

/// Ends the emulator with this code.
pub fn exit(code: usize) -> ! {
    call(SYS_EXIT_EXTENDED, &[APPLICATION_EXIT, code]);
    // An emulator without semihosting does not end: nothing more can be said then.
    loop {
        core::hint::spin_loop();
    }
}
