//! A suite that is chosen when a role is made. Keys lie on the heap, each behind the operations
//! that its algorithm has for it.

use alloc::boxed::Box;

use super::{AuthenticationSuite, LasanSuite, PendingOf, SigningKeyOf};
use crate::length::Sizes;
use waywarden_key_suites::{AgreementError, Meter, Secret, VerifyError};

/// Any suite of LASAN.
#[derive(Clone, Copy)]
pub struct AnyLasanSuite(&'static dyn Operations);

impl AnyLasanSuite {
    /// Returns a suite by its type.
    #[must_use]
    pub const fn of<S: AuthenticationSuite>() -> Self {
        const { AnyLasanSuite(&Algorithms::<S>(core::marker::PhantomData)) }
    }

    /// Returns the suite with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|suite| suite.name() == name)
    }
}

impl core::fmt::Debug for AnyLasanSuite {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// The operations of a suite that need no key of its own.
trait Operations: Sync {
    fn name(&self) -> &'static str;
    fn identifier(&self) -> u8;
    fn sizes(&self) -> Sizes;
    fn offer(
        &self,
        meter: &mut dyn Meter,
        random: &Secret,
        out: &mut [u8],
    ) -> Option<Box<dyn Initiator>>;
    fn pending(&self, meter: &mut dyn Meter, random: &Secret) -> Box<dyn Initiator>;
    fn answer(
        &self,
        meter: &mut dyn Meter,
        offer: &[u8],
        random: &Secret,
        out: &mut [u8],
    ) -> Result<Secret, AgreementError>;
    fn signing_key(&self, secret: &Secret) -> Box<dyn Signer>;
    fn verify(
        &self,
        meter: &mut dyn Meter,
        key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), VerifyError>;
}

/// The party that made an offer.
trait Initiator: Send + Sync {
    fn finish(&self, meter: &mut dyn Meter, answer: &[u8]) -> Result<Secret, AgreementError>;
}

trait Signer: Send + Sync {
    fn public_key(&self, out: &mut [u8]) -> Option<usize>;
    fn sign(&self, meter: &mut dyn Meter, message: &[u8], out: &mut [u8]) -> Option<usize>;
}

/// A suite as an object. No value of the suite's type is in it.
struct Algorithms<S>(core::marker::PhantomData<fn() -> S>);

/// Keys that know their suite.
struct InitiatorOf<S: AuthenticationSuite>(PendingOf<S>);
struct SignerOf<S: AuthenticationSuite>(SigningKeyOf<S>);

impl<S: AuthenticationSuite> Initiator for InitiatorOf<S> {
    fn finish(&self, mut meter: &mut dyn Meter, answer: &[u8]) -> Result<Secret, AgreementError> {
        S::default().finish(&mut meter, &self.0, answer)
    }
}

impl<S: AuthenticationSuite> Signer for SignerOf<S> {
    fn public_key(&self, out: &mut [u8]) -> Option<usize> {
        S::default().public_key(&self.0, out)
    }

    fn sign(&self, mut meter: &mut dyn Meter, message: &[u8], out: &mut [u8]) -> Option<usize> {
        S::default().sign(&mut meter, &self.0, message, out)
    }
}

impl<S: AuthenticationSuite> Operations for Algorithms<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn identifier(&self) -> u8 {
        S::IDENTIFIER
    }

    fn sizes(&self) -> Sizes {
        S::SIZES
    }

    fn offer(
        &self,
        mut meter: &mut dyn Meter,
        random: &Secret,
        out: &mut [u8],
    ) -> Option<Box<dyn Initiator>> {
        let pending = S::default().offer(&mut meter, random, out)?;
        Some(Box::new(InitiatorOf::<S>(pending)))
    }

    fn pending(&self, mut meter: &mut dyn Meter, random: &Secret) -> Box<dyn Initiator> {
        Box::new(InitiatorOf::<S>(S::default().pending(&mut meter, random)))
    }

    fn answer(
        &self,
        mut meter: &mut dyn Meter,
        offer: &[u8],
        random: &Secret,
        out: &mut [u8],
    ) -> Result<Secret, AgreementError> {
        S::default().answer(&mut meter, offer, random, out)
    }

    fn signing_key(&self, secret: &Secret) -> Box<dyn Signer> {
        Box::new(SignerOf::<S>(S::default().signing_key(secret)))
    }

    fn verify(
        &self,
        mut meter: &mut dyn Meter,
        key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), VerifyError> {
        S::default().verify(&mut meter, key, message, signature)
    }
}

/// The state of the initiator of an agreement of any suite. Wiped on drop.
pub struct AnyPending(Box<dyn Initiator>);

/// A signing key of any suite. Wiped on drop; no `Debug`, no comparison.
pub struct AnySigningKey(Box<dyn Signer>);

impl LasanSuite for AnyLasanSuite {
    type SigningKey = AnySigningKey;
    type Pending = AnyPending;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn identifier(&self) -> u8 {
        self.0.identifier()
    }

    fn sizes(&self) -> Sizes {
        self.0.sizes()
    }

    fn offer(&self, meter: &mut impl Meter, random: &Secret, out: &mut [u8]) -> Option<AnyPending> {
        self.0.offer(meter, random, out).map(AnyPending)
    }

    fn pending(&self, meter: &mut impl Meter, random: &Secret) -> AnyPending {
        AnyPending(self.0.pending(meter, random))
    }

    fn answer(
        &self,
        meter: &mut impl Meter,
        offer: &[u8],
        random: &Secret,
        out: &mut [u8],
    ) -> Result<Secret, AgreementError> {
        self.0.answer(meter, offer, random, out)
    }

    fn finish(
        &self,
        meter: &mut impl Meter,
        pending: &AnyPending,
        answer: &[u8],
    ) -> Result<Secret, AgreementError> {
        pending.0.finish(meter, answer)
    }

    fn signing_key(&self, secret: &Secret) -> AnySigningKey {
        AnySigningKey(self.0.signing_key(secret))
    }

    fn public_key(&self, key: &AnySigningKey, out: &mut [u8]) -> Option<usize> {
        key.0.public_key(out)
    }

    fn sign(
        &self,
        meter: &mut impl Meter,
        key: &AnySigningKey,
        message: &[u8],
        out: &mut [u8],
    ) -> Option<usize> {
        key.0.sign(meter, message, out)
    }

    fn verify(
        &self,
        meter: &mut impl Meter,
        key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), VerifyError> {
        self.0.verify(meter, key, message, signature)
    }
}
