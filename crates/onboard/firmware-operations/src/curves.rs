//! Elliptic curves: signatures, Diffie-Hellman, implicit certificates.

use core::hint::black_box;

use waywarden_ecverify::{Curve, JobKey, JobSample, Multiples, SampleCertificate, rebuild, verify};
use waywarden_key_suites::{DiffieHellman, Secret, SignatureScheme};
use waywarden_work::NoMeter;
use x25519_dalek::{PublicKey, StaticSecret};

use crate::{Run, bytes};

fn secret(seed: u64) -> Secret {
    Secret::from_bytes(bytes(seed))
}

/// Bytes of the message of each signature: those of a hash.
pub(crate) const MESSAGE: usize = 32;

/// The message of each signature.
pub(crate) fn message() -> [u8; MESSAGE] {
    bytes(9)
}

pub(crate) fn key_generate<S: SignatureScheme>(run: &mut Run<'_>) {
    let secret = secret(run.secret);
    run.count(|| {
        let key = S::signing_key(black_box(&secret));
        let public = S::public_key(&key);
        (key, public)
    });
}

pub(crate) fn sign<S: SignatureScheme>(run: &mut Run<'_>) {
    let (key, message) = (S::signing_key(&secret(run.secret)), message());
    run.count(|| S::sign(&mut NoMeter, black_box(&key), black_box(&message)));
}

pub(crate) fn verify_signature<S: SignatureScheme>(run: &mut Run<'_>) {
    let (key, message) = (S::signing_key(&secret(1)), message());
    let signature = S::sign(&mut NoMeter, &key, &message);
    let public = S::public_key(&key);
    let verdict = run.count(|| {
        let (public, message) = (black_box(&public), black_box(&message));
        S::verify(&mut NoMeter, public, message, black_box(&signature))
    });
    assert!(verdict.is_ok(), "our own signature");
}

pub(crate) fn share<D: DiffieHellman>(run: &mut Run<'_>) {
    let scalar = D::scalar(&secret(run.secret));
    run.count(|| D::share(&mut NoMeter, black_box(&scalar)));
}

pub(crate) fn extract<D: DiffieHellman>(run: &mut Run<'_>) {
    let scalar = D::scalar(&secret(run.secret));
    let share = D::share(&mut NoMeter, &D::scalar(&secret(2)));
    let agreed = run.count(|| D::extract(&mut NoMeter, black_box(&scalar), black_box(&share)));
    assert!(agreed.is_ok(), "our own share");
}

pub(crate) fn x25519_share(run: &mut Run<'_>) {
    let scalar = StaticSecret::from(bytes::<32>(run.secret));
    run.count(|| PublicKey::from(black_box(&scalar)));
}

pub(crate) fn x25519_extract(run: &mut Run<'_>) {
    let scalar = StaticSecret::from(bytes::<32>(run.secret));
    let share = PublicKey::from(&StaticSecret::from(bytes::<32>(2)));
    run.count(|| black_box(&scalar).diffie_hellman(black_box(&share)));
}

/// A verification as V2X traffic has it: all points compressed, the point R of the signature too.
pub(crate) fn verify_explicit(run: &mut Run<'_>, curve: Curve) {
    let sample = JobSample::explicit(curve, 1, Multiples::Ordinary);
    let verdict = run.count(|| verify(black_box(&sample.job())));
    assert!(verdict.is_ok(), "a valid sample");
}

const CERTIFICATE: SampleCertificate = SampleCertificate {
    issuer: 1,
    number: 2,
};

/// The same under an implicit certificate, whose key is not rebuilt on its own.
pub(crate) fn verify_implicit(run: &mut Run<'_>, curve: Curve) {
    let sample = JobSample::implicit(curve, CERTIFICATE, Multiples::Ordinary);
    let verdict = run.count(|| verify(black_box(&sample.job())));
    assert!(verdict.is_ok(), "a valid sample");
}

/// The key of an implicit certificate.
pub(crate) fn key_rebuild(run: &mut Run<'_>, curve: Curve) {
    let sample = JobSample::implicit(curve, CERTIFICATE, Multiples::Ordinary);
    let JobKey::Implicit {
        e,
        reconstruction,
        ca,
    } = sample.job().key
    else {
        panic!("a sample with an implicit certificate");
    };
    let key = run.count(|| rebuild(curve, black_box(e), black_box(&reconstruction), &ca));
    assert!(key.is_ok(), "a valid sample");
}
