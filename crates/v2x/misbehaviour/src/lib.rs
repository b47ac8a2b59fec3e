//! Detection of misbehaviour: a valid certificate says who signed a message, never that its claims
//! about position, speed or heading are true.
//!
//! A [`Detector`] holds a bounded table of senders. [`Detector::observe`] compares each [`Claim`]
//! with what vehicles can do, with the sender's earlier claims, with those of other senders and
//! with the [`Observer`]'s own position. It returns [`Findings`]: the classes that failed, by how
//! much, and a verdict from the evidence of the last seconds. The classes follow the observations
//! of \[TS 103 759\] as far as public sources name them.
//!
//! ```text
//! Claim -> plausible values -> motion of one sender -> copies, overlaps, appearances
//!                                                             |
//!                       Findings::is_suspicious <- evidence <-+
//! ```
//!
//! Times are in microseconds of clocks that the caller chooses, positions in metres of one plane
//! that all claims share. Nothing here is secret; equal inputs give equal outputs.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod claim;
mod copies;
mod detector;
mod finding;
mod motion;
mod neighbours;
mod senders;
#[cfg(test)]
mod tests;
mod thresholds;

pub use claim::{Claim, Observer, RoadMap, SenderId};
pub use detector::Detector;
pub use finding::{Finding, Findings, MisbehaviourClass};
pub use thresholds::Thresholds;
