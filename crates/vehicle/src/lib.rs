//! Vehicle files: a car described in TOML becomes a simulation that runs, and a report.
//!
//! [`mod@file`] reads and checks the description; [`mod@lower`] makes a simulation of it;
//! [`mod@run`] runs it; [`report`] sums it up and [`require`] holds it against what the file asks
//! for; [`mod@compare`] does all that with the same car under other keys and authentication.
//! Nothing here opens a file: [`resources::needed`] says which ones a vehicle needs.
#![forbid(unsafe_code)]

mod attempt;
pub mod compare;
pub mod dbc;
pub mod exchange;
pub mod facts;
pub mod file;
pub mod html;
mod identifiers;
pub mod lower;
pub mod measure;
pub mod nodes;
pub mod perfetto;
pub mod programs;
pub mod readable;
pub mod recorder;
pub mod report;
pub mod require;
pub mod resources;
pub mod run;
pub mod siege;
