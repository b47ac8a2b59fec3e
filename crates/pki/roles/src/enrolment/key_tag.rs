//! Tag that stands for the public keys in the part of a request that the enrolment authority sees.

use waywarden_v2x_keys::ecies::mac1;
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::etsi102941::PublicKeys;

/// Returns the first half of the HMAC-SHA-256 of the verification key and, if there is one, the
/// encryption key, as they are encoded, one after the other \[TS 102 941 §6.2.3.3.1\].
///
/// # Errors
/// Keys that cannot be written.
pub(super) fn key_tag(hmac_key: &[u8; 32], keys: &PublicKeys<'_>) -> Result<[u8; 16], EmitError> {
    let mut bytes = written(&keys.verification_key)?;
    if let Some(key) = &keys.encryption_key {
        bytes.extend(written(key)?);
    }
    Ok(mac1(hmac_key, &bytes))
}
