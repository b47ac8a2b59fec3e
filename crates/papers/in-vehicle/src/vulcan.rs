//! \[VULCAN\]: vatiCAN and LeiA with a MAC unit and protected modules. Its two tables and what its
//! text states, by the boards' figures and as two ECUs on the exact bus measure it.
//!
//! Only the paper's text was seen, not its tables: what is known of their cells from memory is said
//! to be, and no cell of those counts as one that agrees. Read docs/papers.md first.

mod class;
mod data;
mod driver;
mod ends;
mod figures;
mod modules;
mod operation;
mod ours;
mod pair;
mod quantity;
mod simulate;
mod study;
mod tables;
mod text;
mod why;

#[cfg(test)]
mod tests;

pub use ours::is_tabular;
pub use quantity::{
    Buffers, Code, VulcanMeasured, VulcanMetric, VulcanProtocol, VulcanQuantity, VulcanRun,
    unmeasured,
};
pub use simulate::{VulcanSimulateError, VulcanSimulator};
pub use study::VulcanStudy;
