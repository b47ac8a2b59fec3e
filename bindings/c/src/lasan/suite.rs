//! The suites of a network, chosen when a role is made, without an allocator.

use waywarden_key_suites::{AgreementError, Meter, Secret, VerifyError};
#[cfg(feature = "p256")]
use waywarden_lasan::EcdheEcdsa;
#[cfg(feature = "post-quantum")]
use waywarden_lasan::{AuthenticationSuite, HybridMlDsa65, MlKem768MlDsa44, MlKem768MlDsa65};
use waywarden_lasan::{FourQSchnorrQ, LasanSuite, Sizes};

#[cfg(feature = "post-quantum")]
use super::{
    WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_44, WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_65,
    WAYWARDEN_SUITE_X25519_ML_KEM_768_ML_DSA_65,
};
use crate::role::curve::{Curve, Scalar, SigningKey};

/// Makes a suite of an enum of suites, and of the enums of what an initiator keeps and of signing
/// keys, which have variants of the same names.
macro_rules! suite_of {
    ($suites:ident, $pending:ident, $key:ident,
     $($(#[$cfg:meta])? $variant:ident = $own:expr;)*) => {
        impl LasanSuite for $suites {
            type SigningKey = $key;
            type Pending = $pending;

            fn name(&self) -> &'static str {
                match self { $($(#[$cfg])? Self::$variant => $own.name(),)* }
            }

            fn identifier(&self) -> u8 {
                match self { $($(#[$cfg])? Self::$variant => $own.identifier(),)* }
            }

            fn sizes(&self) -> Sizes {
                match self { $($(#[$cfg])? Self::$variant => $own.sizes(),)* }
            }

            fn offer(
                &self,
                meter: &mut impl Meter,
                random: &Secret,
                out: &mut [u8],
            ) -> Option<$pending> {
                Some(match self {
                    $($(#[$cfg])?
                    Self::$variant => $pending::$variant($own.offer(meter, random, out)?),)*
                })
            }

            fn pending(&self, meter: &mut impl Meter, random: &Secret) -> $pending {
                match self {
                    $($(#[$cfg])?
                    Self::$variant => $pending::$variant($own.pending(meter, random)),)*
                }
            }

            fn answer(
                &self,
                meter: &mut impl Meter,
                offer: &[u8],
                random: &Secret,
                out: &mut [u8],
            ) -> Result<Secret, AgreementError> {
                match self {
                    $($(#[$cfg])? Self::$variant => $own.answer(meter, offer, random, out),)*
                }
            }

            fn finish(
                &self,
                meter: &mut impl Meter,
                pending: &$pending,
                answer: &[u8],
            ) -> Result<Secret, AgreementError> {
                match pending {
                    $($(#[$cfg])?
                    $pending::$variant(pending) => $own.finish(meter, pending, answer),)*
                }
            }

            fn signing_key(&self, secret: &Secret) -> $key {
                match self {
                    $($(#[$cfg])? Self::$variant => $key::$variant($own.signing_key(secret)),)*
                }
            }

            fn public_key(&self, key: &$key, out: &mut [u8]) -> Option<usize> {
                match key { $($(#[$cfg])? $key::$variant(key) => $own.public_key(key, out),)* }
            }

            fn sign(
                &self,
                meter: &mut impl Meter,
                key: &$key,
                message: &[u8],
                out: &mut [u8],
            ) -> Option<usize> {
                match key {
                    $($(#[$cfg])? $key::$variant(key) => $own.sign(meter, key, message, out),)*
                }
            }

            fn verify(
                &self,
                meter: &mut impl Meter,
                key: &[u8],
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), VerifyError> {
                match self {
                    $($(#[$cfg])? Self::$variant => $own.verify(meter, key, message, signature),)*
                }
            }
        }
    };
}

suite_of! { Curve, Scalar, SigningKey,
    FourQ = FourQSchnorrQ;
    #[cfg(feature = "p256")]
    P256 = EcdheEcdsa;
}

/// Room for the longest public key of any suite in this library.
#[cfg(feature = "post-quantum")]
pub(crate) const KEY_MAX: usize = HybridMlDsa65::SIZES.public_key;
/// Room for the longest public key of any suite in this library.
#[cfg(not(feature = "post-quantum"))]
pub(crate) const KEY_MAX: usize = super::KEY_LENGTH;

/// A suite with a number in C.
pub(crate) trait NumberedSuite: LasanSuite + Copy {
    /// Returns the suite of a number; none of one that is not of this kind, or not in this library.
    fn of(number: u8) -> Option<Self>;
}

impl NumberedSuite for Curve {
    fn of(number: u8) -> Option<Self> {
        Curve::of(number)
    }
}

/// A suite that resists quantum computers.
#[cfg(feature = "post-quantum")]
#[derive(Clone, Copy)]
pub(crate) enum Quantum {
    MlKem768MlDsa44,
    MlKem768MlDsa65,
    HybridMlDsa65,
}

/// State of an initiator.
#[cfg(feature = "post-quantum")]
pub(crate) enum QuantumPending {
    MlKem768MlDsa44(<MlKem768MlDsa44 as LasanSuite>::Pending),
    MlKem768MlDsa65(<MlKem768MlDsa65 as LasanSuite>::Pending),
    HybridMlDsa65(<HybridMlDsa65 as LasanSuite>::Pending),
}

/// A secret key for signing.
#[cfg(feature = "post-quantum")]
pub(crate) enum QuantumKey {
    MlKem768MlDsa44(<MlKem768MlDsa44 as LasanSuite>::SigningKey),
    MlKem768MlDsa65(<MlKem768MlDsa65 as LasanSuite>::SigningKey),
    HybridMlDsa65(<HybridMlDsa65 as LasanSuite>::SigningKey),
}

#[cfg(feature = "post-quantum")]
suite_of! { Quantum, QuantumPending, QuantumKey,
    MlKem768MlDsa44 = MlKem768MlDsa44;
    MlKem768MlDsa65 = MlKem768MlDsa65;
    HybridMlDsa65 = HybridMlDsa65;
}

#[cfg(feature = "post-quantum")]
impl NumberedSuite for Quantum {
    fn of(number: u8) -> Option<Self> {
        match number {
            WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_44 => Some(Quantum::MlKem768MlDsa44),
            WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_65 => Some(Quantum::MlKem768MlDsa65),
            WAYWARDEN_SUITE_X25519_ML_KEM_768_ML_DSA_65 => Some(Quantum::HybridMlDsa65),
            _ => None,
        }
    }
}

/// Does something with the suite of a number, whatever its kind.
macro_rules! with_suite {
    ($number:expr, $suite:ident => $does:expr) => {{
        #[cfg(feature = "post-quantum")]
        let quantum =
            <$crate::lasan::suite::Quantum as $crate::lasan::suite::NumberedSuite>::of($number);
        #[cfg(not(feature = "post-quantum"))]
        let quantum: Option<Curve> = None;
        match (Curve::of($number), quantum) {
            (Some($suite), _) => $does,
            (None, Some($suite)) => $does,
            (None, None) => Err(Status::Argument),
        }
    }};
}

pub(crate) use with_suite;
