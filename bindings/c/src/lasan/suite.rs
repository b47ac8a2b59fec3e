//! The suite of a network, chosen when a role is made, without an allocator: keys know their curve.

use waywarden_key_suites::{AgreementError, Meter, Secret, VerifyError};
#[cfg(feature = "p256")]
use waywarden_lasan::EcdheEcdsa;
use waywarden_lasan::{FourQSchnorrQ, LasanSuite, Sizes};

use crate::role::WAYWARDEN_SUITE_FOURQ;
#[cfg(feature = "p256")]
use crate::role::WAYWARDEN_SUITE_P256;

/// A suite.
#[derive(Clone, Copy)]
pub(crate) enum Suite {
    FourQ,
    #[cfg(feature = "p256")]
    P256,
}

/// The state of the initiator of an agreement.
pub(crate) enum Pending {
    FourQ(<FourQSchnorrQ as LasanSuite>::Pending),
    #[cfg(feature = "p256")]
    P256(<EcdheEcdsa as LasanSuite>::Pending),
}

/// A secret key for signing.
pub(crate) enum SigningKey {
    FourQ(<FourQSchnorrQ as LasanSuite>::SigningKey),
    #[cfg(feature = "p256")]
    P256(<EcdheEcdsa as LasanSuite>::SigningKey),
}

/// Does the same with either suite.
macro_rules! each {
    ($suite:expr, $own:ident => $does:expr) => {
        match $suite {
            Suite::FourQ => {
                let $own = FourQSchnorrQ;
                $does
            }
            #[cfg(feature = "p256")]
            Suite::P256 => {
                let $own = EcdheEcdsa;
                $does
            }
        }
    };
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
}

impl LasanSuite for Suite {
    type SigningKey = SigningKey;
    type Pending = Pending;

    fn name(&self) -> &'static str {
        each!(self, suite => suite.name())
    }

    fn identifier(&self) -> u8 {
        each!(self, suite => suite.identifier())
    }

    fn sizes(&self) -> Sizes {
        each!(self, suite => suite.sizes())
    }

    fn offer(&self, meter: &mut impl Meter, random: &Secret, out: &mut [u8]) -> Option<Pending> {
        Some(match self {
            Suite::FourQ => Pending::FourQ(FourQSchnorrQ.offer(meter, random, out)?),
            #[cfg(feature = "p256")]
            Suite::P256 => Pending::P256(EcdheEcdsa.offer(meter, random, out)?),
        })
    }

    fn pending(&self, meter: &mut impl Meter, random: &Secret) -> Pending {
        match self {
            Suite::FourQ => Pending::FourQ(FourQSchnorrQ.pending(meter, random)),
            #[cfg(feature = "p256")]
            Suite::P256 => Pending::P256(EcdheEcdsa.pending(meter, random)),
        }
    }

    fn answer(
        &self,
        meter: &mut impl Meter,
        offer: &[u8],
        random: &Secret,
        out: &mut [u8],
    ) -> Result<Secret, AgreementError> {
        each!(self, suite => suite.answer(meter, offer, random, out))
    }

    fn finish(
        &self,
        meter: &mut impl Meter,
        pending: &Pending,
        answer: &[u8],
    ) -> Result<Secret, AgreementError> {
        match pending {
            Pending::FourQ(pending) => FourQSchnorrQ.finish(meter, pending, answer),
            #[cfg(feature = "p256")]
            Pending::P256(pending) => EcdheEcdsa.finish(meter, pending, answer),
        }
    }

    fn signing_key(&self, secret: &Secret) -> SigningKey {
        match self {
            Suite::FourQ => SigningKey::FourQ(FourQSchnorrQ.signing_key(secret)),
            #[cfg(feature = "p256")]
            Suite::P256 => SigningKey::P256(EcdheEcdsa.signing_key(secret)),
        }
    }

    fn public_key(&self, key: &SigningKey, out: &mut [u8]) -> Option<usize> {
        match key {
            SigningKey::FourQ(key) => FourQSchnorrQ.public_key(key, out),
            #[cfg(feature = "p256")]
            SigningKey::P256(key) => EcdheEcdsa.public_key(key, out),
        }
    }

    fn sign(
        &self,
        meter: &mut impl Meter,
        key: &SigningKey,
        message: &[u8],
        out: &mut [u8],
    ) -> Option<usize> {
        match key {
            SigningKey::FourQ(key) => FourQSchnorrQ.sign(meter, key, message, out),
            #[cfg(feature = "p256")]
            SigningKey::P256(key) => EcdheEcdsa.sign(meter, key, message, out),
        }
    }

    fn verify(
        &self,
        meter: &mut impl Meter,
        key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), VerifyError> {
        each!(self, suite => suite.verify(meter, key, message, signature))
    }
}
