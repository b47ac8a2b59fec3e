//! ML-DSA as signatures, in the deterministic variant and with an empty context string.
//!
//! Read FIPS 204. The context string could keep protocols apart; `Choice:` it stays empty, since
//! every message that a role signs begins with a label of its own, whatever the suite.
//!
//! `Choice:` a signing key is the 32 bytes of its seed ξ. The library expands it to 41 kB
//! (ML-DSA-44) or 66 kB (ML-DSA-65) at each signature and drops it again; to keep it expanded would
//! be faster and is more than the memory of a small ECU. What the meter and the board tables count
//! as `Sign` begins with the packed key of FIPS 204 (2,560 and 4,032 bytes), from which the
//! expansion is cheaper than from the seed by part of a key generation.
//!
//! The library is written for speed and hands matrices over by value: a signature was seen to need
//! 264 and 366 KiB of stack on x86-64, a verification 107 and 163. That fits a gateway; a small ECU
//! needs code that makes the matrix row by row, which this contract has room for.

#[cfg(test)]
mod tests;

use ::ml_dsa::signature::Keypair;
use ::ml_dsa::{EncodedSignature, ExpandedSigningKey, VerifyingKey};
use waywarden_work::{Algorithm, OperationKind};

use super::{Meter, Secret, SignatureScheme, VerifyError};

/// ML-DSA-44 (NIST category 2). Public keys of 1312 bytes, signatures of 2420.
pub enum MlDsa44 {}

/// ML-DSA-65 (NIST category 3). Public keys of 1952 bytes, signatures of 3309.
pub enum MlDsa65 {}

/// Implements [`SignatureScheme`] for one parameter set.
macro_rules! sign_with_ml_dsa {
    ($suite:ident, $public:literal, $signature:literal) => {
        impl SignatureScheme for $suite {
            const PUBLIC_KEY_LENGTH: usize = $public;
            const SIGNATURE_LENGTH: usize = $signature;

            /// The seed ξ of FIPS 204 §5.1.
            type SigningKey = Secret;
            type PublicKey = [u8; $public];
            type Signature = [u8; $signature];

            /// Any 32 bytes will do.
            #[inline(never)]
            fn signing_key(secret: &Secret) -> Secret {
                secret.duplicate()
            }

            #[inline(never)]
            fn public_key(key: &Secret) -> Self::PublicKey {
                ::ml_dsa::SigningKey::<::ml_dsa::$suite>::from_seed(key.as_bytes().into())
                    .verifying_key()
                    .encode()
                    .into()
            }

            /// Rejection sampling: the time varies with message and key, and says nothing of the
            /// key.
            #[inline(never)]
            fn sign(meter: &mut impl Meter, key: &Secret, message: &[u8]) -> Self::Signature {
                let kind = OperationKind::Sign;
                meter.record(super::over(kind, Algorithm::$suite, message));
                ExpandedSigningKey::<::ml_dsa::$suite>::from_seed(key.as_bytes().into())
                    .sign_deterministic(message, b"")
                    .expect("the context is short, and one of 800 tries and more succeeds")
                    .encode()
                    .into()
            }

            /// Every 32 + 320 k bytes are a public key: there is no `PublicKey` cause. `Malformed`
            /// are a response out of range and hints that are not encoded as they must be.
            #[inline(never)]
            fn verify(
                meter: &mut impl Meter,
                public: &Self::PublicKey,
                message: &[u8],
                signature: &Self::Signature,
            ) -> Result<(), VerifyError> {
                let kind = OperationKind::Verify;
                meter.record(super::over(kind, Algorithm::$suite, message));
                let encoded = <&EncodedSignature<::ml_dsa::$suite>>::from(signature);
                let signature =
                    ::ml_dsa::Signature::decode(encoded).ok_or(VerifyError::Malformed)?;
                let key = VerifyingKey::<::ml_dsa::$suite>::decode(public.into());
                if key.verify_with_context(message, b"", &signature) {
                    Ok(())
                } else {
                    Err(VerifyError::Mismatch)
                }
            }
        }
    };
}

sign_with_ml_dsa!(MlDsa44, 1312, 2420);
sign_with_ml_dsa!(MlDsa65, 1952, 3309);
