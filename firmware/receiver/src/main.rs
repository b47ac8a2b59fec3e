//! The V2X receiver for the emulated board.
#![no_std]
#![no_main]

// Its lock, which the allocator takes.
use cortex_m as _;
use embedded_alloc::TlsfHeap;
use waywarden_firmware_port::{Pipe, entry};
use waywarden_firmware_receiver::run;

/// The length of the heap, in bytes. A certificate of a sender takes up to 2 KB.
const HEAP: usize = 64 * 1024;

#[global_allocator]
static HEAP_OF_IMAGE: TlsfHeap = TlsfHeap::empty();

#[entry]
fn main() -> ! {
    // SAFETY: it is called once, before anything is allocated.
    unsafe {
        embedded_alloc::init!(HEAP_OF_IMAGE, HEAP);
    }
    run(&mut Pipe::open());
    // The pipe ends the image with the run.
    panic!("the run ended without an end");
}
