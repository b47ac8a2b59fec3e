//! The command pki: a V2X public key infrastructure made and run by hand.
#![forbid(unsafe_code)]

pub mod pki;
pub mod program;

/// Returns the schemas of profiles, and of what these commands print for programs.
#[must_use]
pub fn schemas() -> Vec<waywarden_command_line::document::DocumentSchema> {
    let mut all = vec![waywarden_pki_authorities::profile::SCHEMA];
    all.extend(pki::show::SCHEMAS);
    all.push(pki::trust::SCHEMA);
    all.push(pki::check_list::SCHEMA);
    all
}
