//! CAN and CAN FD: identifiers, frames, exact bit lengths and times, segmentation, and the
//! [`node::Node`] seam through which every protocol role and every driver meets the bus.
//!
//! What is not here: a bus (see `waywarden-can-sim`), a driver but the simplest one,
//! a clock.
//! Read ISO 11898-1 first, or `docs/bus-model.md` for the part that is modelled.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod bits;
#[cfg(feature = "alloc")]
pub mod driver;
pub mod frame;
pub mod id;
pub mod node;
pub mod segment;
pub mod timing;

pub use frame::{Format, Frame, FrameError};
pub use id::{ExtendedId, Id, IdError, StandardId};
