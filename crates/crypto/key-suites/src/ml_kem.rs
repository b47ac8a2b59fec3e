//! ML-KEM as an agreement: the offer is an encapsulation key, the answer a ciphertext.
//!
//! Read FIPS 203. Its randomness comes from the 32 bytes that an agreement is given. `Choice:` an
//! encapsulation uses them as m as they are; a key generation needs 64 (d and z of §7.1), which
//! HKDF-SHA-256 makes of them, and so a key is never stronger than those 32 bytes, that is 256
//! bits.
//!
//! A ciphertext that was tampered with is no error: it gives a secret that no other party has
//! (§6.3). So a caller that needs to know confirms the key.
//!
//! While an offer stands, the decapsulation key is kept as the library has it, 2,178 bytes for
//! ML-KEM-512 and 3,202 for ML-KEM-768. `Choice:` the 64 bytes of seed would do, but then every
//! answer costs a key generation beside the decapsulation, nearly twice the time, and an offer that
//! many answer is what this memory is for.

#[cfg(test)]
mod tests;

use ::ml_kem::Seed;
use ::ml_kem::array::Array;
use ::ml_kem::kem::{Decapsulate, KeyExport};
use waywarden_work::{Algorithm, Operation, OperationKind};
use zeroize::Zeroize;

use super::{AgreementError, KeyAgreement, Meter, Secret, symmetric};

/// ML-KEM-512: as hard to break as AES-128 (NIST category 1). Offers of 800 bytes, answers of 768.
pub enum MlKem512 {}

/// ML-KEM-768: as hard to break as AES-192 (NIST category 3). Offers of 1184 bytes, answers of
/// 1088.
pub enum MlKem768 {}

/// The seed d ‖ z of a key pair.
fn seed(random: &Secret) -> Seed {
    let bytes = symmetric::stretch::<64>(random, b"waywarden ML-KEM key");
    Array(*bytes)
}

/// Implements [`KeyAgreement`] for one parameter set.
macro_rules! agree_by_encapsulation {
    ($suite:ident, $keys:ident, $offer:literal, $answer:literal) => {
        impl KeyAgreement for $suite {
            const OFFER_LENGTH: usize = $offer;
            const ANSWER_LENGTH: usize = $answer;

            type Offer = [u8; $offer];
            type Answer = [u8; $answer];
            type Pending = ::ml_kem::$keys::DecapsulationKey;

            /// Metered as `KemKeyGenerate`.
            #[inline(never)]
            fn offer(meter: &mut impl Meter, random: &Secret) -> (Self::Pending, Self::Offer) {
                let kind = OperationKind::KemKeyGenerate;
                meter.record(Operation::new(kind, Algorithm::$suite, 0));
                let mut seed = seed(random);
                let key = Self::Pending::from_seed(seed);
                seed.zeroize();
                let offer = key.encapsulation_key().to_bytes().into();
                (key, offer)
            }

            /// Metered as `Encapsulate`. A key with a coefficient that is not reduced, which
            /// FIPS 203 §7.2 has refused, is `NotCanonical`; there is no other cause but `Length`.
            #[inline(never)]
            fn answer(
                meter: &mut impl Meter,
                offer: &[u8],
                random: &Secret,
            ) -> Result<(Self::Answer, Secret), AgreementError> {
                let offer = Array::try_from(offer).map_err(|_| AgreementError::Length)?;
                let kind = OperationKind::Encapsulate;
                meter.record(Operation::new(kind, Algorithm::$suite, 0));
                let key = ::ml_kem::$keys::EncapsulationKey::new(&offer)
                    .map_err(|_| AgreementError::NotCanonical)?;
                let m = random.as_bytes().into();
                let (answer, secret) = key.encapsulate_deterministic(m);
                Ok((answer.into(), Secret::from_bytes(secret.into())))
            }

            /// Metered as `Decapsulate`. There is no cause but `Length`.
            #[inline(never)]
            fn finish(
                meter: &mut impl Meter,
                pending: &Self::Pending,
                answer: &[u8],
            ) -> Result<Secret, AgreementError> {
                let answer = Array::try_from(answer).map_err(|_| AgreementError::Length)?;
                let kind = OperationKind::Decapsulate;
                meter.record(Operation::new(kind, Algorithm::$suite, 0));
                Ok(Secret::from_bytes(pending.decapsulate(&answer).into()))
            }
        }
    };
}

agree_by_encapsulation!(MlKem512, ml_kem_512, 800, 768);
agree_by_encapsulation!(MlKem768, ml_kem_768, 1184, 1088);
