//! The C library `libwaywarden`.
//!
//! Each function here is one of `waywarden.h`, which cbindgen writes from these files; the comments
//! are those of the header. Nothing here allocates: objects live in memory that the caller gives.
//!
//! # Pointers
//!
//! For every function: a pointer is null, which is refused, or points to as much memory as its type
//! or the length beside it says, which no other thread touches during the call. An object was
//! initialised by the function of its name, or is all zero bytes, which is refused.
#![no_std]
#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

#[cfg(any(feature = "std", test))]
extern crate std;

pub mod can;
#[cfg(feature = "secoc")]
mod end;
#[cfg(feature = "group-keys")]
pub mod group;
pub mod keys;
#[cfg(feature = "lasan")]
pub mod lasan;
mod memory;
pub mod outcome;
#[cfg(feature = "paired")]
pub mod paired;
pub mod retention;
#[cfg(any(feature = "group-keys", feature = "lasan"))]
pub mod role;
#[cfg(feature = "secoc")]
pub mod secoc;
pub mod status;
#[cfg(feature = "ecverify")]
pub mod verification;

/// Without the standard library nothing can be told: the processor stays here, for a watchdog to
/// find it.
#[cfg(not(any(feature = "std", test)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
