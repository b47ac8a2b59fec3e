//! \[GKE\]: group key exchange on CAN. Its formulas, its numbers, and the reasons for what differs.
//!
//! Read [GKE §V] first, or docs/papers.md.

mod class;
mod data;
mod figures;
pub mod model;
mod quantity;
mod rules;
mod simulate;
mod study;
mod tables;
mod wire;

#[cfg(test)]
mod tests;

pub use quantity::{Aggregation, Measured, Operation, Part, Quantity, Step, Suite, unmeasured};
pub use simulate::{SimulateError, Simulator};
pub use study::Study;
