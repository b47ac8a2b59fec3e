//! Codecs of V2X messages: IEEE 1609.2 and ETSI TS 103 097 data and certificates, what they travel
//! in (WSMP, GeoNetworking, links) and what they carry (CAM, DENM, BSM).
//!
//! Views into the input, no allocation, no cryptography: what is signed and what is hashed is
//! pointed at, and `waywarden-v2x-security` does the rest. Read IEEE 1609.2-2022 clause 6 first.
#![no_std]
#![forbid(unsafe_code)]

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
pub mod ieee1609dot2;
pub mod link;
pub mod uper;
pub mod wsmp;

pub use error::{EmitError, Fault, WireError};
