//! Parts of `waywarden bus` that need no vehicle: logs, matrices, and single frames.

pub mod bits;
pub mod convert;
pub mod import;
pub mod load;
mod log;
mod matrix_output;
