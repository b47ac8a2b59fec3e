//! How ECUs get keys: suites of cryptography, and the protocols that agree on a key with them.
//!
//! [`suite`] is the cryptography that every protocol role is generic over. Nothing here reads a
//! clock, draws a random number or touches a bus: seeds, times and frames come in as values.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod events;
pub mod group;
#[cfg(feature = "fuzzing")]
mod hostile;
pub mod lasan;
mod storage;
pub mod suite;
#[cfg(test)]
mod test_driver;
mod transmission;
mod worker;
