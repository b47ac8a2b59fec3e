#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`MisbehaviourAuthority::receive`] takes a report and says what it counted.
//! [`Cases`] has the rule; [`LinkageIndex`] resolves pseudonyms.
#![forbid(unsafe_code)]

mod authority;
mod cases;
mod policy;
mod refusal;
mod vehicles;

pub use authority::{MisbehaviourAuthority, Outcome, Received};
pub use cases::{ACCUSATIONS_MAX, Accusation, CASES_MAX, Cases, Counted, Decision, NotCounted};
pub use policy::{MESSAGES_MAX, Policy, PolicyError, REPORTERS_MAX};
pub use refusal::ReportFault;
pub use vehicles::{LinkageIndex, VehicleId, VehicleResolver};
