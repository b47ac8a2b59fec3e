#![doc = include_str!("../README.md")]
//!
//! # Items
//!
//! A monotonic clock value that is handed in ([`Instant`], [`Duration`]), and the name of a piece
//! of computation ([`Operation`]), gathered in a [`Meter`].
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod meter;
mod operation;
mod text;
mod time;

pub use meter::{Meter, NoMeter, RecordedOperations};
pub use operation::{Algorithm, Operation, OperationKind};
pub use text::{ParseDurationError, decimal};
pub use time::{Duration, Instant};
