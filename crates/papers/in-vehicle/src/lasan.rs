//! \[LASAN\]: ECUs authenticate themselves to a security module, with today's curves and with
//! post-quantum cryptography. Its numbers, those of the code published with it, and ours.
//!
//! Read the paper's slides first, or docs/papers.md and docs/protocols/lasan.md.

mod choice;
mod class;
mod contradiction;
mod data;
mod figures;
mod flow;
mod hypothesis;
mod quantity;
mod search;
mod simulate;
mod study;
mod suites;
mod tables;
mod vehicle;
mod why;

#[cfg(test)]
mod tests;

pub use choice::is_argued;
pub use quantity::{
    ComputingParty, LasanMeasured, LasanQuantity, LasanRun, Metric, PaperSuite, Part, State,
    unmeasured,
};
pub use simulate::{LasanSimulateError, LasanSimulator};
pub use study::LasanStudy;
pub use suites::is_tabular;
