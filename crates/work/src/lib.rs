//! What was done and when, never what it costs.
//!
//! Two ideas every room shares: a monotonic clock value that is handed in ([`Instant`],
//! [`Duration`]), and the name of a piece of computation ([`Operation`]), gathered in a [`Meter`].
//! A protocol role reports operations; what one of them costs on a given board is the business of
//! `waywarden-boards`.
//! Nothing here reads a clock.
#![no_std]
#![forbid(unsafe_code)]

mod meter;
mod operation;
mod time;

pub use meter::Meter;
pub use operation::{Algorithm, Operation, OperationKind};
pub use time::{Duration, Instant};
