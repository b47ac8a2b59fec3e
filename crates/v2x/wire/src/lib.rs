#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`detect`] and [`coer`]; the structures are in [`ieee1609dot2`], their digests in [`hash`]. Read
//! IEEE 1609.2-2022 clause 6 first.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod application;
pub mod bsm;
pub mod btp;
pub mod cam;
pub mod coer;
pub mod denm;
pub mod detect;
pub mod error;
pub mod etsi102894;
pub mod etsi102941;
pub mod etsi103097;
pub mod geonet;
pub mod hash;
pub mod ieee1609dot2;
pub mod ieee1609dot2dot1;
pub mod link;
pub mod uper;
pub mod wsmp;

pub use error::{EmitError, ParseFault, WireError};
