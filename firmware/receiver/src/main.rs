//! The V2X receiver for the emulated board.
#![no_std]
#![no_main]

use critical_section::RawRestoreState;
use embedded_alloc::TlsfHeap;
use waywarden_firmware_port::{Pipe, entry, note};
use waywarden_firmware_receiver::run;

/// The length of the heap, in bytes. A certificate of a sender takes up to 2 KB.
const HEAP: usize = 64 * 1024;

/// The lock of the allocator. An image has one core and enables no interrupt, so there is nothing
/// to keep out.
struct NoInterrupts;

critical_section::set_impl!(NoInterrupts);

// SAFETY: nothing runs beside the image, so each section is alone.
unsafe impl critical_section::Impl for NoInterrupts {
    unsafe fn acquire() -> RawRestoreState {}

    unsafe fn release(_: RawRestoreState) {}
}

#[global_allocator]
static HEAP_OF_IMAGE: TlsfHeap = TlsfHeap::empty();

note!(purpose = "a V2X receiver");

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
