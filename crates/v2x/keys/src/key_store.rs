//! The interface of a store of private keys to the holders of key handles.

use core::ops::BitOr;

use waywarden_ecverify::{Curve, Point};

use crate::error::KeyError;
use crate::secret::SharedSecret;
use crate::signature::{NonceForm, Signature};

/// Handle of a key in a store. It reveals nothing of the private key. Another store has no key of
/// this handle, save by chance: use it with the store that gave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyHandle(
    /// Number that the store chose.
    pub u64,
);

/// Uses that a key is allowed for. A key for two uses is safe only where the two are known to be
/// safe together, so keys have one use, but for the pairs that the standards ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses(u8);

impl Uses {
    /// Signing of digests.
    pub const SIGN: Self = Self(1);
    /// Agreement on a secret with another key: decryption.
    pub const AGREE: Self = Self(2);
    /// One part of the key of an implicit certificate: a requester's, or the issuer's ephemeral
    /// key.
    pub const RECONSTRUCT: Self = Self(4);
    /// Issuing of implicit certificates.
    pub const ISSUE_IMPLICIT: Self = Self(8);
    /// Expansion into many keys: a caterpillar key of a butterfly request.
    pub const EXPAND: Self = Self(16);

    /// Returns true if all uses of `other` are included.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Uses {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Source of the nonce of a signature.
#[derive(Clone, Copy)]
pub enum Nonce<'e> {
    /// From the key, the digest and fresh randomness (RFC 6979 §3.6): sound even where the
    /// randomness repeats or is known.
    Hedged {
        /// 32 bytes from a random generator.
        entropy: &'e [u8; 32],
    },
    /// From the key and the digest alone (RFC 6979 §3.2): the same signature each time, as test
    /// vectors want it. A fault in the computation gives the key away.
    Deterministic,
    /// One that was computed beforehand, with its point. See
    /// [`PrecomputedNonces`](crate::PrecomputedNonces).
    Precomputed,
    /// From the store's own random generator.
    Own,
}

/// Capabilities of a store for keys of one curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// True if the store signs; otherwise it has no keys of this curve at all.
    pub sign: bool,
    /// True if it gives R as a point, not only as r.
    pub nonce_point: bool,
    /// True if it takes the caller's randomness for nonces: [`Nonce::Hedged`].
    pub hedged_nonce: bool,
    /// True if it signs without randomness: [`Nonce::Deterministic`].
    pub deterministic_nonce: bool,
    /// True if it has precomputed nonces.
    pub precomputed_nonce: bool,
    /// True if it has a random generator: [`Nonce::Own`].
    pub own_nonce: bool,
    /// True if it agrees on secrets.
    pub agree: bool,
    /// True if it computes keys of implicit certificates, the requester's part and the issuer's.
    pub implicit: bool,
    /// True if it expands butterfly keys.
    pub expand: bool,
}

impl Capabilities {
    /// Returns the safest nonce that the store has: hedged with the caller's 32 fresh bytes, or
    /// the store's own where it takes none.
    #[must_use]
    pub fn nonce<'e>(&self, entropy: &'e [u8; 32]) -> Nonce<'e> {
        match self.hedged_nonce {
            true => Nonce::Hedged { entropy },
            false => Nonce::Own,
        }
    }
}

/// Private keys, used and never read.
///
/// A store answers [`KeyError::Unsupported`] to what it cannot do; [`Self::capabilities`] says so
/// beforehand. All that computes with a private key takes a time that does not depend on the key.
pub trait KeyStore {
    /// Returns the capabilities of the store for keys of this curve.
    fn capabilities(&self, curve: Curve) -> Capabilities;

    /// Makes a key. `seed` is 32 bytes of a random generator, used for nothing else; a store with
    /// a generator of its own ignores it.
    ///
    /// # Errors
    /// [`KeyError::Unsupported`], [`KeyError::Full`].
    fn generate(
        &mut self,
        curve: Curve,
        uses: Uses,
        seed: &[u8; 32],
    ) -> Result<KeyHandle, KeyError>;

    /// Returns the public key.
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`].
    fn public_key(&self, key: KeyHandle) -> Result<Point, KeyError>;

    /// Signs a digest of 32 or 48 bytes with ECDSA (FIPS 186-5 §6.4.1).
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`], [`KeyError::NotForThisUse`], [`KeyError::DigestLength`],
    /// [`KeyError::NoNonce`], [`KeyError::Unsupported`] for a nonce or form that the store does
    /// not have.
    fn sign(
        &mut self,
        key: KeyHandle,
        digest: &[u8],
        nonce: Nonce<'_>,
        form: NonceForm,
    ) -> Result<Signature, KeyError>;

    /// Computes the secret that the key shares with a public one: the x-coordinate of their product
    /// (SEC 1 §3.3.1; all curves have cofactor 1).
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`], [`KeyError::NotForThisUse`], [`KeyError::OtherCurve`],
    /// [`KeyError::Unsupported`].
    fn agree(&mut self, key: KeyHandle, public: &Point) -> Result<SharedSecret, KeyError>;

    /// Makes the key of an implicit certificate of the requester's `key`, the hash `e` and the
    /// issuer's contribution `r`: d = e k + r mod n \[1609.2 §5.3.2\]. `key` stays.
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`], [`KeyError::NotForThisUse`], [`KeyError::ScalarOutOfRange`] for an
    /// `r` that is not in 1..n, [`KeyError::Full`], [`KeyError::Unsupported`].
    fn reconstruct(
        &mut self,
        key: KeyHandle,
        e: &[u8; 32],
        r: &[u8; 32],
        uses: Uses,
    ) -> Result<KeyHandle, KeyError>;

    /// Computes an issuer's contribution to a requester's key: r = e k + d mod n, where k is the
    /// `ephemeral` key and d the issuer's. The ephemeral key is retired: two contributions with one
    /// would give the issuer's key away, as would one with the issuer's key itself.
    ///
    /// # Errors
    /// As [`Self::reconstruct`]; [`KeyError::NotForThisUse`] also if both are the same key.
    fn contribute(
        &mut self,
        issuer: KeyHandle,
        ephemeral: KeyHandle,
        e: &[u8; 32],
    ) -> Result<[u8; 32], KeyError>;

    /// Makes the key d + f mod n of a key d and the value `f` of an expansion function, 384 bits
    /// \[1609.2 §6.4.3\]. `key` stays.
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`], [`KeyError::NotForThisUse`], [`KeyError::Infinity`],
    /// [`KeyError::Full`], [`KeyError::Unsupported`].
    fn expand(&mut self, key: KeyHandle, f: &[u8; 48], uses: Uses) -> Result<KeyHandle, KeyError>;

    /// Forgets a key, wiping it.
    ///
    /// # Errors
    /// [`KeyError::NoSuchKey`].
    fn retire(&mut self, key: KeyHandle) -> Result<(), KeyError>;
}
