//! Files that a user names: opened, read whole, with errors that name place and remedy. The README
//! has the decisions.
#![forbid(unsafe_code)]

pub mod files;
pub mod path_error;
pub mod plain;
mod problem;

pub use problem::Problem;
