//! Certificates of electors and roots, which issue themselves.

use std::collections::BTreeSet;
use std::sync::Arc;

use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_security::{Capacity, Refusal, Verified, Verifier};

use super::entries::elector_hash;

/// Verifies the signature of a certificate that issues itself.
pub(super) fn self_issued(certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
    let verifier = Verifier::new(Capacity::MINIMAL);
    verifier
        .with_borders(CountryBorders::new())
        .add_trust_anchor(certificate)
}

fn key_of(certificate: &Verified) -> Option<Vec<u8>> {
    let key = certificate.public_key()?;
    Some(key.to_sec1_uncompressed().as_ref().to_vec())
}

/// Returns true if a list has the hash of an elector.
pub(super) fn is_in(hashes: &BTreeSet<Vec<u8>>, elector: &Verified) -> bool {
    let hash = elector.view().ok().and_then(|view| elector_hash(&view));
    hash.is_some_and(|hash| hashes.contains(hash.as_bytes()))
}

/// Adds certificates, but for those whose key is there already.
pub(super) fn add(electors: &mut Vec<Arc<Verified>>, certificate: Arc<Verified>) {
    let key = key_of(&certificate);
    if electors.iter().all(|one| key_of(one) != key) {
        electors.push(certificate);
    }
}
