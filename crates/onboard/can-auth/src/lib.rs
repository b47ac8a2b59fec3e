#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`secoc`] is what cars of today do: freshness and code share the frame with the message.
//! [`paired`] is for classic CAN where a message needs its whole frame: its tag follows in a frame
//! of its own. [`stream`] has the seam to an ECU, [`mac`] the codes, [`keyring`] the keys behind
//! the seam [`key_store`], [`event`] what comes of it all. `vatican` and `leia` (feature
//! `as-published`) are the protocols that `paired` comes from, with their weaknesses.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod error;
pub mod event;
pub mod key_store;
pub mod keyring;
#[cfg(feature = "as-published")]
pub mod leia;
pub mod mac;
pub mod paired;
mod pending;
pub mod sancus;
pub mod secoc;
pub mod single_key;
pub mod stream;
#[cfg(feature = "as-published")]
pub mod vatican;
