//! The keys of one stream, with the MAC algorithm that its table names.
//!
//! Nothing here knows where a key comes from: [`crate::AuthenticationPlan`] has it.

use waywarden_can::ExtendedId;
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::AnyKeyring;
use waywarden_can_auth::mac::MacKey;
use waywarden_work::{Algorithm, NoMeter};

/// The key of a stream's messages.
pub(crate) const MESSAGE_KEY: KeyId = KeyId(0);
/// LeiA's session key, which its stream derives; for a 29-bit identifier the shared key from which
/// the stream's own is derived.
pub(crate) const DERIVATION_KEY: KeyId = KeyId(1);

/// Up to two keys of one MAC algorithm.
pub(crate) type StreamKeys = AnyKeyring<2>;

/// Takes the key of a stream's messages.
pub(crate) fn stream_keys(algorithm: Algorithm, key: &MacKey) -> Result<StreamKeys, KeyStoreError> {
    let mut keys = empty(algorithm);
    keys.insert(MESSAGE_KEY, Usage::Both, key)?;
    Ok(keys)
}

/// Derives the key of the stream under a 29-bit identifier from one that many streams share: data
/// ids have 16 bits and would not tell all of them apart. No data id is 0xFFFF, so no other MAC is
/// computed over the same bytes.
pub(crate) fn derived_keys(
    algorithm: Algorithm,
    key: &MacKey,
    id: ExtendedId,
) -> Result<StreamKeys, KeyStoreError> {
    let mut keys = empty(algorithm);
    keys.insert(DERIVATION_KEY, Usage::Both, key)?;
    let context: [&[u8]; 3] = [&[0xFF; 2], b"29-bit identifier", &id.raw().to_be_bytes()];
    keys.derive(DERIVATION_KEY, MESSAGE_KEY, &context, &mut NoMeter)?;
    Ok(keys)
}

/// A table names only codes of messages.
fn empty(algorithm: Algorithm) -> StreamKeys {
    let cmac = || AnyKeyring::AesCmac(Default::default());
    AnyKeyring::of(algorithm).unwrap_or_else(cmac)
}
