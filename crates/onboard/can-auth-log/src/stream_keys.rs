//! The keys of one stream, with the MAC algorithm that its table names.
//!
//! Nothing here knows where a key comes from: [`crate::AuthenticationPlan`] has it.

use waywarden_can::ExtendedId;
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, HmacSha256, MacKey, SipHash, SpongentMac, Tag};
use waywarden_work::{Algorithm, Meter, NoMeter};

/// The key of a stream's messages.
pub(crate) const MESSAGE_KEY: KeyId = KeyId(0);
/// LeiA's session key, which its stream derives; for a 29-bit identifier the shared key from which
/// the stream's own is derived.
pub(crate) const DERIVATION_KEY: KeyId = KeyId(1);

/// Up to two keys of one MAC algorithm.
pub(crate) enum StreamKeys {
    AesCmac(Box<Keyring<AesCmac, 2>>),
    HmacSha256(Box<Keyring<HmacSha256, 2>>),
    SipHash(Box<Keyring<SipHash, 2>>),
    SpongentMac(Box<Keyring<SpongentMac, 2>>),
}

/// Evaluates one expression on the keyring, whichever its algorithm.
macro_rules! with_keyring {
    ($keys:expr, $ring:ident => $does:expr) => {
        match $keys {
            StreamKeys::AesCmac($ring) => $does,
            StreamKeys::HmacSha256($ring) => $does,
            StreamKeys::SipHash($ring) => $does,
            StreamKeys::SpongentMac($ring) => $does,
        }
    };
}

impl StreamKeys {
    /// Takes the key of a stream's messages.
    pub(crate) fn new(algorithm: Algorithm, key: &MacKey) -> Result<Self, KeyStoreError> {
        let mut keys = Self::empty(algorithm);
        keys.insert(MESSAGE_KEY, key)?;
        Ok(keys)
    }

    /// Derives the key of the stream under a 29-bit identifier from one that many streams share:
    /// data ids have 16 bits and would not tell all of them apart. No data id is 0xFFFF, so no
    /// other MAC is computed over the same bytes.
    pub(crate) fn derived(
        algorithm: Algorithm,
        key: &MacKey,
        id: ExtendedId,
    ) -> Result<Self, KeyStoreError> {
        let mut keys = Self::empty(algorithm);
        keys.insert(DERIVATION_KEY, key)?;
        let context: [&[u8]; 3] = [&[0xFF; 2], b"29-bit identifier", &id.raw().to_be_bytes()];
        keys.derive(DERIVATION_KEY, MESSAGE_KEY, &context, &mut NoMeter)?;
        Ok(keys)
    }

    fn empty(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::HmacSha256 => StreamKeys::HmacSha256(Box::default()),
            Algorithm::SipHash => StreamKeys::SipHash(Box::default()),
            Algorithm::SpongentMac => StreamKeys::SpongentMac(Box::default()),
            _ => StreamKeys::AesCmac(Box::default()),
        }
    }

    fn insert(&mut self, id: KeyId, key: &MacKey) -> Result<(), KeyStoreError> {
        with_keyring!(self, ring => ring.insert(id, Usage::Both, key))
    }
}

impl MacKeyStore for StreamKeys {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        with_keyring!(self, ring => ring.tag(key, message, meter))
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        with_keyring!(self, ring => ring.check(key, message, received, bits, meter))
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        with_keyring!(self, ring => ring.derive(from, into, context, meter))
    }

    fn tag_batch<M: AsRef<[u8]>>(
        &mut self,
        key: KeyId,
        messages: impl Iterator<Item = M>,
        each: impl FnMut(usize, &M, &Tag),
    ) -> Result<(), KeyStoreError> {
        with_keyring!(self, ring => ring.tag_batch(key, messages, each))
    }
}
