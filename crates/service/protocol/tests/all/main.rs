//! Tests of the two forms of the protocol, and of verdicts.

mod client;
mod forms;
mod frames;
mod fuzz;
mod json;
mod reports;
mod statuses;
mod values;
