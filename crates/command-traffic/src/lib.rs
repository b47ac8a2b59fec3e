//! The command traffic: road traffic put on the radio channel.
#![forbid(unsafe_code)]

pub mod traffic;

/// Returns the schemas of what these commands print for programs.
#[must_use]
pub fn schemas() -> Vec<waywarden_command_line::document::DocumentSchema> {
    traffic::schemas().to_vec()
}
