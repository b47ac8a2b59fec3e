//! The certificates of an American PKI's roles.

use std::sync::Arc;

use waywarden_v2x_pki::add_chain;
use waywarden_v2x_security::{Capacity, Verified, Verifier};

use super::super::directory::PkiDirectory;
use super::super::index::{HolderRole, IndexEntry};
use waywarden_command_line::exit::Failure;

/// Verifies a chain, the root last; returns its first certificate.
pub fn verified(chain: &[Vec<u8>]) -> Result<Arc<Verified>, Failure> {
    known(&mut Verifier::new(Capacity::MINIMAL), chain)
}

/// Adds a chain to what a verifier knows; returns its first certificate.
pub fn known(verifier: &mut Verifier, chain: &[Vec<u8>]) -> Result<Arc<Verified>, Failure> {
    let (own, above) = chain
        .split_first()
        .ok_or_else(|| Failure::new("no certificate"))?;
    add_chain(verifier, own, above.iter().map(Vec::as_slice)).map_err(Failure::new)
}

/// Returns the newest entry of a role, which older PKIs may lack.
pub fn of_role(directory: &PkiDirectory, role: HolderRole) -> Result<&IndexEntry, Failure> {
    directory.index.of_role(role).ok_or_else(|| {
        Failure::new(format_args!(
            "{}: has no {}; make a new PKI with `pki init --us`",
            directory.path.display(),
            role.show(directory.index.shape)
        ))
    })
}
