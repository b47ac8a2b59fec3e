//! Vehicle files: a car described in TOML becomes a simulation that runs, and a report.
#![forbid(unsafe_code)]

pub mod dbc;
pub mod file;
