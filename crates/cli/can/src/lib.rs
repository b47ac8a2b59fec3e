//! The commands about buses and logs, and the inputs that they share with those about vehicles:
//! vehicle files, matrices, logs and resources, each known by its content.
#![forbid(unsafe_code)]

pub mod auth;
pub mod bus;
pub mod file_kind;
pub mod logs;
pub mod matrix;
pub mod quantity;
pub mod resources;
pub mod signals;
