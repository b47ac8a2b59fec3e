#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! Begin with [`Frame`] and [`Id`], then the contract of [`node::Node`], through which every
//! protocol role and every driver uses the bus. [`mailbox`] runs a node on the CAN driver of a
//! microcontroller. Read ISO 11898-1 first, or `docs/bus-model.md` in the
//! repository for the modelled part.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod bits;
#[cfg(feature = "alloc")]
pub mod driver;
#[cfg(feature = "embedded-can")]
mod embedded;
pub mod frame;
mod handle;
pub mod id;
pub mod mailbox;
pub mod node;
pub mod segment;
pub mod timing;

pub use frame::{FdFlags, Format, Frame, FrameError};
pub use handle::MessageHandle;
pub use id::{ExtendedId, Id, IdError, StandardId};
