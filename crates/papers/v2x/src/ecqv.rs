//! \[ECQV-CITS\], sections II to VII: what the operations of implicit certificates take on six
//! boards, which roles that allows within which latency, and the same on a machine that was
//! measured. Read docs/papers.md first.

mod algorithms;
mod cells;
mod certificates;
mod channel;
mod claims;
mod claims_data;
mod data;
mod encoded;
mod figures;
mod limits;
mod machine;
mod ours;
mod quantity;
mod ranges;
mod row;
mod shares;
mod simulated;
mod study;
mod text_data;
mod traffic;
mod traffic_data;
mod why;

#[cfg(test)]
mod tests;

pub use ours::is_tabular;
pub use quantity::{EcqvMeasured, EcqvQuantity, OPERATIONS, PAYLOAD_BYTES, Signer, unmeasured};
pub use simulated::{EcqvVariant, Simulated, SimulatedTraffic};
pub use study::EcqvStudy;
