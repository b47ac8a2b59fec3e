//! A store in memory.

use waywarden_ecverify::{Curve, Point};

use crate::arithmetic::{self, ScalarBytes};
use crate::curves::is_built_in;
use crate::error::KeyError;
use crate::key_store::{Capabilities, KeyHandle, KeyStore, Nonce, Uses};
use crate::precomputed::PrecomputedNonces;
use crate::secret::{PrivateKey, SharedSecret};
use crate::signature::{NonceForm, Signature};
use crate::slots::{Key, Slots};

/// Capabilities for the built-in curves, before those that depend on curve and nonces.
const CAPABILITIES: Capabilities = Capabilities {
    sign: true,
    nonce_point: true,
    hedged_nonce: true,
    deterministic_nonce: true,
    precomputed_nonce: false,
    own_nonce: false,
    agree: true,
    implicit: true,
    expand: true,
};

/// Up to `KEYS` keys in memory, and up to `NONCES` precomputed nonces. Keys are wiped when they are
/// retired and when the store is dropped. Its size is some 200 bytes a key and 250 a nonce.
///
/// All four curves, both forms of R, hedged and deterministic nonces of RFC 6979. A look-up takes a
/// constant time; making a key takes a search for a free place.
pub struct SoftwareStore<const KEYS: usize, const NONCES: usize = 0> {
    keys: Slots<ScalarBytes, KEYS>,
    nonces: Option<PrecomputedNonces<NONCES>>,
}

impl Key<ScalarBytes> {
    fn scalar(&self) -> &[u8] {
        &self.private[..self.public.curve().field_bytes()]
    }
}

impl<const KEYS: usize, const NONCES: usize> SoftwareStore<KEYS, NONCES> {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            keys: Slots::new(),
            nonces: None,
        }
    }

    /// Takes precomputed nonces into use, in place of those it had.
    #[must_use]
    pub fn with_nonces(mut self, nonces: PrecomputedNonces<NONCES>) -> Self {
        self.nonces = Some(nonces);
        self
    }

    /// Returns the precomputed nonces, to add to them.
    pub fn nonces(&mut self) -> Option<&mut PrecomputedNonces<NONCES>> {
        self.nonces.as_mut()
    }

    /// Takes in a private key from elsewhere.
    ///
    /// # Errors
    /// [`KeyError::ScalarOutOfRange`], [`KeyError::Full`], [`KeyError::Unsupported`].
    pub fn import(&mut self, key: &PrivateKey, uses: Uses) -> Result<KeyHandle, KeyError> {
        let mut private = ScalarBytes::new([0; 48]);
        private[..key.as_bytes().len()].copy_from_slice(key.as_bytes());
        self.add(key.curve(), uses, private)
    }

    /// Returns a private key, to be written to a file. Only a store in software can do this, and it
    /// is no part of [`KeyStore`].
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`].
    pub fn export(&self, key: KeyHandle) -> Result<PrivateKey, KeyError> {
        let key = self.keys.find(key)?;
        PrivateKey::new(key.public.curve(), key.scalar()).ok_or(KeyError::NoSuchKey)
    }

    fn add(
        &mut self,
        curve: Curve,
        uses: Uses,
        private: ScalarBytes,
    ) -> Result<KeyHandle, KeyError> {
        self.keys.free()?;
        let public = arithmetic::public_key(curve, &private[..curve.field_bytes()])?;
        self.keys.add(uses, private, public)
    }
}

impl<const KEYS: usize, const NONCES: usize> Default for SoftwareStore<KEYS, NONCES> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const KEYS: usize, const NONCES: usize> KeyStore for SoftwareStore<KEYS, NONCES> {
    fn capabilities(&self, curve: Curve) -> Capabilities {
        if !is_built_in(curve) {
            return Capabilities::default();
        }
        let nonces = self.nonces.as_ref();
        Capabilities {
            precomputed_nonce: nonces.is_some_and(|nonces| nonces.curve() == curve),
            implicit: curve.field_bytes() == 32,
            ..CAPABILITIES
        }
    }

    fn generate(
        &mut self,
        curve: Curve,
        uses: Uses,
        seed: &[u8; 32],
    ) -> Result<KeyHandle, KeyError> {
        let private = arithmetic::scalar_of_seed(curve, seed, b"key", 0)?;
        self.add(curve, uses, private)
    }

    fn public_key(&self, key: KeyHandle) -> Result<Point, KeyError> {
        Ok(self.keys.find(key)?.public)
    }

    fn sign(
        &mut self,
        key: KeyHandle,
        digest: &[u8],
        nonce: Nonce<'_>,
        form: NonceForm,
    ) -> Result<Signature, KeyError> {
        if !matches!(digest.len(), 32 | 48) {
            return Err(KeyError::DigestLength);
        }
        let key = self.keys.find_for(key, Uses::SIGN, "signing")?;
        let (curve, private) = (key.public.curve(), key.scalar());
        let entropy: &[u8] = match nonce {
            Nonce::Hedged { entropy } => entropy,
            Nonce::Deterministic => &[],
            Nonce::Precomputed => {
                let nonces = self
                    .nonces
                    .as_mut()
                    .filter(|nonces| nonces.curve() == curve);
                return nonces.ok_or(KeyError::NoNonce)?.sign(private, digest, form);
            }
            Nonce::Own => {
                let operation = "nonces of its own";
                return Err(KeyError::Unsupported { operation, curve });
            }
        };
        arithmetic::sign(curve, private, digest, entropy, form)
    }

    fn agree(&mut self, key: KeyHandle, public: &Point) -> Result<SharedSecret, KeyError> {
        let key = self.keys.find_for(key, Uses::AGREE, "key agreement")?;
        arithmetic::agree(key.public.curve(), key.scalar(), public)
    }

    fn reconstruct(
        &mut self,
        key: KeyHandle,
        e: &[u8; 32],
        r: &[u8; 32],
        uses: Uses,
    ) -> Result<KeyHandle, KeyError> {
        let key = self
            .keys
            .find_for(key, Uses::RECONSTRUCT, "implicit certificates")?;
        let curve = key.public.curve();
        let private = arithmetic::multiply_add(curve, key.scalar(), e, r)?;
        self.add(curve, uses, private)
    }

    fn contribute(
        &mut self,
        issuer: KeyHandle,
        ephemeral: KeyHandle,
        e: &[u8; 32],
    ) -> Result<[u8; 32], KeyError> {
        let operation = "issuing implicit certificates";
        let issuer = self
            .keys
            .find_for(issuer, Uses::ISSUE_IMPLICIT, operation)?;
        let part = self
            .keys
            .find_for(ephemeral, Uses::RECONSTRUCT, operation)?;
        // r = (e + 1) d would give the issuer's key away.
        if part.public == issuer.public {
            return Err(KeyError::NotForThisUse { operation });
        }
        let curve = issuer.public.curve();
        if part.public.curve() != curve {
            return Err(KeyError::OtherCurve);
        }
        let r = arithmetic::multiply_add(curve, part.scalar(), e, issuer.scalar())?;
        self.retire(ephemeral)?;
        let mut contribution = [0; 32];
        contribution.copy_from_slice(&r[..32]);
        Ok(contribution)
    }

    fn expand(&mut self, key: KeyHandle, f: &[u8; 48], uses: Uses) -> Result<KeyHandle, KeyError> {
        let key = self
            .keys
            .find_for(key, Uses::EXPAND, "butterfly expansion")?;
        let curve = key.public.curve();
        let private = arithmetic::expand(curve, key.scalar(), f)?;
        self.add(curve, uses, private)
    }

    fn retire(&mut self, key: KeyHandle) -> Result<(), KeyError> {
        self.keys.retire(key)
    }
}
