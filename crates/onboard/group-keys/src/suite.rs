//! The cryptography of a group as its roles see it: a value, so that one compiled role serves every
//! suite, or a type without size, so that a microcontroller compiles one suite into it.

#[cfg(feature = "alloc")]
mod any;

use waywarden_key_suites::{
    AgreementError, CurveSuite, Meter, PublicKey, Secret, Share, VerifyError,
};

#[cfg(feature = "alloc")]
pub use any::AnyGroupSuite;

/// Diffie-Hellman and signatures on one curve. Implemented by every [`CurveSuite`], which is then
/// known when a role is compiled; and by `AnyGroupSuite` (feature `alloc`), which is chosen when a
/// role is made and costs a call through a pointer for an operation of some microseconds.
pub trait GroupSuite: Send + Sync {
    /// A secret scalar. Wiped on drop.
    type Scalar: Send + Sync;
    /// A secret key for signing. Wiped on drop.
    type SigningKey: Send + Sync;

    /// Returns the name in vehicle files and traces.
    fn name(&self) -> &'static str;

    /// Returns the byte that stands for the suite in what is hashed and signed.
    fn identifier(&self) -> u8;

    /// Makes a scalar, as [`DiffieHellman::scalar`](waywarden_key_suites::DiffieHellman::scalar).
    fn scalar(&self, secret: &Secret) -> Self::Scalar;

    /// Uses 128 bits as a scalar, as [`DiffieHellman`](waywarden_key_suites::DiffieHellman) does:
    /// for the profile as published alone.
    fn scalar_as_published(&self, bytes: &[u8; 16]) -> Self::Scalar;

    /// Computes the share of a scalar. Metered as `Share`.
    fn share(&self, meter: &mut impl Meter, scalar: &Self::Scalar) -> Share;

    /// Computes what `scalar` and the owner of `share` have in common. Metered as `Extract`.
    ///
    /// # Errors
    /// See [`AgreementError`]; never `Length`.
    fn extract(
        &self,
        meter: &mut impl Meter,
        scalar: &Self::Scalar,
        share: &Share,
    ) -> Result<Secret, AgreementError>;

    /// Makes a signing key of 32 bytes from a good random source.
    fn signing_key(&self, secret: &Secret) -> Self::SigningKey;

    /// Returns the public key of a signing key.
    fn public_key(&self, key: &Self::SigningKey) -> PublicKey;

    /// Signs a message, deterministically. Metered as `Sign`.
    fn sign(&self, meter: &mut impl Meter, key: &Self::SigningKey, message: &[u8]) -> [u8; 64];

    /// Checks a signature. Metered as `Verify`.
    ///
    /// # Errors
    /// See [`VerifyError`].
    fn verify(
        &self,
        meter: &mut impl Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError>;
}

impl<C: CurveSuite> GroupSuite for C {
    type Scalar = C::Scalar;
    type SigningKey = C::SigningKey;

    fn name(&self) -> &'static str {
        C::NAME
    }

    fn identifier(&self) -> u8 {
        C::IDENTIFIER
    }

    fn scalar(&self, secret: &Secret) -> C::Scalar {
        C::scalar(secret)
    }

    fn scalar_as_published(&self, bytes: &[u8; 16]) -> C::Scalar {
        C::scalar_as_published(bytes)
    }

    fn share(&self, meter: &mut impl Meter, scalar: &C::Scalar) -> Share {
        C::share(meter, scalar)
    }

    fn extract(
        &self,
        meter: &mut impl Meter,
        scalar: &C::Scalar,
        share: &Share,
    ) -> Result<Secret, AgreementError> {
        C::extract(meter, scalar, share)
    }

    fn signing_key(&self, secret: &Secret) -> C::SigningKey {
        C::signing_key(secret)
    }

    fn public_key(&self, key: &C::SigningKey) -> PublicKey {
        C::public_key(key)
    }

    fn sign(&self, meter: &mut impl Meter, key: &C::SigningKey, message: &[u8]) -> [u8; 64] {
        C::sign(meter, key, message)
    }

    fn verify(
        &self,
        meter: &mut impl Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError> {
        C::verify(meter, public, message, signature)
    }
}
