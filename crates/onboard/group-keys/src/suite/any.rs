//! A suite that is chosen when a role is made. Keys and scalars lie on the heap, each behind the
//! operations that its curve has for it.

use alloc::boxed::Box;
use core::marker::PhantomData;

use super::GroupSuite;
use waywarden_key_suites::{
    AgreementError, CurveSuite, Meter, PublicKey, Secret, Share, VerifyError,
};

/// Any suite of group keys.
#[derive(Clone, Copy)]
pub struct AnyGroupSuite(&'static dyn Operations);

impl AnyGroupSuite {
    /// Returns a suite by its type.
    #[must_use]
    pub const fn of<C: CurveSuite>() -> Self {
        AnyGroupSuite(&Curve::<C>(PhantomData))
    }
}

impl core::fmt::Debug for AnyGroupSuite {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// The operations of one curve that need no key.
trait Operations: Sync {
    fn name(&self) -> &'static str;
    fn identifier(&self) -> u8;
    fn scalar(&self, secret: &Secret) -> Box<dyn Scalar>;
    fn scalar_as_published(&self, bytes: &[u8; 16]) -> Box<dyn Scalar>;
    fn signing_key(&self, secret: &Secret) -> Box<dyn Signer>;
    fn verify(
        &self,
        meter: &mut dyn Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError>;
}

trait Scalar: Send + Sync {
    fn share(&self, meter: &mut dyn Meter) -> Share;
    fn extract(&self, meter: &mut dyn Meter, share: &Share) -> Result<Secret, AgreementError>;
}

trait Signer: Send + Sync {
    fn public_key(&self) -> PublicKey;
    fn sign(&self, meter: &mut dyn Meter, message: &[u8]) -> [u8; 64];
}

/// A curve as an object. No value of the curve's type is in it.
struct Curve<C>(PhantomData<fn() -> C>);

/// A scalar that knows its curve, and a signing key that does.
struct ScalarOf<C: CurveSuite>(C::Scalar);
struct SignerOf<C: CurveSuite>(C::SigningKey);

impl<C: CurveSuite> Scalar for ScalarOf<C> {
    fn share(&self, mut meter: &mut dyn Meter) -> Share {
        C::share(&mut meter, &self.0)
    }

    fn extract(&self, mut meter: &mut dyn Meter, share: &Share) -> Result<Secret, AgreementError> {
        C::extract(&mut meter, &self.0, share)
    }
}

impl<C: CurveSuite> Signer for SignerOf<C> {
    fn public_key(&self) -> PublicKey {
        C::public_key(&self.0)
    }

    fn sign(&self, mut meter: &mut dyn Meter, message: &[u8]) -> [u8; 64] {
        C::sign(&mut meter, &self.0, message)
    }
}

impl<C: CurveSuite> Operations for Curve<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }

    fn identifier(&self) -> u8 {
        C::IDENTIFIER
    }

    fn scalar(&self, secret: &Secret) -> Box<dyn Scalar> {
        Box::new(ScalarOf::<C>(C::scalar(secret)))
    }

    fn scalar_as_published(&self, bytes: &[u8; 16]) -> Box<dyn Scalar> {
        Box::new(ScalarOf::<C>(C::scalar_as_published(bytes)))
    }

    fn signing_key(&self, secret: &Secret) -> Box<dyn Signer> {
        Box::new(SignerOf::<C>(C::signing_key(secret)))
    }

    fn verify(
        &self,
        mut meter: &mut dyn Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError> {
        C::verify(&mut meter, public, message, signature)
    }
}

/// A secret scalar of any suite. Wiped on drop; no `Debug`, no comparison.
pub struct AnyScalar(Box<dyn Scalar>);

/// A signing key of any suite. Wiped on drop; no `Debug`, no comparison.
pub struct AnySigningKey(Box<dyn Signer>);

impl GroupSuite for AnyGroupSuite {
    type Scalar = AnyScalar;
    type SigningKey = AnySigningKey;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn identifier(&self) -> u8 {
        self.0.identifier()
    }

    fn scalar(&self, secret: &Secret) -> AnyScalar {
        AnyScalar(self.0.scalar(secret))
    }

    fn scalar_as_published(&self, bytes: &[u8; 16]) -> AnyScalar {
        AnyScalar(self.0.scalar_as_published(bytes))
    }

    fn share(&self, meter: &mut impl Meter, scalar: &AnyScalar) -> Share {
        scalar.0.share(meter)
    }

    fn extract(
        &self,
        meter: &mut impl Meter,
        scalar: &AnyScalar,
        share: &Share,
    ) -> Result<Secret, AgreementError> {
        scalar.0.extract(meter, share)
    }

    fn signing_key(&self, secret: &Secret) -> AnySigningKey {
        AnySigningKey(self.0.signing_key(secret))
    }

    fn public_key(&self, key: &AnySigningKey) -> PublicKey {
        key.0.public_key()
    }

    fn sign(&self, meter: &mut impl Meter, key: &AnySigningKey, message: &[u8]) -> [u8; 64] {
        key.0.sign(meter, message)
    }

    fn verify(
        &self,
        meter: &mut impl Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError> {
        self.0.verify(meter, public, message, signature)
    }
}
