//! The functions of `libwaywarden` for V2X messages (IEEE 1609.2, ETSI TS 103 097), on a host.
//!
//! Each function is one of `waywarden_v2x.h`. Objects are made and freed by the library; a pointer
//! to one is null, which is refused, or came from the function that makes it and was not freed.
//! The rules on all other pointers are those of [`waywarden_c`](waywarden_c#pointers).
#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

pub mod buffer;
pub mod encryption;
pub mod error;
mod handle;
pub mod inspection;
pub mod messages;
pub mod pki;
pub mod reception;
pub mod signer;
pub mod trust;
pub mod verdict;
pub mod verifier;

/// The functions without an allocator, which are in this library, too.
pub use waywarden_c as freestanding;
