//! The boards of ECU images: QEMU's `mps2-an386`, a Cortex-M4F; `mps2-an505`, a Cortex-M33; and a
//! Cortex-R5F without a board; by semihosting. The target of the build says which.
//!
//! An image meets the world in [`Pipe::exchange`], which blocks until the answer. The instructions
//! that it executes are counted by the board's timer, those of exchanges left out. A panic, a fault
//! and an endless loop end the image, with the reason as its last request.
//!
//! Nothing runs beside the image: no interrupt is enabled, and the handlers of faults and of the
//! watchdog never return. So all unsafe code here has its values to itself.
#![no_std]
#![deny(clippy::undocumented_unsafe_blocks)]

mod board;
mod counter;
mod failure;
mod faults;
mod global;
mod note;
mod pipe;
mod place;
mod stack;

pub use self::board::{INSTRUCTIONS_MAX, entry};
#[doc(hidden)]
pub use self::note::parts;
pub use self::pipe::Pipe;
pub use self::place::Place;
