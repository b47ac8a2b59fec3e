//! Output for programs: JSON documents that name their schema and version, and tables by column.
//!
//! Nothing here opens a file or prints to a terminal.
#![forbid(unsafe_code)]

pub mod document;
pub mod table;
