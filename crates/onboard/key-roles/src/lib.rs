#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! The [memory](storage) that roles are handed, the [work](worker) of a processor, [events] for
//! their ECU, [messages on their way out](transmission), how parties are [addressed](address), and
//! the [identifiers] of their frames.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod address;
pub mod events;
pub mod identifiers;
pub mod storage;
pub mod transmission;
pub mod worker;

pub use address::{Address, Transport};
pub use events::EventQueue;
pub use identifiers::{Fields, FixedBits, IdPattern, IdentifierPlan, IdentifierPlanError};
pub use storage::Storage;
pub use worker::Worker;
