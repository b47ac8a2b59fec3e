//! How ECUs get keys: suites of cryptography, and the protocols that agree on a key with them.
//!
//! [`suite`] is the cryptography that every protocol role is generic over. Nothing here reads a
//! clock, draws a random number or touches a bus: seeds, times and frames come in as values.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod events;
pub mod group;
mod hostile;
pub mod lasan;
pub mod suite;
#[cfg(test)]
mod test_driver;
mod transmission;
mod worker;
