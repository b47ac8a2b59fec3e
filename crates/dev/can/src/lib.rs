//! Shared code of the tests of protocols on a simulated bus: interferers that stop at a set time,
//! and an ECU with other traffic.
//!
//! A development dependency only, as `waywarden-testkit` is. It is no part of that, so that other
//! tests do without the crates that it needs.

mod faults;

pub use faults::{Chatter, Sometimes};
