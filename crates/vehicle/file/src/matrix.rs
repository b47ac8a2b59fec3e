//! Vehicle files of message matrices: a bus a cluster, an ECU a node, a stream a message, and the
//! `[[authentication]]` of secured I-PDUs.
//!
//! The matrix itself, and how each format is read, is in `waywarden-can-matrix`, all of which
//! stands here too.

mod authentication;
mod draft;
mod names;
mod period;
mod stream;
mod write;

#[cfg(test)]
mod tests;

pub use draft::{BIT_RATE, DATA_BIT_RATE, DbcOptions};
pub use waywarden_can_matrix::*;
pub use write::{Written, to_vehicle_toml, write};
