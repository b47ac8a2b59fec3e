//! X25519 and ML-KEM-768 side by side: safe as long as one of them is.
//!
//! Offer and answer are both shares in a row, ML-KEM's first, as in the TLS group X25519MLKEM768
//! (draft-ietf-tls-ecdhe-mlkem). TLS feeds both secrets in a row into its key schedule; here an
//! agreement gives 32 bytes, so they are combined at once:
//!
//! secret = HKDF-SHA-256(ikm = K ‖ Z, info = label ‖ SHA-256(SHA-256(offer) ‖ answer))
//!
//! with K of ML-KEM and Z of X25519. While HKDF is a random oracle, an attacker who is to tell the
//! secret from chance has to know both K and Z, for this offer and this answer. X-Wing hashes the
//! X25519 shares alone and shows that ML-KEM's own hashing makes up for the rest; `Choice:` to hash
//! all of it, which needs no such argument and adds some three hundredths of the time on a
//! Cortex-M4.

#[cfg(test)]
mod tests;

use waywarden_work::{Algorithm, Operation, OperationKind};
use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use super::{AgreementError, KeyAgreement, Meter, MlKem768, Secret, symmetric};

/// X25519 with ML-KEM-768. Offers of 1216 bytes, answers of 1120.
pub enum X25519MlKem768 {}

/// Beginnings of X25519's share in an offer and in an answer, in bytes.
const OFFER_SPLIT: usize = MlKem768::OFFER_LENGTH;
const ANSWER_SPLIT: usize = MlKem768::ANSWER_LENGTH;

/// Domain separation of the derivation, so that a secret used elsewhere too gives nothing away.
const LABEL: &[u8] = b"X25519MLKEM768";

/// State of the initiator: both secret keys, and the hash of the offer. Wiped on drop.
pub struct X25519MlKem768Pending {
    encapsulation: <MlKem768 as KeyAgreement>::Pending,
    scalar: StaticSecret,
    /// SHA-256 of the offer.
    offer: [u8; 32],
}

/// Two secrets of one, for ML-KEM and X25519 in this order.
fn split(random: &Secret) -> (Secret, StaticSecret) {
    let bytes = symmetric::stretch::<64>(random, b"waywarden X25519MLKEM768 random");
    let (mut first, mut second) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 32]));
    first.copy_from_slice(&bytes[..32]);
    second.copy_from_slice(&bytes[32..]);
    (Secret::from_bytes(*first), StaticSecret::from(*second))
}

/// Both shares in a row; `LENGTH` is the sum of their lengths.
fn join<const LENGTH: usize>(first: &[u8], second: &[u8; 32]) -> [u8; LENGTH] {
    let mut joined = [0; LENGTH];
    let (head, tail) = joined.split_at_mut(first.len());
    head.copy_from_slice(first);
    tail.copy_from_slice(second);
    joined
}

/// Both shares of `length` bytes in all, the first of `at` bytes.
fn part(bytes: &[u8], at: usize) -> Result<(&[u8], [u8; 32]), AgreementError> {
    let (first, second) = bytes.split_at_checked(at).ok_or(AgreementError::Length)?;
    let second = second.try_into().map_err(|_| AgreementError::Length)?;
    Ok((first, second))
}

/// Computes X25519's share. Metered as `Share`.
fn share(meter: &mut impl Meter, scalar: &StaticSecret) -> [u8; 32] {
    meter.record(Operation::new(OperationKind::Share, Algorithm::X25519, 0));
    PublicKey::from(scalar).to_bytes()
}

/// Computes X25519's secret, `Weak` where it is zero, which is what all points of small order give
/// (RFC 7748 §6.1). Other encodings of a point than the canonical one pass, as that document has
/// it: the hash tells them apart. Metered as `Extract`.
fn extract(
    meter: &mut impl Meter,
    scalar: &StaticSecret,
    share: [u8; 32],
) -> Result<x25519_dalek::SharedSecret, AgreementError> {
    meter.record(Operation::new(OperationKind::Extract, Algorithm::X25519, 0));
    let agreed = scalar.diffie_hellman(&PublicKey::from(share));
    if agreed.was_contributory() {
        Ok(agreed)
    } else {
        Err(AgreementError::Weak)
    }
}

/// Makes one secret of two. `offer` is the hash of the offer.
fn combine(
    meter: &mut impl Meter,
    encapsulated: &Secret,
    agreed: &x25519_dalek::SharedSecret,
    offer: &[u8; 32],
    answer: &[u8],
) -> Secret {
    let transcript = symmetric::sha256(meter, &[offer, answer]);
    let mut both = Zeroizing::new([0; 64]);
    both[..32].copy_from_slice(encapsulated.as_bytes());
    both[32..].copy_from_slice(agreed.as_bytes());
    let mut secret = Zeroizing::new([0; 32]);
    symmetric::hkdf_sha256(meter, b"", &*both, &[LABEL, &transcript], &mut secret);
    Secret::from_bytes(*secret)
}

impl KeyAgreement for X25519MlKem768 {
    const OFFER_LENGTH: usize = OFFER_SPLIT + 32;
    const ANSWER_LENGTH: usize = ANSWER_SPLIT + 32;

    type Offer = [u8; OFFER_SPLIT + 32];
    type Answer = [u8; ANSWER_SPLIT + 32];
    type Pending = X25519MlKem768Pending;

    fn offer(meter: &mut impl Meter, random: &Secret) -> (Self::Pending, Self::Offer) {
        let (random, scalar) = split(random);
        let (encapsulation, key) = MlKem768::offer(meter, &random);
        let offer = join(&key, &share(meter, &scalar));
        let pending = X25519MlKem768Pending {
            encapsulation,
            scalar,
            offer: symmetric::sha256(meter, &[&offer]),
        };
        (pending, offer)
    }

    /// X25519 goes first, for of the two it is the one that refuses more, and the cheaper.
    fn answer(
        meter: &mut impl Meter,
        offer: &[u8],
        random: &Secret,
    ) -> Result<(Self::Answer, Secret), AgreementError> {
        let (key, theirs) = part(offer, OFFER_SPLIT)?;
        let (random, scalar) = split(random);
        let agreed = extract(meter, &scalar, theirs)?;
        let (ciphertext, encapsulated) = MlKem768::answer(meter, key, &random)?;
        let answer: Self::Answer = join(&ciphertext, &share(meter, &scalar));
        let offer = symmetric::sha256(meter, &[offer]);
        let secret = combine(meter, &encapsulated, &agreed, &offer, &answer);
        Ok((answer, secret))
    }

    fn finish(
        meter: &mut impl Meter,
        pending: &Self::Pending,
        answer: &[u8],
    ) -> Result<Secret, AgreementError> {
        let (ciphertext, theirs) = part(answer, ANSWER_SPLIT)?;
        let agreed = extract(meter, &pending.scalar, theirs)?;
        let encapsulated = MlKem768::finish(meter, &pending.encapsulation, ciphertext)?;
        let offer = &pending.offer;
        Ok(combine(meter, &encapsulated, &agreed, offer, answer))
    }
}
