//! The two forms of the protocol.

mod forms;
mod frames;
mod fuzz;
mod json;
mod values;
