//! Signatures as symbols: only the owner of a key makes one, and it costs a hash.

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::{
    Capabilities, KeyError, KeyHandle, KeyStore, Nonce, NonceForm, SharedSecret, Signature, Uses,
};
use waywarden_v2x_security::hash::{HashFunction, hash};

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
