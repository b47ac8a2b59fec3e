//! The papers on V2X: their numbers and formulas, and what was measured beside them.
#![forbid(unsafe_code)]

#[cfg(test)]
mod cell_checks;
pub mod ecqv;
pub mod wave;
