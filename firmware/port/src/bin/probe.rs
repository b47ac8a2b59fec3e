//! An image that does what the first byte of its record asks for, to test the board with.
//!
//! `c` counts: between its waits it executes loops of 1000, 2000 and 3000 turns. `w` computes
//! without end. `s` calls itself without end. `f` reads memory that there is not. `x` ends without
//! a word. `r` sends requests and takes no answer. Anything else is a panic.
#![no_std]
#![no_main]

use core::arch::asm;
use core::hint::black_box;

use waywarden_firmware_link::{Answer, Link, Request, VERSION};
use waywarden_firmware_port::{Pipe, entry, note};

/// The instruction that calls the emulator; on a Cortex-R `hlt 0xF000`, by its word.
#[cfg(not(cortex = "r5f"))]
macro_rules! host {
    () => {
        "bkpt 0xAB"
    };
}
#[cfg(cortex = "r5f")]
macro_rules! host {
    () => {
        ".word 0xE10F0070"
    };
}

note!(purpose = "a test of the emulated board");

#[entry]
fn main() -> ! {
    let mut pipe = Pipe::open();
    let boot = Request::Boot { version: VERSION };
    let wanted = match pipe.exchange(&boot) {
        Answer::Boot { record, .. } => record.first().copied(),
        _ => None,
    };
    match wanted {
        Some(b'c') => count(&mut pipe),
        Some(b'w') => loop {
            turn(1);
        },
        Some(b's') => _ = call(0),
        Some(b'f') => fault(),
        Some(b'x') => _ = call_host(0x20, &[0x2_0026, 7]),
        Some(b'r') => flood(),
        _ => {}
    }
    panic!("asked for {wanted:?}");
}

fn count(pipe: &mut Pipe) -> ! {
    for turns in (0..).map(|round| 1_000 * (1 + round % 3)) {
        turn(turns);
        pipe.exchange(&Request::Wait { until: None });
    }
    unreachable!("the host ends it");
}

/// Executes two instructions for each turn, and a few more.
#[inline(never)]
fn turn(turns: u32) {
    // SAFETY: it changes a register, which is named, and flags.
    unsafe {
        asm!("2:", "subs {0}, #1", "bne 2b", inout(reg) turns => _, options(nomem, nostack));
    }
}

#[inline(never)]
fn call(depth: u32) -> u32 {
    let room = black_box([depth; 16]);
    match depth {
        u32::MAX => room[0],
        _ => call(depth + 1).wrapping_add(black_box(room)[3]),
    }
}

fn fault() {
    // SAFETY: there is no memory at this address: the read is a fault, and changes nothing.
    unsafe {
        asm!("ldr {0}, [{0}]", inout(reg) 0x9000_0000u32 => _, options(nostack));
    }
}

/// Sends the request to wait, again and again.
fn flood() -> ! {
    let name = c"/dev/stdout";
    let name = [name.as_ptr() as usize, 5, name.count_bytes()];
    let file = call_host(0x01, &name);
    // Two bytes of length, eight of the count of instructions, the kind, and no instant.
    let message = [10u8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0];
    loop {
        call_host(0x05, &[file, message.as_ptr() as usize, message.len()]);
    }
}

/// Calls the emulator by semihosting.
fn call_host<const N: usize>(operation: usize, words: &[usize; N]) -> usize {
    let mut result = operation;
    // SAFETY: the operations above read the words and what they name, which is borrowed, and write
    // nothing.
    unsafe {
        asm!(host!(), inout("r0") result, in("r1") words.as_ptr(), options(nostack));
    }
    result
}
