//! The suites of the protocol: a key agreement, a signature, and AES-256-GCM with tags of 8 bytes.

use super::length::Sizes;
#[cfg(feature = "fn-dsa")]
use crate::suite::{FnDsa512, FnDsa1024, MlKem512};
use crate::suite::{
    FourQ, KeyAgreement, Meter, MlDsa44, MlDsa65, MlKem768, P256Compressed, Signature, VerifyError,
    X25519MlKem768,
};

/// Room for the longest message of a suite: an array of bytes.
pub trait Buffer: AsRef<[u8]> + AsMut<[u8]> {
    /// Nothing but zeros.
    const EMPTY: Self;
}

impl<const N: usize> Buffer for [u8; N] {
    const EMPTY: Self = [0; N];
}

/// A key agreement and a signature that go together.
pub trait Suite: 'static {
    /// How keys are agreed on.
    type Agreement: KeyAgreement;
    /// How messages and certificates are signed.
    type Signature: Signature;
    /// Room for the longest message of any profile.
    type Message: Buffer;
    /// The name in vehicle files and traces.
    const NAME: &'static str;
    /// The byte that stands for the suite in what is hashed and signed.
    const IDENTIFIER: u8;
    /// The NIST category of the weaker of its parts against a quantum computer; 0 if it falls to
    /// one.
    const CATEGORY: u8;
    /// Whether both sides contribute a share, as with Diffie-Hellman.
    const CONTRIBUTORY: bool;
    /// The sizes of what is sent.
    const SIZES: Sizes = Sizes {
        public_key: <Self::Signature as Signature>::PUBLIC_KEY_LENGTH,
        signature: <Self::Signature as Signature>::SIGNATURE_LENGTH,
        offer: <Self::Agreement as KeyAgreement>::OFFER_LENGTH,
        answer: <Self::Agreement as KeyAgreement>::ANSWER_LENGTH,
        contributory: Self::CONTRIBUTORY,
    };
}

/// Checks a signature where key and signature are bytes.
pub(super) fn verify<S: Suite>(
    meter: &mut Meter,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Result<(), VerifyError> {
    let key = key.try_into().map_err(|_| VerifyError::PublicKey)?;
    let signature = signature.try_into().map_err(|_| VerifyError::Malformed)?;
    S::Signature::verify(meter, &key, message, &signature)
}

/// Declares the suites: type, agreement, signature, name, identifier, category, contributory.
macro_rules! suites {
    ($($(#[cfg($cfg:meta)])? $(#[doc = $doc:literal])*
        $suite:ident = $agreement:ident, $signature:ident, $name:literal,
        $identifier:literal, $category:literal, $contributory:literal;)*) => {
        $(
            $(#[cfg($cfg)])?
            $(#[doc = $doc])*
            #[derive(Debug)]
            pub enum $suite {}

            $(#[cfg($cfg)])?
            impl Suite for $suite {
                type Agreement = $agreement;
                type Signature = $signature;
                type Message = [u8; longest(<$suite as Suite>::SIZES)];
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
                    <$suite as Suite>::NAME,
                    <$suite as Suite>::CATEGORY,
                    <$suite as Suite>::SIZES,
                ),
            )*
        ];
    };
}

suites! {
    /// `LASAN_M_ECDHE_ECDSA_WITH_AES_256_GCM_8`: P-256, as in \[LASAN\].
    EcdheEcdsa = P256Compressed, P256Compressed, "p256", 0x11, 0, true;
    /// FourQ and SchnorrQ: the fastest on every board.
    FourQSchnorrQ = FourQ, FourQ, "fourq", 0x12, 0, true;
    /// `LASAN_M_KYBER_DILITHIUM_WITH_AES_256_GCM_8` with the standards that became of Kyber and
    /// Dilithium: ML-KEM-768 and ML-DSA-44.
    MlKem768MlDsa44 = MlKem768, MlDsa44, "ml-kem-768+ml-dsa-44", 0x21, 2, false;
    /// ML-KEM-768 and ML-DSA-65: category 3 throughout.
    MlKem768MlDsa65 = MlKem768, MlDsa65, "ml-kem-768+ml-dsa-65", 0x22, 3, false;
    #[cfg(feature = "fn-dsa")]
    /// ML-KEM-512 and FN-DSA-512: the fewest bytes, category 1.
    MlKem512FnDsa512 = MlKem512, FnDsa512, "ml-kem-512+fn-dsa-512", 0x23, 1, false;
    #[cfg(feature = "fn-dsa")]
    /// ML-KEM-768 and FN-DSA-1024: the fewest bytes from category 3 on.
    MlKem768FnDsa1024 = MlKem768, FnDsa1024, "ml-kem-768+fn-dsa-1024", 0x24, 3, false;
    /// X25519 with ML-KEM-768, and ML-DSA-65: the agreement holds as long as one of the two does.
    HybridMlDsa65 = X25519MlKem768, MlDsa65, "x25519-ml-kem-768+ml-dsa-65", 0x31, 3, false;
}

/// The longest message of a suite in any profile; or an answer and an offer in a row, which the
/// security module sends together as published.
const fn longest(sizes: Sizes) -> usize {
    use super::length::Lengths;
    use super::profile::{Credentials, Profile};
    let profiles = [Profile::AsPublished, Profile::Hardened, Profile::Compact];
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
