//! The papers on keys and authentication in vehicles: their numbers, formulas and simulations.
#![forbid(unsafe_code)]

mod bench;
#[cfg(test)]
mod cell_checks;
pub mod gke;
pub mod lasan;
pub mod vulcan;
