//! ML-KEM and ML-DSA.

use core::hint::black_box;

#[allow(deprecated)]
use ml_kem::{DecapsulationKey768, ExpandedKeyEncoding};
use waywarden_key_suites::{KeyAgreement, MlDsa44, MlKem768, Secret, SignatureScheme};
use waywarden_work::NoMeter;

use crate::curves::message;
use crate::{Run, bytes};

fn secret(seed: u64) -> Secret {
    Secret::from_bytes(bytes(seed))
}

pub(crate) fn kem_key_generate<K: KeyAgreement>(run: &mut Run<'_>) {
    let random = secret(run.secret);
    run.count(|| K::offer(&mut NoMeter, black_box(&random)));
}

pub(crate) fn encapsulate<K: KeyAgreement>(run: &mut Run<'_>) {
    let (_, offer) = K::offer(&mut NoMeter, &secret(1));
    let random = secret(1 + run.secret);
    let answer = run.count(|| K::answer(&mut NoMeter, black_box(offer.as_ref()), &random));
    assert!(answer.is_ok(), "our own offer");
}

/// The secret is that of the sender here: its answer, and what both agree on. Another key would
/// have another matrix, which is public and sampled from a public seed.
pub(crate) fn decapsulate<K: KeyAgreement>(run: &mut Run<'_>) {
    let (pending, offer) = K::offer(&mut NoMeter, &secret(1));
    let answer = K::answer(&mut NoMeter, offer.as_ref(), &secret(1 + run.secret));
    let Ok((answer, theirs)) = answer else {
        panic!("our own offer");
    };
    let agreed = run.count(|| K::finish(&mut NoMeter, &pending, black_box(answer.as_ref())));
    assert!(agreed.is_ok_and(|own| own == theirs), "our own answer");
}

/// Bytes of the secret vector of a key of ML-KEM-768, with which its expanded form begins: three
/// polynomials of 256 coefficients of 12 bits.
const VECTOR: usize = 3 * 256 * 12 / 8;

/// A decapsulation with a key whose secret vector alone is another for each secret: matrix, public
/// key and message are the same. They do not fit together, so that it rejects the message, which is
/// to take the same way.
#[allow(deprecated)]
pub(crate) fn decapsulate_with_vector(run: &mut Run<'_>) {
    let (key, offer) = MlKem768::offer(&mut NoMeter, &secret(1));
    let (other, _) = MlKem768::offer(&mut NoMeter, &secret(1 + run.secret));
    let mut expanded = key.to_expanded_bytes();
    expanded[..VECTOR].copy_from_slice(&other.to_expanded_bytes()[..VECTOR]);
    let Ok(key) = DecapsulationKey768::from_expanded_bytes(&expanded) else {
        panic!("the public key is the one that it was");
    };
    let answer = MlKem768::answer(&mut NoMeter, offer.as_ref(), &secret(2));
    let Ok((answer, _)) = answer else {
        panic!("our own offer");
    };
    let agreed = run.count(|| MlKem768::finish(&mut NoMeter, &key, black_box(answer.as_ref())));
    assert!(agreed.is_ok(), "a message of the right length");
}

/// Makes a public key of ML-DSA-44 and a signature under it, for a verification elsewhere.
#[must_use]
pub fn ml_dsa_44_sample() -> ([u8; 1312], [u8; 2420]) {
    let (key, message) = (MlDsa44::signing_key(&secret(1)), message());
    let signature = MlDsa44::sign(&mut NoMeter, &key, &message);
    (MlDsa44::public_key(&key), signature)
}

/// Verifies what was given: a public key and behind it a signature.
pub(crate) fn verify_given<S: SignatureScheme>(run: &mut Run<'_>) {
    let message = message();
    let parts = run.given.split_at_checked(S::PUBLIC_KEY_LENGTH);
    let (public, signature) = parts.expect("a public key and a signature");
    let public: S::PublicKey = public.try_into().ok().expect("a public key");
    let signature: S::Signature = signature.try_into().ok().expect("a signature");
    let verdict = run.count(|| {
        let (public, message) = (black_box(&public), black_box(&message));
        S::verify(&mut NoMeter, public, message, black_box(&signature))
    });
    assert!(verdict.is_ok(), "a signature of the sample");
}
