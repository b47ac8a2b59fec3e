//! FN-DSA (Falcon) as signatures: small for a post-quantum scheme, and cheap to verify.
//!
//! Its standard, FIPS 206, is not published: this is the scheme as the library has it, which says
//! that encodings may change; they already differ from those of the submission. Read the
//! submission, Falcon of round 3, and the library's `compute_mu`: messages are not hashed before,
//! the context string is empty (`Choice:` as for ML-DSA).
//!
//! Signing must not be repeated carelessly: two signatures of one message with the same nonce but
//! other preimages give the key away. The submission therefore draws randomness for each. Here,
//! `Choice:`, it comes of key and message, so that an ECU without a good source at every start does
//! not lose its key; then what must hold is that one key always computes alike. On one target it
//! does: the library calculates in IEEE 754 doubles without fused operations, or emulates them
//! where the processor has none, and takes nonce and sampler from the same seed. It also binds that
//! seed to key and message itself. Should a key move to another implementation, whose rounding may
//! differ, make a new key.
//!
//! `Choice:` a signing key is kept in the library's encoding, 1,345 or 2,369 bytes, with the secret
//! for its randomness. To make it again from 32 bytes at each signature would take three to six
//! times as long as the signature.
//!
//! The library works in objects of 43 kB (FN-DSA-512) and 86 kB, which it hands over by value: a
//! signature was seen to need 133 and 260 KiB of stack on x86-64, a key generation 37 and 65, a
//! verification no more than other suites. Nothing here allocates, but the crates for signing turn
//! on `alloc` in a dependency; hence the feature `fn-dsa`.

#[cfg(test)]
mod tests;

use fn_dsa_kgen::KeyPairGenerator;
use fn_dsa_sign::{CryptoRng, DOMAIN_NONE, HASH_ID_RAW, RngCore, RngError, SigningKey};
use fn_dsa_vrfy::VerifyingKey;
use waywarden_work::{Algorithm, OperationKind};
use zeroize::ZeroizeOnDrop;

use super::{Entropy, Meter, Secret, SignatureScheme, VerifyError, symmetric};

/// FN-DSA-512 (NIST category 1). Public keys of 897 bytes, signatures of 666.
pub enum FnDsa512 {}

/// FN-DSA-1024 (NIST category 5). Public keys of 1793 bytes, signatures of 1280.
pub enum FnDsa1024 {}

/// A signing key of FN-DSA in `LENGTH` bytes. Wiped on drop; no `Debug`, no comparison.
#[derive(ZeroizeOnDrop)]
pub struct FnDsaSigningKey<const LENGTH: usize> {
    encoded: [u8; LENGTH],
    /// Secret from which the randomness of signatures is derived.
    randomness: Secret,
}

/// Purpose for which a secret is stretched.
#[derive(Clone, Copy)]
enum Purpose {
    KeyGeneration,
    Signing,
}

/// Random bytes made of a secret and a message, as the library asks for them.
struct Stream(Entropy);

impl Stream {
    fn new(secret: &Secret, purpose: Purpose, message: &[u8]) -> Self {
        let label: &[u8] = match purpose {
            Purpose::KeyGeneration => b"waywarden FN-DSA key",
            Purpose::Signing => b"waywarden FN-DSA signature",
        };
        let seed = symmetric::hmac(secret.as_bytes(), &[label, message]);
        Stream(Entropy::new(*seed))
    }
}

impl CryptoRng for Stream {}

impl RngCore for Stream {
    fn next_u32(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.fill_bytes(&mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn next_u64(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.fill_bytes(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Draws 32 bytes at a time; what is left over of the last is dropped.
    fn fill_bytes(&mut self, out: &mut [u8]) {
        for block in out.chunks_mut(32) {
            let drawn = self.0.draw();
            block.copy_from_slice(&drawn.as_bytes()[..block.len()]);
        }
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), RngError> {
        self.fill_bytes(out);
        Ok(())
    }
}

/// Implements [`SignatureScheme`] for one degree, 2 to the power of `$degree`.
macro_rules! sign_with_fn_dsa {
    (
        $suite:ident, $degree:path, $generator:path, $signer:path, $verifier:path,
        $secret:literal, $public:literal, $signature:literal
    ) => {
        impl SignatureScheme for $suite {
            const PUBLIC_KEY_LENGTH: usize = $public;
            const SIGNATURE_LENGTH: usize = $signature;

            type SigningKey = FnDsaSigningKey<$secret>;
            type PublicKey = [u8; $public];
            type Signature = [u8; $signature];

            /// Takes any 32 bytes. By far the longest operation here: once in the life of an ECU.
            #[inline(never)]
            fn signing_key(secret: &Secret) -> Self::SigningKey {
                let mut key = FnDsaSigningKey {
                    encoded: [0; $secret],
                    randomness: secret.duplicate(),
                };
                let mut public = [0; $public];
                let mut stream = Stream::new(secret, Purpose::KeyGeneration, b"");
                <$generator>::default().keygen($degree, &mut stream, &mut key.encoded, &mut public);
                key
            }

            #[inline(never)]
            fn public_key(key: &Self::SigningKey) -> Self::PublicKey {
                let mut public = [0; $public];
                <$signer>::decode(&key.encoded)
                    .expect("made by the generator")
                    .to_verifying_key(&mut public);
                public
            }

            /// Rejection sampling, like that of ML-DSA.
            #[inline(never)]
            fn sign(
                meter: &mut impl Meter,
                key: &Self::SigningKey,
                message: &[u8],
            ) -> Self::Signature {
                let kind = OperationKind::Sign;
                meter.record(super::over(kind, Algorithm::$suite, message));
                let mut stream = Stream::new(&key.randomness, Purpose::Signing, message);
                let mut signature = [0; $signature];
                <$signer>::decode(&key.encoded)
                    .expect("made by the generator")
                    .sign(
                        &mut stream,
                        &DOMAIN_NONE,
                        &HASH_ID_RAW,
                        message,
                        &mut signature,
                    )
                    .expect("27 tries fail with probability below 2^-256");
                signature
            }

            /// Returns `Malformed` if the first byte is not this degree's; the library tells no
            /// other fault of the encoding from a mismatch.
            #[inline(never)]
            fn verify(
                meter: &mut impl Meter,
                public: &Self::PublicKey,
                message: &[u8],
                signature: &Self::Signature,
            ) -> Result<(), VerifyError> {
                let kind = OperationKind::Verify;
                meter.record(super::over(kind, Algorithm::$suite, message));
                let key = <$verifier>::decode(public).ok_or(VerifyError::PublicKey)?;
                if u32::from(signature[0]) != 0x30 + $degree {
                    return Err(VerifyError::Malformed);
                }
                if key.verify(signature, &DOMAIN_NONE, &HASH_ID_RAW, message) {
                    Ok(())
                } else {
                    Err(VerifyError::Mismatch)
                }
            }
        }
    };
}

sign_with_fn_dsa!(
    FnDsa512,
    fn_dsa_sign::FN_DSA_LOGN_512,
    fn_dsa_kgen::KeyPairGenerator512,
    fn_dsa_sign::SigningKey512,
    fn_dsa_vrfy::VerifyingKey512,
    1345,
    897,
    666
);
sign_with_fn_dsa!(
    FnDsa1024,
    fn_dsa_sign::FN_DSA_LOGN_1024,
    fn_dsa_kgen::KeyPairGenerator1024,
    fn_dsa_sign::SigningKey1024,
    fn_dsa_vrfy::VerifyingKey1024,
    2369,
    1793,
    1280
);
