//! Runs ECU images: programs for a microcontroller, each in an emulator of its own.
//!
//! A [`QemuImage`] is an image on a [`Machine`]. Starting it starts QEMU as a child, with pipes in
//! the place of its input and output. Messages of `waywarden-firmware-link` go over them, one at a
//! time: the image stands still from its request to the answer. So nothing depends on the speed of
//! this machine, and a run can be repeated byte for byte.
//!
//! An image that ends, hangs or sends what is no request is a fault with a reason, never a hang of
//! the run. Dropping a running image ends its emulator.
#![forbid(unsafe_code)]

mod elf;
mod machine;
mod qemu;
mod receiver;
mod running;
mod seam;
mod spawn;

pub use elf::Footprint;
pub use machine::{MACHINES, Machine};
pub use qemu::QemuImage;
pub use receiver::{BoardReceiver, BoardVerdict};
