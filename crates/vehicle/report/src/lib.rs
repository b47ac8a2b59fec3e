//! Sinks for the trace of a vehicle's run, and their reports.
//!
//! [`measure`] gathers figures while the run goes on; [`report`] sums them up and [`require`]
//! checks them against the requirements of the vehicle file. [`perfetto`] and [`lines`] write time
//! lines and JSON Lines, in the words of [`prose`]. No node is known here.
#![forbid(unsafe_code)]

pub mod attempt;
pub mod fact_fields;
pub mod identifiers;
pub mod lines;
pub mod measure;
pub mod message_path;
mod outcome;
pub mod perfetto;
pub mod prose;
pub mod report;
pub mod require;
pub mod runs;

pub use outcome::{RunOutcome, VehicleNames};
