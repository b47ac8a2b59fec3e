//! The suites of the protocol: a key agreement, a signature, and AES-256-GCM with tags of 8 bytes.

#[cfg(feature = "alloc")]
mod any;

use super::length::Sizes;
#[cfg(feature = "p256")]
use waywarden_key_suites::P256Compressed;
use waywarden_key_suites::{
    AgreementError, FourQ, KeyAgreement, Meter, Secret, SignatureScheme, VerifyError,
};
#[cfg(feature = "fn-dsa")]
use waywarden_key_suites::{FnDsa512, FnDsa1024, MlKem512};
#[cfg(feature = "post-quantum")]
use waywarden_key_suites::{MlDsa44, MlDsa65, MlKem768, X25519MlKem768};

#[cfg(feature = "alloc")]
pub use any::AnyLasanSuite;

/// A key agreement and a signature that go together, as types.
pub trait AuthenticationSuite: Copy + Default + Send + Sync + 'static {
    /// The key agreement.
    type Agreement: KeyAgreement;
    /// The signature of messages and certificates.
    type Signature: SignatureScheme;
    /// The name in vehicle files and traces.
    const NAME: &'static str;
    /// The byte that stands for the suite in what is hashed and signed.
    const IDENTIFIER: u8;
    /// The NIST category of the weaker of its parts against a quantum computer; 0 if it falls to
    /// one.
    const CATEGORY: u8;
    /// True if both sides contribute a share, as with Diffie-Hellman.
    const CONTRIBUTORY: bool;
    /// The sizes of what is sent.
    const SIZES: Sizes = Sizes {
        public_key: <Self::Signature as SignatureScheme>::PUBLIC_KEY_LENGTH,
        signature: <Self::Signature as SignatureScheme>::SIGNATURE_LENGTH,
        offer: <Self::Agreement as KeyAgreement>::OFFER_LENGTH,
        answer: <Self::Agreement as KeyAgreement>::ANSWER_LENGTH,
        contributory: Self::CONTRIBUTORY,
    };
    /// Room for the longest message of any profile, in bytes.
    const MESSAGE_MAX: usize = message_max(Self::SIZES);
}

/// A suite as the roles see it: keys are values of its own, all else is bytes. Implemented by every
/// [`AuthenticationSuite`], which is then known when a role is compiled; and by `AnyLasanSuite`
/// (feature `alloc`), which is chosen when a role is made.
///
/// Lengths are those of [`LasanSuite::sizes`]; where `out` is shorter, nothing is written.
pub trait LasanSuite: Send + Sync {
    /// A secret key for signing. Wiped on drop.
    type SigningKey: Send + Sync;
    /// The state of the initiator of an agreement. Wiped on drop.
    type Pending: Send + Sync;

    /// Returns the name in vehicle files and traces.
    fn name(&self) -> &'static str;

    /// Returns the byte that stands for the suite in what is hashed and signed.
    fn identifier(&self) -> u8;

    /// Returns the sizes of what is sent.
    fn sizes(&self) -> Sizes;

    /// Begins an agreement and writes the offer, as [`KeyAgreement::offer`]; none if `out` is too
    /// short.
    fn offer(
        &self,
        meter: &mut impl Meter,
        random: &Secret,
        out: &mut [u8],
    ) -> Option<Self::Pending>;

    /// Returns what the initiator keeps of the offer that `random` gives. Metered as an offer.
    fn pending(&self, meter: &mut impl Meter, random: &Secret) -> Self::Pending;

    /// Answers an offer and writes the answer, as [`KeyAgreement::answer`].
    ///
    /// # Errors
    /// As [`KeyAgreement::answer`]; `Length` too if `out` is too short.
    fn answer(
        &self,
        meter: &mut impl Meter,
        offer: &[u8],
        random: &Secret,
        out: &mut [u8],
    ) -> Result<Secret, AgreementError>;

    /// Ends an agreement, as [`KeyAgreement::finish`].
    ///
    /// # Errors
    /// As [`KeyAgreement::finish`].
    fn finish(
        &self,
        meter: &mut impl Meter,
        pending: &Self::Pending,
        answer: &[u8],
    ) -> Result<Secret, AgreementError>;

    /// Makes a signing key of 32 bytes from a good random source.
    fn signing_key(&self, secret: &Secret) -> Self::SigningKey;

    /// Writes the public key of a signing key and returns its length; none if `out` is too short.
    fn public_key(&self, key: &Self::SigningKey, out: &mut [u8]) -> Option<usize>;

    /// Signs a message, deterministically, and returns the signature's length; none if `out` is too
    /// short. Metered as `Sign`.
    fn sign(
        &self,
        meter: &mut impl Meter,
        key: &Self::SigningKey,
        message: &[u8],
        out: &mut [u8],
    ) -> Option<usize>;

    /// Checks a signature. Metered as `Verify`.
    ///
    /// # Errors
    /// See [`VerifyError`].
    fn verify(
        &self,
        meter: &mut impl Meter,
        key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), VerifyError>;
}

type PendingOf<S> = <<S as AuthenticationSuite>::Agreement as KeyAgreement>::Pending;
type SigningKeyOf<S> = <<S as AuthenticationSuite>::Signature as SignatureScheme>::SigningKey;

impl<S: AuthenticationSuite> LasanSuite for S {
    type SigningKey = SigningKeyOf<S>;
    type Pending = PendingOf<S>;

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
        meter: &mut impl Meter,
        random: &Secret,
        out: &mut [u8],
    ) -> Option<PendingOf<S>> {
        let place = out.get_mut(..S::SIZES.offer)?;
        let (pending, offer) = S::Agreement::offer(meter, random);
        place.copy_from_slice(offer.as_ref());
        Some(pending)
    }

    fn pending(&self, meter: &mut impl Meter, random: &Secret) -> PendingOf<S> {
        S::Agreement::offer(meter, random).0
    }

    fn answer(
        &self,
        meter: &mut impl Meter,
        offer: &[u8],
        random: &Secret,
        out: &mut [u8],
    ) -> Result<Secret, AgreementError> {
        let place = out.get_mut(..S::SIZES.answer);
        let place = place.ok_or(AgreementError::Length)?;
        let (answer, secret) = S::Agreement::answer(meter, offer, random)?;
        place.copy_from_slice(answer.as_ref());
        Ok(secret)
    }

    fn finish(
        &self,
        meter: &mut impl Meter,
        pending: &PendingOf<S>,
        answer: &[u8],
    ) -> Result<Secret, AgreementError> {
        S::Agreement::finish(meter, pending, answer)
    }

    fn signing_key(&self, secret: &Secret) -> SigningKeyOf<S> {
        S::Signature::signing_key(secret)
    }

    fn public_key(&self, key: &SigningKeyOf<S>, out: &mut [u8]) -> Option<usize> {
        let place = out.get_mut(..S::SIZES.public_key)?;
        place.copy_from_slice(S::Signature::public_key(key).as_ref());
        Some(place.len())
    }

    fn sign(
        &self,
        meter: &mut impl Meter,
        key: &SigningKeyOf<S>,
        message: &[u8],
        out: &mut [u8],
    ) -> Option<usize> {
        let place = out.get_mut(..S::SIZES.signature)?;
        place.copy_from_slice(S::Signature::sign(meter, key, message).as_ref());
        Some(place.len())
    }

    fn verify(
        &self,
        meter: &mut impl Meter,
        key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), VerifyError> {
        let key = key.try_into().map_err(|_| VerifyError::PublicKey)?;
        let signature = signature.try_into().map_err(|_| VerifyError::Malformed)?;
        S::Signature::verify(meter, &key, message, &signature)
    }
}

/// Declares the suites: type, agreement, signature, name, identifier, category, contributory.
macro_rules! suites {
    ($($(#[cfg($cfg:meta)])? $(#[doc = $doc:literal])*
        $suite:ident = $agreement:ident, $signature:ident, $name:literal,
        $identifier:literal, $category:literal, $contributory:literal;)*) => {
        $(
            $(#[cfg($cfg)])?
            $(#[doc = $doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $suite;

            $(#[cfg($cfg)])?
            impl AuthenticationSuite for $suite {
                type Agreement = $agreement;
                type Signature = $signature;
                const NAME: &'static str = $name;
                const IDENTIFIER: u8 = $identifier;
                const CATEGORY: u8 = $category;
                const CONTRIBUTORY: bool = $contributory;
            }
        )*

        /// The names, categories and sizes of all suites.
        pub const SUITES: &[(&str, u8, Sizes)] = &[
            $(
                $(#[cfg($cfg)])?
                (
                    <$suite as AuthenticationSuite>::NAME,
                    <$suite as AuthenticationSuite>::CATEGORY,
                    <$suite as AuthenticationSuite>::SIZES,
                ),
            )*
        ];

        #[cfg(feature = "alloc")]
        impl AnyLasanSuite {
            /// All suites.
            pub const ALL: &[AnyLasanSuite] = &[
                $(
                    $(#[cfg($cfg)])?
                    AnyLasanSuite::of::<$suite>(),
                )*
            ];
        }
    };
}

suites! {
    #[cfg(feature = "p256")]
    /// `LASAN_M_ECDHE_ECDSA_WITH_AES_256_GCM_8`: P-256, as in \[LASAN\].
    EcdheEcdsa = P256Compressed, P256Compressed, "p256", 0x11, 0, true;
    /// FourQ and SchnorrQ: the fastest on every board.
    FourQSchnorrQ = FourQ, FourQ, "fourq", 0x12, 0, true;
    #[cfg(feature = "post-quantum")]
    /// `LASAN_M_KYBER_DILITHIUM_WITH_AES_256_GCM_8` with the standards that became of Kyber and
    /// Dilithium: ML-KEM-768 and ML-DSA-44.
    MlKem768MlDsa44 = MlKem768, MlDsa44, "ml-kem-768+ml-dsa-44", 0x21, 2, false;
    #[cfg(feature = "post-quantum")]
    /// ML-KEM-768 and ML-DSA-65: category 3 throughout.
    MlKem768MlDsa65 = MlKem768, MlDsa65, "ml-kem-768+ml-dsa-65", 0x22, 3, false;
    #[cfg(feature = "fn-dsa")]
    /// ML-KEM-512 and FN-DSA-512: the fewest bytes, category 1.
    MlKem512FnDsa512 = MlKem512, FnDsa512, "ml-kem-512+fn-dsa-512", 0x23, 1, false;
    #[cfg(feature = "fn-dsa")]
    /// ML-KEM-768 and FN-DSA-1024: the fewest bytes from category 3 on.
    MlKem768FnDsa1024 = MlKem768, FnDsa1024, "ml-kem-768+fn-dsa-1024", 0x24, 3, false;
    #[cfg(feature = "post-quantum")]
    /// X25519 with ML-KEM-768, and ML-DSA-65: the agreement holds as long as one of the two does.
    HybridMlDsa65 = X25519MlKem768, MlDsa65, "x25519-ml-kem-768+ml-dsa-65", 0x31, 3, false;
}

/// The longest message of a suite in any profile; or an answer and an offer in a row, which the
/// security module sends together as published.
const fn message_max(sizes: Sizes) -> usize {
    use super::length::Lengths;
    use super::profile::{Credentials, LasanProfile};
    let profiles = [
        #[cfg(feature = "as-published")]
        LasanProfile::AsPublished,
        LasanProfile::Hardened,
        LasanProfile::Compact,
    ];
    let (mut longest, mut at) = (sizes.answer + sizes.offer, 0);
    while at < profiles.len() {
        let length = Lengths::new(profiles[at], Credentials::Certificates, sizes).longest();
        if length > longest {
            longest = length;
        }
        at += 1;
    }
    longest
}

/// A place on the heap for the longest message.
#[cfg(feature = "alloc")]
pub(super) fn message_storage<'a>(sizes: Sizes) -> waywarden_key_roles::Storage<'a, u8> {
    waywarden_key_roles::Storage::boxed(message_max(sizes), || 0)
}
