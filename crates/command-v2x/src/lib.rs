//! The commands for V2X messages: sign, verify, inspect, encrypt, decrypt, serve, station.
#![forbid(unsafe_code)]

pub mod decrypt;
pub mod encrypt;
pub mod inspect;
#[cfg(unix)]
pub mod serve;
pub mod sign;
#[cfg(unix)]
pub mod station;
pub mod verify;

/// Returns the schemas of what these commands print for programs.
#[must_use]
pub fn schemas() -> Vec<waywarden_command_line::document::DocumentSchema> {
    let mut all = verify::schemas();
    all.push(inspect::SCHEMA);
    #[cfg(unix)]
    all.push(station::SCHEMA);
    all
}
