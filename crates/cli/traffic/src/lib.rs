//! The command traffic: road traffic put on the radio channel.
#![forbid(unsafe_code)]

pub mod program;
pub mod traffic;

pub use waywarden_traffic_lab::scenario::SCHEMA as SCENARIO_SCHEMA;

/// Returns the schemas of what these commands print for programs.
#[must_use]
pub fn schemas() -> Vec<waywarden_command_line::document::DocumentSchema> {
    traffic::schemas().to_vec()
}
