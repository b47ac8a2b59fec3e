//! The commands papers and bench: printed numbers, and those of this machine beside them.
#![forbid(unsafe_code)]

pub mod bench;
pub mod papers;
