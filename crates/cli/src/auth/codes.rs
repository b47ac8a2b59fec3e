//! The keys of one stream, with the code that its table says.

use waywarden_can::ExtendedId;
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, HmacSha256, Key, SipHash, SpongentMac, Tag};
use waywarden_can_auth::vault::{KeyId, Usage, Vault, VaultError};
use waywarden_work::{Algorithm, Meter};

/// The key of a stream's messages.
pub(super) const MESSAGES: KeyId = KeyId(0);
/// The key of LeiA's epoch; what a stream's own key is derived from.
pub(super) const OTHER: KeyId = KeyId(1);

/// Up to two keys of one code.
pub(super) enum Codes {
    AesCmac(Box<Keyring<AesCmac, 2>>),
    HmacSha256(Box<Keyring<HmacSha256, 2>>),
    SipHash(Box<Keyring<SipHash, 2>>),
    SpongentMac(Box<Keyring<SpongentMac, 2>>),
}

/// Does the same with whichever it is.
macro_rules! whichever {
    ($codes:expr, $ring:ident => $does:expr) => {
        match $codes {
            Codes::AesCmac($ring) => $does,
            Codes::HmacSha256($ring) => $does,
            Codes::SipHash($ring) => $does,
            Codes::SpongentMac($ring) => $does,
        }
    };
}

impl Codes {
    /// Takes the key of a stream's messages.
    pub(super) fn new(algorithm: Algorithm, key: &Key) -> Result<Self, VaultError> {
        let mut codes = Self::empty(algorithm);
        codes.insert(MESSAGES, key)?;
        Ok(codes)
    }

    /// Takes a key of many streams, of which the stream under a 29-bit identifier gets its own:
    /// data ids have 16 bits, and would not tell all of them apart. No data id is 0xFFFF, so
    /// nothing else is computed over the same bytes.
    pub(super) fn of_extended(
        algorithm: Algorithm,
        key: &Key,
        id: ExtendedId,
    ) -> Result<Self, VaultError> {
        let mut codes = Self::empty(algorithm);
        codes.insert(OTHER, key)?;
        let context: [&[u8]; 3] = [&[0xFF; 2], b"29-bit identifier", &id.raw().to_be_bytes()];
        codes.derive(OTHER, MESSAGES, &context, &mut Meter::new())?;
        Ok(codes)
    }

    fn empty(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::HmacSha256 => Codes::HmacSha256(Box::default()),
            Algorithm::SipHash => Codes::SipHash(Box::default()),
            Algorithm::SpongentMac => Codes::SpongentMac(Box::default()),
            _ => Codes::AesCmac(Box::default()),
        }
    }

    fn insert(&mut self, id: KeyId, key: &Key) -> Result<(), VaultError> {
        whichever!(self, ring => ring.insert(id, Usage::Both, key))
    }
}

impl Vault for Codes {
    fn tag(&mut self, key: KeyId, message: &[&[u8]], meter: &mut Meter) -> Result<Tag, VaultError> {
        whichever!(self, ring => ring.tag(key, message, meter))
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut Meter,
    ) -> Result<bool, VaultError> {
        whichever!(self, ring => ring.check(key, message, received, bits, meter))
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut Meter,
    ) -> Result<(), VaultError> {
        whichever!(self, ring => ring.derive(from, into, context, meter))
    }
}
