//! Codecs of V2X messages: IEEE 1609.2 and ETSI TS 103 097 data and certificates, what they travel
//! in (WSMP, GeoNetworking, links) and what they carry (CAM, DENM, BSM).
//!
//! Views into the input, no allocation, and no cryptography but the hashes by which the structures
//! name and sign one another ([`hash`]): `waywarden-v2x-security` verifies, `waywarden-v2x-keys`
//! signs. Read IEEE 1609.2-2022 clause 6 first.
#![no_std]
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

pub use error::{EmitError, Fault, WireError};
