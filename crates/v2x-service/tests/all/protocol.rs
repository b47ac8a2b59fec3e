//! The two forms of the protocol.

mod forms;
mod frames;
mod fuzz;
mod json;
pub(crate) mod values;
