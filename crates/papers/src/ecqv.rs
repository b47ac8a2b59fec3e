//! \[ECQV-CITS\], sections II to IV: what the operations of implicit certificates take on six
//! boards, which roles that allows within which latency, and the same on a machine that was
//! measured. Read docs/papers.md first.

mod cells;
mod data;
mod figures;
mod machine;
mod ours;
mod quantity;
mod simulated;
mod study;
mod traffic;
mod traffic_data;
mod why;

#[cfg(test)]
mod tests;

pub(crate) use ours::is_tabular;
pub use quantity::{Measured, OPERATIONS, Quantity, unmeasured};
pub use simulated::{Simulated, Traffic, Variant};
pub use study::Study;
