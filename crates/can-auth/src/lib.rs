//! How ECUs use keys: message authentication on CAN.
//!
//! [`paired`] is what to use on classic CAN where a message needs its whole frame: its tag follows
//! in a frame of its own. [`secoc`] is what cars of today do: freshness and code share the frame
//! with the message. `vatican` and `leia` (feature `as-published`) are the protocols that `paired`
//! comes from, with their weaknesses. [`mac`] has the codes, [`keyring`] the keys behind the seam
//! [`vault`]; [`event`] what comes of it all. Nothing here reads a clock, draws a random number or
//! touches a bus: seeds, times and frames come in as values, frames and events go out as values.
//! Nothing allocates.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod error;
pub mod event;
pub mod keyring;
#[cfg(feature = "as-published")]
pub mod leia;
pub mod mac;
pub mod paired;
mod pending;
pub mod sancus;
pub mod secoc;
pub mod stream;
#[cfg(feature = "as-published")]
pub mod vatican;
pub mod vault;
