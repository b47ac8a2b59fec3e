//! The curve of a group, chosen when a role is made, without an allocator: keys know their curve.

use waywarden_group_keys::GroupSuite;
#[cfg(feature = "p256")]
use waywarden_key_suites::P256;
use waywarden_key_suites::{
    AgreementError, DiffieHellman, FourQ, Meter, PublicKey, Secret, Share, SignatureScheme,
    VerifyError,
};

use crate::role::WAYWARDEN_SUITE_FOURQ;
#[cfg(feature = "p256")]
use crate::role::WAYWARDEN_SUITE_P256;

/// A curve.
#[derive(Clone, Copy)]
pub(crate) enum Suite {
    FourQ,
    #[cfg(feature = "p256")]
    P256,
}

/// A secret scalar.
pub(crate) enum Scalar {
    FourQ(<FourQ as DiffieHellman>::Scalar),
    #[cfg(feature = "p256")]
    P256(<P256 as DiffieHellman>::Scalar),
}

/// A secret key for signing.
pub(crate) enum SigningKey {
    FourQ(<FourQ as SignatureScheme>::SigningKey),
    #[cfg(feature = "p256")]
    P256(<P256 as SignatureScheme>::SigningKey),
}

impl Suite {
    /// Returns the suite of a number; none of one that is not in this library.
    pub(crate) const fn of(number: u8) -> Option<Self> {
        match number {
            WAYWARDEN_SUITE_FOURQ => Some(Suite::FourQ),
            #[cfg(feature = "p256")]
            WAYWARDEN_SUITE_P256 => Some(Suite::P256),
            _ => None,
        }
    }

    /// Returns the length of public keys.
    pub(crate) const fn key_length(self) -> usize {
        match self {
            Suite::FourQ => 32,
            #[cfg(feature = "p256")]
            Suite::P256 => 64,
        }
    }
}

impl GroupSuite for Suite {
    type Scalar = Scalar;
    type SigningKey = SigningKey;

    fn name(&self) -> &'static str {
        match self {
            Suite::FourQ => GroupSuite::name(&FourQ),
            #[cfg(feature = "p256")]
            Suite::P256 => GroupSuite::name(&P256),
        }
    }

    fn identifier(&self) -> u8 {
        match self {
            Suite::FourQ => GroupSuite::identifier(&FourQ),
            #[cfg(feature = "p256")]
            Suite::P256 => GroupSuite::identifier(&P256),
        }
    }

    fn scalar(&self, secret: &Secret) -> Scalar {
        match self {
            Suite::FourQ => Scalar::FourQ(<FourQ as DiffieHellman>::scalar(secret)),
            #[cfg(feature = "p256")]
            Suite::P256 => Scalar::P256(<P256 as DiffieHellman>::scalar(secret)),
        }
    }

    fn scalar_as_published(&self, bytes: &[u8; 16]) -> Scalar {
        match self {
            Suite::FourQ => Scalar::FourQ(<FourQ as DiffieHellman>::scalar_as_published(bytes)),
            #[cfg(feature = "p256")]
            Suite::P256 => Scalar::P256(<P256 as DiffieHellman>::scalar_as_published(bytes)),
        }
    }

    fn share(&self, meter: &mut impl Meter, scalar: &Scalar) -> Share {
        match scalar {
            Scalar::FourQ(scalar) => <FourQ as DiffieHellman>::share(meter, scalar),
            #[cfg(feature = "p256")]
            Scalar::P256(scalar) => <P256 as DiffieHellman>::share(meter, scalar),
        }
    }

    fn extract(
        &self,
        meter: &mut impl Meter,
        scalar: &Scalar,
        share: &Share,
    ) -> Result<Secret, AgreementError> {
        match scalar {
            Scalar::FourQ(scalar) => <FourQ as DiffieHellman>::extract(meter, scalar, share),
            #[cfg(feature = "p256")]
            Scalar::P256(scalar) => <P256 as DiffieHellman>::extract(meter, scalar, share),
        }
    }

    fn signing_key(&self, secret: &Secret) -> SigningKey {
        match self {
            Suite::FourQ => SigningKey::FourQ(<FourQ as SignatureScheme>::signing_key(secret)),
            #[cfg(feature = "p256")]
            Suite::P256 => SigningKey::P256(<P256 as SignatureScheme>::signing_key(secret)),
        }
    }

    fn public_key(&self, key: &SigningKey) -> PublicKey {
        match key {
            SigningKey::FourQ(key) => <FourQ as SignatureScheme>::public_key(key),
            #[cfg(feature = "p256")]
            SigningKey::P256(key) => <P256 as SignatureScheme>::public_key(key),
        }
    }

    fn sign(&self, meter: &mut impl Meter, key: &SigningKey, message: &[u8]) -> [u8; 64] {
        match key {
            SigningKey::FourQ(key) => <FourQ as SignatureScheme>::sign(meter, key, message),
            #[cfg(feature = "p256")]
            SigningKey::P256(key) => <P256 as SignatureScheme>::sign(meter, key, message),
        }
    }

    fn verify(
        &self,
        meter: &mut impl Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError> {
        match self {
            Suite::FourQ => <FourQ as SignatureScheme>::verify(meter, public, message, signature),
            #[cfg(feature = "p256")]
            Suite::P256 => <P256 as SignatureScheme>::verify(meter, public, message, signature),
        }
    }
}
