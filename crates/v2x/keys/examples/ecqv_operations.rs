//! The seven operations of \[ECQV-CITS Table I\] as firmware calls them: one curve, no `std`, no
//! allocator, randomness from the caller. `cargo xtask no-std` links this file as it stands and
//! prints what each operation takes of flash and stack on a Cortex-M4.
#![no_std]

use waywarden_ecverify::{Curve, Job, JobKey, Point, SignatureRefusal};
use waywarden_v2x_keys::ecqv::{self, EcqvError, EcqvIssued, EcqvRequest, Issuer};
use waywarden_v2x_keys::{
    KeyError, KeyHandle, KeyStore as _, Nonce, NonceForm, Signature, SoftwareStore, Uses,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, ToBeSignedCertificate};

/// A station has a key that signs, one that is requested, and one that replaces it.
pub type Store = SoftwareStore<4>;

/// `KeyGen`.
///
/// # Errors
/// What the store says.
#[inline(never)]
pub fn key_gen(store: &mut Store, seed: &[u8; 32]) -> Result<KeyHandle, KeyError> {
    store.generate(Curve::P256, Uses::SIGN, seed)
}

/// `CsrGen`.
///
/// # Errors
/// What the store says.
#[inline(never)]
pub fn csr_gen(store: &mut Store, seed: &[u8; 32]) -> Result<EcqvRequest, EcqvError> {
    ecqv::request(store, Curve::P256, seed)
}

/// `CrtGen`, the certificate's encoding included.
///
/// # Errors
/// As [`ecqv::issue`].
#[inline(never)]
pub fn crt_gen<'b>(
    store: &mut Store,
    (key, issuer): (KeyHandle, &Issuer),
    request: &Point,
    contents: ToBeSignedCertificate<'_>,
    seed: &[u8; 32],
    buffer: &'b mut [u8],
) -> Result<EcqvIssued<'b>, EcqvError> {
    ecqv::issue(store, key, issuer, request, contents, seed, buffer)
}

/// `CRTReception`, the certificate's decoding included.
///
/// # Errors
/// As [`ecqv::receive`].
#[inline(never)]
pub fn crt_reception(
    store: &mut Store,
    key: KeyHandle,
    certificate: &[u8],
    issuer: &Issuer,
    r: &[u8; 32],
) -> Result<KeyHandle, EcqvError> {
    let certificate = read(certificate)?;
    ecqv::receive(store, key, &certificate, issuer, r, Uses::SIGN)
}

/// `Extract`, the certificate's decoding included.
///
/// # Errors
/// As [`ecqv::extract`].
#[inline(never)]
pub fn extract(certificate: &[u8], issuer: &Issuer) -> Result<Point, EcqvError> {
    ecqv::extract(&read(certificate)?, issuer)
}

fn read(certificate: &[u8]) -> Result<Certificate<'_>, EcqvError> {
    parse(certificate).map_err(|_| EcqvError::Certificate("the certificate cannot be read"))
}

/// `Sign`.
///
/// # Errors
/// What the store says.
#[inline(never)]
pub fn sign(
    store: &mut Store,
    key: KeyHandle,
    digest: &[u8; 32],
    entropy: &[u8; 32],
) -> Result<Signature, KeyError> {
    store.sign(key, digest, Nonce::Hedged { entropy }, NonceForm::Point)
}

/// `Verify`.
///
/// # Errors
/// Why the signature is refused.
#[inline(never)]
pub fn verify(
    key: &Point,
    digest: &[u8; 32],
    signature: &Signature,
) -> Result<(), SignatureRefusal> {
    waywarden_ecverify::verify(&Job {
        curve: Curve::P256,
        digest,
        signature: signature.encoded(),
        key: JobKey::Explicit(key.uncompressed()),
        sender: None,
    })
}
