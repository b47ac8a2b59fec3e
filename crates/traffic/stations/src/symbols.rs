//! Signatures as symbols: only the owner of a key makes one, and it costs a hash.

use std::collections::HashMap;

use waywarden_ecverify::{Curve, EncodedPoint, Job, Point};
use waywarden_v2x_keys::{
    Capabilities, KeyError, KeyHandle, KeyStore, Nonce, NonceForm, SharedSecret, Signature, Uses,
};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

/// The keys that sign by symbols, by their certificates: what a receiver verifies with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    /// True if messages are signed and verified with ECDSA: there are no symbols then.
    pub(crate) is_real: bool,
    keys: HashMap<HashedId8, SymbolicKey>,
}

impl Symbols {
    pub(crate) fn new(is_real: bool) -> Self {
        Self {
            is_real,
            keys: HashMap::new(),
        }
    }

    pub(crate) fn add(&mut self, certificate: HashedId8, key: SymbolicKey) {
        self.keys.insert(certificate, key);
    }

    /// Returns true if the owner of a certificate made the signature of a job.
    pub(crate) fn is_made(&self, certificate: HashedId8, job: &Job<'_>) -> bool {
        let key = self.keys.get(&certificate);
        key.is_some_and(|key| key.is_made(job))
    }
}

/// A key that signs by symbols. It has the public key of a certificate, and a secret of its own.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicKey {
    public: Point,
    secret: [u8; 32],
}

impl SymbolicKey {
    /// The handle of the one key.
    pub(crate) const HANDLE: KeyHandle = KeyHandle(1);

    pub(crate) fn new(public: Point, secret: [u8; 32]) -> Self {
        Self { public, secret }
    }

    fn check(key: KeyHandle) -> Result<(), KeyError> {
        match key == Self::HANDLE {
            true => Ok(()),
            false => Err(KeyError::NoSuchKey),
        }
    }

    fn unsupported(&self) -> KeyError {
        KeyError::Unsupported {
            operation: "anything but signing by symbols",
            curve: self.public.curve(),
        }
    }

    /// Returns true if the signature of a job is of this key.
    fn is_made(&self, job: &Job<'_>) -> bool {
        let r = match job.signature.r {
            EncodedPoint::XOnly(x)
            | EncodedPoint::CompressedY0(x)
            | EncodedPoint::CompressedY1(x)
            | EncodedPoint::Uncompressed { x, .. } => x,
            EncodedPoint::Fill => return false,
        };
        let is_symbol = |part, bytes| self.symbol(job.digest, part) == bytes;
        is_symbol(0, r) && is_symbol(1, job.signature.s)
    }

    /// The symbol of a digest: as long as the coordinates of the curve.
    fn symbol(&self, digest: &[u8], part: u8) -> Vec<u8> {
        let bytes = [&self.secret, digest, &[part]].concat();
        let mut symbol = hash(HashFunction::Sha384, &bytes).as_bytes().to_vec();
        symbol.truncate(self.public.curve().field_bytes());
        symbol
    }
}

impl KeyStore for SymbolicKey {
    fn capabilities(&self, curve: Curve) -> Capabilities {
        Capabilities {
            sign: curve == self.public.curve(),
            nonce_point: true,
            deterministic_nonce: true,
            hedged_nonce: true,
            ..Capabilities::default()
        }
    }

    fn generate(&mut self, _: Curve, _: Uses, _: &[u8; 32]) -> Result<KeyHandle, KeyError> {
        Err(self.unsupported())
    }

    fn public_key(&self, key: KeyHandle) -> Result<Point, KeyError> {
        Self::check(key)?;
        Ok(self.public)
    }

    fn sign(
        &mut self,
        key: KeyHandle,
        digest: &[u8],
        _: Nonce<'_>,
        form: NonceForm,
    ) -> Result<Signature, KeyError> {
        Self::check(key)?;
        let (r, s) = (self.symbol(digest, 0), self.symbol(digest, 1));
        let is_odd = (form == NonceForm::Point).then_some(false);
        Signature::new(self.public.curve(), &r, &s, is_odd).ok_or(KeyError::DigestLength)
    }

    fn agree(&mut self, _: KeyHandle, _: &Point) -> Result<SharedSecret, KeyError> {
        Err(self.unsupported())
    }

    fn reconstruct(
        &mut self,
        _: KeyHandle,
        _: &[u8; 32],
        _: &[u8; 32],
        _: Uses,
    ) -> Result<KeyHandle, KeyError> {
        Err(self.unsupported())
    }

    fn contribute(
        &mut self,
        _: KeyHandle,
        _: KeyHandle,
        _: &[u8; 32],
    ) -> Result<[u8; 32], KeyError> {
        Err(self.unsupported())
    }

    fn expand(&mut self, _: KeyHandle, _: &[u8; 48], _: Uses) -> Result<KeyHandle, KeyError> {
        Err(self.unsupported())
    }

    fn retire(&mut self, _: KeyHandle) -> Result<(), KeyError> {
        Err(self.unsupported())
    }
}
