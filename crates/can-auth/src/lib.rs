//! How ECUs use keys: message authentication on CAN.
//!
//! [`paired`] is what to use on classic CAN: messages whose tag follows in a frame of its own.
//! [`vatican`] and [`leia`] are the protocols it comes from, as published. [`mac`] has the codes,
//! [`keyring`] the keys behind the seam [`vault`]; [`event`] what comes of it all. Nothing here
//! reads a clock, draws a random number or touches a bus: seeds, times and frames come in as
//! values, frames and events go out as values. Nothing allocates.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod event;
pub mod keyring;
pub mod leia;
pub mod mac;
pub mod paired;
pub mod sancus;
pub mod stream;
pub mod vatican;
pub mod vault;
