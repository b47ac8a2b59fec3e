//! The keys of the image, in a place of their own: they are most of its RAM.

use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, Tag};
use waywarden_firmware_link::KEYS_MAX;
use waywarden_work::Meter;

/// The keys.
pub type Keys = Keyring<AesCmac, KEYS_MAX>;

/// The keys where they are. An authenticator that had them within would be moved with them, and the
/// stack would have to have room for them several times.
pub struct KeyStore<'a>(pub(crate) &'a mut Keys);

impl MacKeyStore for KeyStore<'_> {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        self.0.tag(key, message, meter)
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        self.0.check(key, message, received, bits, meter)
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        self.0.derive(from, into, context, meter)
    }
}
