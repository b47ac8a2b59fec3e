#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`layout`] has the structures; [`ObservationKind`] their observations by name.
#![no_std]
#![forbid(unsafe_code)]

pub mod layout;
mod observation;

pub use observation::ObservationKind;
