//! A curve as the suite of a group.

use waywarden_group_keys::GroupSuite;
#[cfg(feature = "p256")]
use waywarden_key_suites::P256;
use waywarden_key_suites::{
    AgreementError, CurveSuite, DiffieHellman, FourQ, Meter, PublicKey, Secret, Share,
    SignatureScheme, VerifyError,
};

use crate::role::curve::{Curve, Scalar, SigningKey};

/// Does the same with either variant of an enum: `$on` is the curve as a type, `$own` what the
/// variant has in it.
macro_rules! each {
    ($kind:ident, $value:expr, $on:ident $(, $own:ident)? => $does:expr) => {
        match $value {
            $kind::FourQ $(($own))? => {
                type $on = FourQ;
                $does
            }
            #[cfg(feature = "p256")]
            $kind::P256 $(($own))? => {
                type $on = P256;
                $does
            }
        }
    };
}

/// Makes the same variant of an enum as that of the curve.
macro_rules! alike {
    ($kind:ident, $curve:expr, $on:ident => $makes:expr) => {
        match $curve {
            Curve::FourQ => {
                type $on = FourQ;
                $kind::FourQ($makes)
            }
            #[cfg(feature = "p256")]
            Curve::P256 => {
                type $on = P256;
                $kind::P256($makes)
            }
        }
    };
}

impl Curve {
    /// Returns the length of public keys.
    pub(crate) const fn key_length(self) -> usize {
        each!(Curve, self, On => <On as SignatureScheme>::PUBLIC_KEY_LENGTH)
    }
}

impl GroupSuite for Curve {
    type Scalar = Scalar;
    type SigningKey = SigningKey;

    fn name(&self) -> &'static str {
        each!(Curve, self, On => <On as CurveSuite>::NAME)
    }

    fn identifier(&self) -> u8 {
        each!(Curve, self, On => <On as CurveSuite>::IDENTIFIER)
    }

    fn scalar(&self, secret: &Secret) -> Scalar {
        alike!(Scalar, self, On => <On as DiffieHellman>::scalar(secret))
    }

    fn scalar_as_published(&self, bytes: &[u8; 16]) -> Scalar {
        alike!(Scalar, self, On => <On as DiffieHellman>::scalar_as_published(bytes))
    }

    fn share(&self, meter: &mut impl Meter, scalar: &Scalar) -> Share {
        each!(Scalar, scalar, On, own => <On as DiffieHellman>::share(meter, own))
    }

    fn extract(
        &self,
        meter: &mut impl Meter,
        scalar: &Scalar,
        share: &Share,
    ) -> Result<Secret, AgreementError> {
        each!(Scalar, scalar, On, own => <On as DiffieHellman>::extract(meter, own, share))
    }

    fn signing_key(&self, secret: &Secret) -> SigningKey {
        alike!(SigningKey, self, On => <On as SignatureScheme>::signing_key(secret))
    }

    fn public_key(&self, key: &SigningKey) -> PublicKey {
        each!(SigningKey, key, On, own => <On as SignatureScheme>::public_key(own))
    }

    fn sign(&self, meter: &mut impl Meter, key: &SigningKey, message: &[u8]) -> [u8; 64] {
        each!(SigningKey, key, On, own => <On as SignatureScheme>::sign(meter, own, message))
    }

    fn verify(
        &self,
        meter: &mut impl Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError> {
        each!(Curve, self, On =>
            <On as SignatureScheme>::verify(meter, public, message, signature))
    }
}
