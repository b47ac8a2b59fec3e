//! Sinks for the trace of a vehicle's run, and their reports.
//!
//! [`measure`] gathers figures while the run goes on; [`report`] sums them up and [`require`]
//! checks them against the requirements of the vehicle file. [`perfetto`] and [`lines`] write time
//! lines and JSON Lines, in the words of [`prose`]. No node of a vehicle is known
//! here. [`bus_load`] and [`bus_bits`] tell the load of a recorded log and the bits of a frame.
#![forbid(unsafe_code)]

pub mod attempt;
pub mod bus_bits;
pub mod bus_load;
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
pub mod tables;

pub use outcome::{RunOutcome, VehicleNames};
