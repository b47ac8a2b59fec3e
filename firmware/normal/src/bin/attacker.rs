//! An attacker that owns the normal half: it does what its input asks for, with all rights that
//! code there can have.
//!
//! A request is a letter and four words, little endian. `p` and `c` call the gateway with the words
//! as they are; the answer is the word that the call returned, and what it left in the registers
//! r1, r2, r3 and r12. `r` reads as many bytes as the second word says, at the first, and answers
//! with them; `w` writes those that follow the request. `j` jumps to the first word. `i` calls the
//! gateway as often as the first word says while interrupts, each of which calls it, come after as
//! many ticks as the second says; it answers with the number of calls, that of refused ones, and
//! the place of the seals. `b` answers with the place of the attacker's own memory. `q` ends. Each
//! answer starts with the byte 1.
#![no_std]
#![no_main]

use core::arch::asm;
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m_rt::{entry, exception};
use waywarden_firmware_gateway::{OWN_STREAM, Seal, waywarden_check, waywarden_protect};
use waywarden_firmware_normal_images::{Output, read_all};
use waywarden_firmware_note::note;
use waywarden_firmware_semihosting as semihosting;

/// The most bytes that are read or written at once.
const BYTES_MAX: usize = 256;
/// The most seals that are kept.
const SEALS_MAX: usize = 2_048;

/// Memory that anything may write.
struct Shared<T>(UnsafeCell<T>);

// SAFETY: there is one core, and the values are plain bytes that are copied in and out.
unsafe impl<T> Sync for Shared<T> {}

static MEMORY: Shared<[u8; 1_024]> = Shared(UnsafeCell::new([0; 1_024]));
static SEALS: Shared<[[u8; 24]; SEALS_MAX]> = Shared(UnsafeCell::new([[0; 24]; SEALS_MAX]));
static SEALED: AtomicU32 = AtomicU32::new(0);
static REFUSED: AtomicU32 = AtomicU32::new(0);

/// The timer of the core.
const TICKS_CONTROL: *mut u32 = 0xE000_E010 as *mut u32;
const TICKS_RELOAD: *mut u32 = 0xE000_E014 as *mut u32;
const TICKS_VALUE: *mut u32 = 0xE000_E018 as *mut u32;

/// Protects a payload, and keeps the seal in a place of its own.
fn seal_one() {
    let payload = [0x5A; 8];
    let place = SEALED.fetch_add(1, Ordering::Relaxed) as usize % SEALS_MAX;
    let into: *mut Seal = SEALS.0.get().cast::<[u8; 24]>().wrapping_add(place).cast();
    // SAFETY: the place is in the array, and no other call has it.
    let status = unsafe { waywarden_protect(OWN_STREAM, payload.as_ptr(), 8, into) };
    if status != 0 {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
}

#[exception]
fn SysTick() {
    seal_one();
}

/// Calls the gateway with interrupts, each of which calls it as well.
fn interrupt(calls: u32, ticks: u32) {
    // SAFETY: the registers are those of this half's timer, whose handler is above.
    unsafe {
        TICKS_RELOAD.write_volatile(ticks);
        TICKS_VALUE.write_volatile(0);
        TICKS_CONTROL.write_volatile(0b111);
    }
    (0..calls).for_each(|_| seal_one());
    // SAFETY: as above.
    unsafe { TICKS_CONTROL.write_volatile(0) };
}

/// Calls the gateway with any words; returns all that it leaves in registers.
fn call(function: *const (), words: [u32; 4]) -> [u32; 5] {
    let [mut r0, mut r1, mut r2, mut r3] = words;
    let r12: u32;
    // SAFETY: none: the gateway has to stand any words, and to write nothing but where it says.
    unsafe {
        asm!("blx {0}", in(reg) function, inout("r0") r0, inout("r1") r1, inout("r2") r2,
            inout("r3") r3, out("r12") r12, out("lr") _);
    }
    [r0, r1, r2, r3, r12]
}

fn jump(address: u32) {
    // SAFETY: none: that the core stops it is what is tested.
    unsafe {
        asm!("blx {0}", in(reg) address, clobber_abi("C"));
    }
}

note!("machine=mps2-an505 purpose=a program of the normal half of a Cortex-M33");

#[entry]
fn main() -> ! {
    let (input, mut output) = (semihosting::open_input(), Output::open());
    loop {
        let mut request = [0; 17];
        read_all(input, &mut request);
        let word = |at: usize| {
            let bytes = request[1 + 4 * at..].first_chunk().copied();
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        let [a, b, c, d] = [word(0), word(1), word(2), word(3)];
        let mut buffer = [0; BYTES_MAX];
        let length = (b as usize).min(BYTES_MAX);
        let mut answer = |bytes: &[u8]| output.bytes(bytes);
        match request[0] {
            b'p' | b'c' => {
                let left = match request[0] {
                    b'p' => call(waywarden_protect as *const (), [a, b, c, d]),
                    _ => call(waywarden_check as *const (), [a, b, c, d]),
                };
                answer(&[1]);
                left.iter().for_each(|word| answer(&word.to_le_bytes()));
            }
            b'r' => {
                for (at, byte) in buffer[..length].iter_mut().enumerate() {
                    // SAFETY: none: that the core stops it is what is tested.
                    *byte = unsafe {
                        ptr::with_exposed_provenance::<u8>(a as usize + at).read_volatile()
                    };
                }
                answer(&[1]);
                answer(&buffer[..length]);
            }
            b'w' => {
                read_all(input, &mut buffer[..length]);
                for (at, byte) in buffer[..length].iter().enumerate() {
                    let to = ptr::with_exposed_provenance_mut::<u8>(a as usize + at);
                    // SAFETY: as above.
                    unsafe { to.write_volatile(*byte) };
                }
                answer(&[1]);
            }
            b'j' => {
                jump(a);
                answer(&[1]);
            }
            b'i' => {
                interrupt(a, b);
                answer(&[1]);
                let place = SEALS.0.get().expose_provenance() as u32;
                for word in [
                    SEALED.load(Ordering::Relaxed),
                    REFUSED.load(Ordering::Relaxed),
                    place,
                ] {
                    answer(&word.to_le_bytes());
                }
            }
            b'b' => {
                answer(&[1]);
                answer(&(MEMORY.0.get().expose_provenance() as u32).to_le_bytes());
            }
            _ => semihosting::exit(0),
        }
    }
}
