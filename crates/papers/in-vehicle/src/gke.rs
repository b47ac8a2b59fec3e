//! \[GKE\]: group key exchange on CAN. Its formulas, its numbers, and the reasons for what differs.
//!
//! Read [GKE §V] first, or docs/papers.md.

mod assumed;
mod class;
mod data;
mod figures;
pub mod model;
mod quantity;
mod rules;
mod simulate;
mod study;
mod tables;
mod vehicle;
mod wire;

#[cfg(test)]
mod tests;

pub use quantity::{
    Aggregation, ExchangePart, GkeMeasured, GkeOperation, GkeQuantity, GkeStep, GkeSuite,
    unmeasured,
};
pub use simulate::{GkeSimulateError, GkeSimulator};
pub use study::GkeStudy;
