#![doc = include_str!("../README.md")]
//!
//! # Contracts
//!
//! [`KeyAgreement`] in the form of an offer and an answer, which a key encapsulation fits as well;
//! [`DiffieHellman`] on top of it, for group keys need an agreement that is commutative and a
//! scalar that can be made of a secret; and [`SignatureScheme`]. A [`CurveSuite`] is the last two
//! on one curve.
//!
//! Every function that costs time takes a [`Meter`] and leaves in it the name of what it did, once
//! for each call, whether the call succeeds or not; the role reports what it finds there. Programs
//! that do not simulate pass [`NoMeter`]. What takes no meter costs next to nothing, or happens
//! once in the life of an ECU.
//!
//! Read [GKE §III] and, for the curves, [4Q §5], FIPS 186-5, SP 800-56A and RFC 6979.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod entropy;
#[cfg(feature = "fn-dsa")]
mod fn_dsa;
mod fourq;
#[cfg(feature = "post-quantum")]
mod hybrid;
#[cfg(feature = "post-quantum")]
mod ml_dsa;
#[cfg(feature = "post-quantum")]
mod ml_kem;
#[cfg(feature = "p256")]
mod p256;
mod public_key;
mod secret;
pub mod symmetric;
#[cfg(test)]
mod tests;

use waywarden_work::{Algorithm, Operation, OperationKind};

pub use entropy::Entropy;
#[cfg(feature = "fn-dsa")]
pub use fn_dsa::{FnDsa512, FnDsa1024, FnDsaSigningKey};
pub use fourq::{FourQ, FourQScalar};
#[cfg(feature = "post-quantum")]
pub use hybrid::{X25519MlKem768, X25519MlKem768Pending};
#[cfg(feature = "post-quantum")]
pub use ml_dsa::{MlDsa44, MlDsa65};
#[cfg(feature = "post-quantum")]
pub use ml_kem::{MlKem512, MlKem768};
#[cfg(feature = "p256")]
pub use p256::{P256, P256Compressed, P256Scalar};
pub use public_key::{PublicKey, PublicKeyLengthError};
pub use secret::Secret;
pub use waywarden_work::{Meter, NoMeter, RecordedOperations};

/// Two parties agree on a secret: one offers, the other answers, the first finishes.
///
/// Diffie-Hellman and key encapsulation both fit: the offer is a share or an encapsulation key, the
/// answer a share or a ciphertext. Neither side is authenticated, and the secret need not be
/// uniform: derive keys from it with a hash that also takes offer and answer.
pub trait KeyAgreement: Send + Sync {
    /// Length of an offer in bytes.
    const OFFER_LENGTH: usize;
    /// Length of an answer in bytes.
    const ANSWER_LENGTH: usize;

    /// Message of the initiator: [`KeyAgreement::OFFER_LENGTH`] bytes.
    type Offer: AsRef<[u8]>;
    /// Message of the responder: [`KeyAgreement::ANSWER_LENGTH`] bytes.
    type Answer: AsRef<[u8]>;
    /// State of the initiator until the answer comes: secret, wiped on drop.
    type Pending: Send + Sync;

    /// Begins an agreement. `random` must come from a good source and be used once.
    fn offer(meter: &mut impl Meter, random: &Secret) -> (Self::Pending, Self::Offer);

    /// Answers an offer. `random` must come from a good source and be used once.
    ///
    /// # Errors
    /// See [`AgreementError`]; never `Neutral`, but for a `random` that no source gives.
    fn answer(
        meter: &mut impl Meter,
        offer: &[u8],
        random: &Secret,
    ) -> Result<(Self::Answer, Secret), AgreementError>;

    /// Ends an agreement with the answer to one's offer.
    ///
    /// One offer may be answered by many: each answer gives a secret of its own. The caller drops
    /// `pending` as soon as it awaits no further answer, for until then an attacker who takes it
    /// can read everything that was agreed with it. Where an offer stands for one peer, that is at
    /// once.
    ///
    /// # Errors
    /// As [`KeyAgreement::answer`].
    fn finish(
        meter: &mut impl Meter,
        pending: &Self::Pending,
        answer: &[u8],
    ) -> Result<Secret, AgreementError>;
}

/// The length of a Diffie-Hellman share: half a CAN FD frame of 64 bytes.
pub const SHARE_LENGTH: usize = 32;

/// A Diffie-Hellman share as it stands on the bus: an allegation.
pub type Share = [u8; SHARE_LENGTH];

/// Commutative agreement with a scalar of one's choice: from the secret of one agreement comes the
/// scalar of the next, which is what the trees of [GKE §III] are made of.
pub trait DiffieHellman: KeyAgreement<Offer = Share, Answer = Share> {
    /// A secret scalar. Wiped on drop; no `Debug`, no comparison.
    type Scalar: Send + Sync;

    /// Makes a scalar of 32 bytes that no attacker can guess. How close to uniform it is, each
    /// suite says. Never fails: bytes that would give zero, which no random source gives, are
    /// replaced.
    fn scalar(secret: &Secret) -> Self::Scalar;

    /// Uses 128 bits as a scalar as they are, as \[GKE\] does with the output of its KDF.
    ///
    /// For the profile as published alone. Such a scalar is found from its share in about 2^64
    /// steps, half the security that the curve would give.
    fn scalar_as_published(bytes: &[u8; 16]) -> Self::Scalar;

    /// Computes the share of a scalar. Metered as `Share`.
    fn share(meter: &mut impl Meter, scalar: &Self::Scalar) -> Share;

    /// Computes the secret that `scalar` shares with the owner of `share`. Metered as `Extract`.
    ///
    /// # Errors
    /// See [`AgreementError`]; never `Length`.
    fn extract(
        meter: &mut impl Meter,
        scalar: &Self::Scalar,
        share: &Share,
    ) -> Result<Secret, AgreementError>;
}

/// Signatures over messages. Lengths are the suite's own, so that post-quantum ones fit.
pub trait SignatureScheme: Send + Sync {
    /// Length of a public key in bytes.
    const PUBLIC_KEY_LENGTH: usize;
    /// Length of a signature in bytes.
    const SIGNATURE_LENGTH: usize;

    /// A secret key. Wiped on drop; no `Debug`, no comparison.
    type SigningKey: Send + Sync;
    /// A public key as it stands in a configuration or on the bus: an allegation until it has
    /// verified something.
    type PublicKey: Clone + Eq + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;
    /// A signature as it stands on the bus: an allegation.
    type Signature: AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

    /// Makes the signing key of 32 bytes from a good random source. Never fails: bytes that would
    /// give zero, which no random source gives, are replaced.
    fn signing_key(secret: &Secret) -> Self::SigningKey;

    /// Returns the public key of a signing key.
    fn public_key(key: &Self::SigningKey) -> Self::PublicKey;

    /// Signs a message, deterministically. Metered as `Sign` over the bytes of the message.
    fn sign(meter: &mut impl Meter, key: &Self::SigningKey, message: &[u8]) -> Self::Signature;

    /// Checks a signature. Metered as `Verify` over the bytes of the message.
    ///
    /// # Errors
    /// See [`VerifyError`].
    fn verify(
        meter: &mut impl Meter,
        public: &Self::PublicKey,
        message: &[u8],
        signature: &Self::Signature,
    ) -> Result<(), VerifyError>;
}

/// Diffie-Hellman with 32-byte shares and signatures of 64 bytes on one curve: on CAN FD a share is
/// half a frame and a signature one frame.
pub trait CurveSuite:
    DiffieHellman + SignatureScheme<PublicKey = PublicKey, Signature = [u8; 64]>
where
    Self: Copy + Default + 'static,
{
    /// The name in vehicle files and traces.
    const NAME: &'static str;
    /// The byte that stands for the suite in hashed and signed texts.
    const IDENTIFIER: u8;
    /// The algorithm that operations are metered with.
    const ALGORITHM: Algorithm;
}

/// Reason why an offer, an answer or a share gives no secret. The first cause that applies is
/// reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgreementError {
    /// The offer or the answer has another length than this agreement's have.
    Length,
    /// The bytes are not the canonical encoding of anything.
    NotCanonical,
    /// The bytes stand for no point of the curve.
    NotOnCurve,
    /// The share can be of use to an attacker alone: the neutral point or another of small order,
    /// or, with an x-coordinate for a share, x = 0, which is what an empty buffer holds.
    Weak,
    /// The result is the neutral point, because one's own scalar is zero modulo the group order.
    Neutral,
}

impl core::fmt::Display for AgreementError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Length => "the offer or answer has the wrong length",
            Self::NotCanonical => "the encoding of the share is not the canonical one",
            Self::NotOnCurve => "the share is not on the curve",
            Self::Weak => "the share has small order or is zero",
            Self::Neutral => "the secret scalar is zero modulo the group order",
        })
    }
}

impl core::error::Error for AgreementError {}

/// Reason why a signature is refused. The first cause that applies is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The public key is none of this suite: length, encoding, curve or order is wrong.
    PublicKey,
    /// The signature has a number that is out of range.
    Malformed,
    /// The signature is not this key's for this message.
    Mismatch,
}

impl core::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::PublicKey => "the public key is none of this suite",
            Self::Malformed => "a number of the signature is out of range",
            Self::Mismatch => "the signature does not match the message and the key",
        })
    }
}

impl core::error::Error for VerifyError {}

/// Reads an offer or an answer of a Diffie-Hellman agreement.
fn share_of(bytes: &[u8]) -> Result<&Share, AgreementError> {
    bytes.try_into().map_err(|_| AgreementError::Length)
}

/// [`KeyAgreement::answer`] of every Diffie-Hellman.
fn answer<D: DiffieHellman>(
    meter: &mut impl Meter,
    offer: &[u8],
    random: &Secret,
) -> Result<(Share, Secret), AgreementError> {
    let offer = share_of(offer)?;
    let scalar = D::scalar(random);
    // The offer first: a bad one shall not cost a share.
    let secret = D::extract(meter, &scalar, offer)?;
    Ok((D::share(meter, &scalar), secret))
}

/// Implements [`KeyAgreement`] for a type that implements [`DiffieHellman`].
macro_rules! agree_by_diffie_hellman {
    ($suite:ty) => {
        impl super::KeyAgreement for $suite {
            const OFFER_LENGTH: usize = super::SHARE_LENGTH;
            const ANSWER_LENGTH: usize = super::SHARE_LENGTH;

            type Offer = super::Share;
            type Answer = super::Share;
            type Pending = <Self as super::DiffieHellman>::Scalar;

            fn offer(
                meter: &mut impl super::Meter,
                random: &super::Secret,
            ) -> (Self::Pending, Self::Offer) {
                let scalar = <Self as super::DiffieHellman>::scalar(random);
                let share = <Self as super::DiffieHellman>::share(meter, &scalar);
                (scalar, share)
            }

            fn answer(
                meter: &mut impl super::Meter,
                offer: &[u8],
                random: &super::Secret,
            ) -> Result<(Self::Answer, super::Secret), super::AgreementError> {
                super::answer::<Self>(meter, offer, random)
            }

            fn finish(
                meter: &mut impl super::Meter,
                pending: &Self::Pending,
                answer: &[u8],
            ) -> Result<super::Secret, super::AgreementError> {
                let share = super::share_of(answer)?;
                <Self as super::DiffieHellman>::extract(meter, pending, share)
            }
        }
    };
}
use agree_by_diffie_hellman;

/// The length of a message as an operation counts it: beyond 4 GiB it stays there.
fn length(message: &[u8]) -> u32 {
    u32::try_from(message.len()).unwrap_or(u32::MAX)
}

/// An operation over a message.
fn over(kind: OperationKind, algorithm: Algorithm, message: &[u8]) -> Operation {
    Operation::new(kind, algorithm, length(message))
}
