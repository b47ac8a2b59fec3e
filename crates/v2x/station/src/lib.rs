//! The facilities and the network of a V2X station, without sockets and clocks: which message is
//! due when, what it says, and the packet that it travels in.
//!
//! A [`Station`] takes the position of its vehicle and the time; it returns messages to be
//! signed, each with the [`MessageEnvelope`] that makes a frame of the signed message:
//!
//! ```text
//! Motion -> Station::poll -> Message { psid, payload, .. } -> signed elsewhere -> SPDU
//!                               envelope.frame(spdu) -> Ethernet frame -> the air
//! ```
//!
//! | module | what it keeps |
//! |---|---|
//! | [`cam`] | when an awareness message is due \[EN 302 637-2 §6.1.3\], and its contents |
//! | [`bsm`] | basic safety messages, ten a second \[J2945/1\] |
//! | [`repetition`] | messages that a user gave, sent at their periods |
//! | [`denm`] | events: triggered, updated, repeated, cancelled \[EN 302 637-3 §8\] |
//! | [`network`] | GeoNetworking with BTP, or WSMP, and Ethernet around them |
//! | [`content`] | what a received message says of its station |
//! | [`neighbours`] | the stations in reach, and where refused messages came from |
//! | [`pseudonym`] | when a station becomes another one, and how long it is silent before |
//!
//! Everything that names a station ([`StationIdentifiers`]) is drawn again with each pseudonym, so
//! that nothing on the air links the old one to the new one.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod bsm;
pub mod cam;
mod confidence;
pub mod content;
pub mod denm;
mod identifiers;
mod motion;
pub mod neighbours;
pub mod network;
mod number;
pub mod pseudonym;
pub mod repetition;
mod station;

pub use identifiers::StationIdentifiers;
pub use motion::{Motion, VehicleType};
pub use network::MessageEnvelope;
pub use repetition::RepeatedMessage;
pub use station::{BSM, MessageService, Station, StationMessage, StationSettings, StationTask};
