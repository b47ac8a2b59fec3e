//! The command pki: a V2X public key infrastructure made and run by hand.
#![forbid(unsafe_code)]

pub mod pki;
pub mod program;

/// The JSON Schema (draft 2020-12) of profiles of a PKI, for editors.
pub const PROFILE_SCHEMA: &str = include_str!("../schemas/pki-profile.json");

/// Returns the schemas of what these commands print for programs.
#[must_use]
pub fn schemas() -> Vec<waywarden_command_line::document::DocumentSchema> {
    let mut all = pki::show::SCHEMAS.to_vec();
    all.push(pki::trust::SCHEMA);
    all.push(pki::check_list::SCHEMA);
    all
}
