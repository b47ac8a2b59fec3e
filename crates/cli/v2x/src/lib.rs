//! The commands for V2X messages: sign, verify, inspect, misbehaviour, encrypt, decrypt, serve, and
//! station.
#![forbid(unsafe_code)]

#[cfg(feature = "stations")]
pub mod decrypt;
#[cfg(feature = "stations")]
pub mod encode;
#[cfg(feature = "stations")]
pub mod encrypt;
pub mod inspect;
pub mod misbehaviour;
#[cfg(feature = "stations")]
mod payloads;
#[cfg(feature = "stations")]
pub mod program;
#[cfg(all(unix, feature = "stations"))]
pub mod serve;
#[cfg(feature = "stations")]
pub mod sign;
#[cfg(all(unix, feature = "stations"))]
pub mod station;
#[cfg(all(unix, feature = "stations"))]
mod used;
pub mod verify;

/// Returns the schemas of what these commands print for programs.
#[must_use]
pub fn schemas() -> Vec<waywarden_command_line::document::DocumentSchema> {
    let mut all = verify::schemas();
    all.push(inspect::SCHEMA);
    all.push(misbehaviour::SCHEMA);
    #[cfg(all(unix, feature = "stations"))]
    all.push(station::SCHEMA);
    all
}
