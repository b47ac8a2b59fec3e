//! The certificates of an American PKI's roles.

use std::sync::Arc;

use waywarden_v2x_security::{Verified, Verifier};

use super::super::directory::Directory;
use super::super::index::{Entry, Role};
use crate::exit::Failure;

/// Verifies a chain, the root last; returns its first certificate.
pub(super) fn verified(chain: &[Vec<u8>]) -> Result<Arc<Verified>, Failure> {
    known(&mut Verifier::new(1, 1).with_tables(0), chain)
}

/// Adds a chain to what a verifier knows; returns its first certificate.
pub(super) fn known(verifier: &mut Verifier, chain: &[Vec<u8>]) -> Result<Arc<Verified>, Failure> {
    let (root, below) = chain
        .split_last()
        .ok_or_else(|| Failure::new("no certificate"))?;
    let mut own = verifier.add_trust_anchor(root).map_err(Failure::new)?;
    for certificate in below.iter().rev() {
        own = verifier
            .add_certificate(certificate)
            .map_err(Failure::new)?;
    }
    Ok(own)
}

/// Returns the newest entry of a role, which older PKIs may lack.
pub(super) fn of_role(directory: &Directory, role: Role) -> Result<&Entry, Failure> {
    directory.index.of_role(role).ok_or_else(|| {
        Failure::new(format_args!(
            "{}: has no {}; make a new PKI with `pki init --us`",
            directory.path.display(),
            role.show(directory.index.shape)
        ))
    })
}
