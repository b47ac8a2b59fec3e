//! How ECUs use keys: message authentication on CAN.
//!
//! [`paired`] is what to use on classic CAN where a message needs its whole frame: its tag follows
//! in a frame of its own. [`secoc`] is what cars of today do: freshness and code share the frame
//! with the message. [`vatican`] and [`leia`] are the protocols that `paired` comes from, as
//! published. [`mac`] has the codes, [`keyring`] the keys behind the seam [`vault`]; [`event`] what
//! comes of it all. Nothing here reads a clock, draws a random number or touches a bus: seeds,
//! times and frames come in as values, frames and events go out as values. Nothing allocates.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod error;
pub mod event;
pub mod keyring;
pub mod leia;
pub mod mac;
pub mod paired;
pub mod sancus;
pub mod secoc;
pub mod stream;
pub mod vatican;
pub mod vault;
