//! ECQV: implicit certificates of IEEE 1609.2, both sides \[1609.2 §5.3.2\], \[ECQV-CITS §III\].
//!
//! | operation of \[ECQV-CITS\] | here |
//! |---|---|
//! | KeyGen | [`KeyStore::generate`] |
//! | CSRGen | [`request`] |
//! | CRTGen | [`issue`] |
//! | CRTReception | [`receive`] |
//! | Extract | [`extract`] |
//! | Sign | [`KeyStore::sign`] |
//! | Verify | `waywarden_ecverify::verify` |
//!
//! None of them allocates, randomness comes from the caller, and points are compressed wherever
//! they are written. Two of the paper's algorithms are wrong as printed, and not followed: its
//! Algorithm 3 never forms the private key from `r`, and compares the public key of a private key
//! that does not exist yet; its Algorithm 4 repeats while r and s are not 0, and leaves r out of s.

use core::fmt;

use hkdf::Hkdf;
use sha2::Sha256;
use waywarden_ecverify::{Curve, EncodedPoint, Point, rebuild};
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::coer::{Raw, emit};
use waywarden_v2x_wire::hash::{Digest, HashFunction, hash_canonical, hash_for_signature};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CertificateType, CurvePoint, EccP256CurvePoint, IssuerIdentifier,
    ToBeSignedCertificate, VerificationKeyIndicator, Version3,
};
use zeroize::Zeroizing;

use crate::arithmetic;
use crate::error::KeyError;
use crate::key_store::{KeyHandle, KeyStore, Uses};
use crate::point::compressed;

/// Key of a requester, with the part that it sends to the issuer.
#[derive(Clone, Copy, Debug)]
pub struct EcqvRequest {
    /// Requester's part of the private key, in its store.
    pub key: KeyHandle,
    /// Public key R_U of this part, for the issuer.
    pub public: Point,
}

/// Issuer of certificates, which is itself the holder of one.
#[derive(Clone, Copy, Debug)]
pub struct Issuer {
    /// Public key of the issuer.
    pub public: Point,
    /// Hash of the issuer's whole certificate.
    pub digest: Digest,
}

/// Answer of an issuer to a request.
#[derive(Clone, Copy)]
pub struct EcqvIssued<'b> {
    /// Encoded certificate. It is public.
    pub certificate: &'b [u8],
    /// Private key reconstruction value r: with it and the requester's key the private key is
    /// computed. It goes to the requester, encrypted.
    pub r: [u8; 32],
}

/// Reason why no implicit certificate is issued or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EcqvError {
    /// The store fails.
    Key(KeyError),
    /// The certificate does not fit the buffer, or cannot be written.
    Emit(EmitError),
    /// The certificate is not implicit, or its reconstruction value is no point of the issuer's
    /// curve.
    Certificate(&'static str),
    /// The key that r and the certificate give is not the certificate's: one of them was changed,
    /// or is for another request.
    OtherKey,
}

impl From<KeyError> for EcqvError {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl From<EmitError> for EcqvError {
    fn from(error: EmitError) -> Self {
        Self::Emit(error)
    }
}

impl fmt::Display for EcqvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(f),
            Self::Emit(error) => error.fmt(f),
            Self::Certificate(why) => f.write_str(why),
            Self::OtherKey => f.write_str("r and the certificate do not go with the request"),
        }
    }
}

impl core::error::Error for EcqvError {}

/// Makes the key of a request. `seed` is 32 bytes of a random generator.
///
/// # Errors
/// What the store says; [`KeyError::Unsupported`] for curves of 384 bits, on which the standard has
/// no implicit certificates.
pub fn request<S: KeyStore + ?Sized>(
    store: &mut S,
    curve: Curve,
    seed: &[u8; 32],
) -> Result<EcqvRequest, EcqvError> {
    check_curve(curve)?;
    let key = store.generate(curve, Uses::RECONSTRUCT | Uses::SIGN, seed)?;
    let public = store.public_key(key)?;
    Ok(EcqvRequest { key, public })
}

fn check_curve(curve: Curve) -> Result<(), KeyError> {
    match curve.field_bytes() {
        32 => Ok(()),
        _ => Err(KeyError::Unsupported {
            operation: "implicit certificates",
            curve,
        }),
    }
}

/// Issues an implicit certificate. The key indicator of `contents` is not read: the reconstruction
/// value takes its place. `key` is the issuer's, for [`Uses::ISSUE_IMPLICIT`]; `seed` is 32 bytes
/// of a random generator; the certificate is written to the beginning of `buffer`.
///
/// The ephemeral key depends on the seed and on what is issued to whom. A seed that comes back,
/// after a reset or in a copy of a device, so makes another key for another certificate: two values
/// r with one ephemeral key would give the issuer's key away.
///
/// What the issuer may issue is not checked here: `waywarden-v2x-pki` does.
///
/// # Errors
/// What the store says; [`KeyError::OtherCurve`] for a request on another curve than the issuer's;
/// [`KeyError::Infinity`], upon which another seed is tried; [`EcqvError::Emit`] for a short
/// buffer.
pub fn issue<'b, S: KeyStore + ?Sized>(
    store: &mut S,
    key: KeyHandle,
    issuer: &Issuer,
    request: &Point,
    contents: ToBeSignedCertificate<'_>,
    seed: &[u8; 32],
    buffer: &'b mut [u8],
) -> Result<EcqvIssued<'b>, EcqvError> {
    check_curve(issuer.public.curve())?;
    let seed = ephemeral_seed(seed, &contents, issuer, request)?;
    let ephemeral = store.generate(issuer.public.curve(), Uses::RECONSTRUCT, &seed)?;
    let issued = issue_with(store, (key, ephemeral), issuer, request, contents, buffer);
    if issued.is_err() {
        // It is retired unless it was used.
        let _ = store.retire(ephemeral);
    }
    issued
}

/// The seed of the ephemeral key.
fn ephemeral_seed(
    seed: &[u8; 32],
    contents: &ToBeSignedCertificate<'_>,
    issuer: &Issuer,
    request: &Point,
) -> Result<Zeroizing<[u8; 32]>, EcqvError> {
    let contents = hash_canonical(HashFunction::Sha256, contents)?;
    let request = request.to_sec1_compressed();
    let info = [
        contents.as_bytes(),
        issuer.digest.as_bytes(),
        request.as_ref(),
    ];
    let derivation = Hkdf::<Sha256>::new(Some(b"waywarden-v2x-keys ephemeral"), seed);
    let mut own = Zeroizing::new([0; 32]);
    let derived = derivation.expand_multi_info(&info, &mut *own);
    derived.map_err(|_| KeyError::Failed("the key derivation gives no 32 bytes"))?;
    Ok(own)
}

fn issue_with<'b, S: KeyStore + ?Sized>(
    store: &mut S,
    (key, ephemeral): (KeyHandle, KeyHandle),
    issuer: &Issuer,
    request: &Point,
    contents: ToBeSignedCertificate<'_>,
    buffer: &'b mut [u8],
) -> Result<EcqvIssued<'b>, EcqvError> {
    let value = arithmetic::sum(request, &store.public_key(ephemeral)?)?;
    let value: EccP256CurvePoint<'_> = compressed(&value);
    let contents = ToBeSignedCertificate {
        verify_key_indicator: VerificationKeyIndicator::ReconstructionValue(value),
        ..contents
    };
    let e = hash_of_contents(&contents, issuer)?;
    let certificate = Certificate::new(CertificateBase {
        version: Version3,
        kind: CertificateType::Implicit,
        issuer: IssuerIdentifier::Sha256AndDigest(issuer.digest.id_8()),
        to_be_signed: Raw::new(contents),
        signature: None,
    });
    let certificate = emit(&certificate.map_err(EcqvError::Certificate)?, buffer)?;
    // With e P + C at infinity there is no key; that is found before r is given out.
    rebuild(
        issuer.public.curve(),
        &e,
        &encoded(&value),
        &issuer.public.uncompressed(),
    )
    .map_err(|_| KeyError::Infinity)?;
    let r = store.contribute(key, ephemeral, &e)?;
    Ok(EcqvIssued { certificate, r })
}

/// The hash e of a certificate's contents and its issuer \[1609.2 §5.3.2\].
fn hash_of_contents(
    contents: &ToBeSignedCertificate<'_>,
    issuer: &Issuer,
) -> Result<[u8; 32], EcqvError> {
    let function = HashFunction::Sha256;
    let own = hash_canonical(function, contents)?;
    let e = hash_for_signature(function, &own, &issuer.digest);
    let e = e.as_bytes().first_chunk().copied();
    e.ok_or(EcqvError::Key(KeyError::DigestLength))
}

/// Computes e as SEC 4 §2.3 does: the leftmost 255 of the 256 bits of `hash`, the hash of a whole
/// certificate. [`KeyStore::reconstruct`] and [`KeyStore::contribute`] take it in place of the e of
/// IEEE 1609.2, which is all 256 bits of another hash. Nothing here uses it: it is for systems that
/// follow SEC 4, and the keys differ.
#[must_use]
pub fn sec4_e(hash: &[u8; 32]) -> [u8; 32] {
    core::array::from_fn(|index| {
        let above = index.checked_sub(1).map_or(0, |above| hash[above]);
        hash[index] >> 1 | above << 7
    })
}

fn encoded<'a>(value: &EccP256CurvePoint<'a>) -> EncodedPoint<'a> {
    match *value {
        CurvePoint::XOnly(x) => EncodedPoint::XOnly(x),
        CurvePoint::Fill => EncodedPoint::Fill,
        CurvePoint::CompressedY0(x) => EncodedPoint::CompressedY0(x),
        CurvePoint::CompressedY1(x) => EncodedPoint::CompressedY1(x),
        CurvePoint::Uncompressed { x, y } => EncodedPoint::Uncompressed { x, y },
    }
}

/// The reconstruction value and the hash of an implicit certificate.
fn parts<'a>(
    certificate: &Certificate<'a>,
    issuer: &Issuer,
) -> Result<(EncodedPoint<'a>, [u8; 32]), EcqvError> {
    if certificate.issuer != IssuerIdentifier::Sha256AndDigest(issuer.digest.id_8()) {
        let why = "the certificate names another issuer";
        return Err(EcqvError::Certificate(why));
    }
    match &certificate.to_be_signed.verify_key_indicator {
        VerificationKeyIndicator::ReconstructionValue(value) => {
            let e = hash_of_contents(&certificate.to_be_signed, issuer)?;
            Ok((encoded(value), e))
        }
        VerificationKeyIndicator::VerificationKey(_) => {
            Err(EcqvError::Certificate("the certificate is not implicit"))
        }
    }
}

/// Computes the public key of an implicit certificate, from public data alone.
///
/// # Errors
/// [`EcqvError::Certificate`].
pub fn extract(certificate: &Certificate<'_>, issuer: &Issuer) -> Result<Point, EcqvError> {
    let (value, e) = parts(certificate, issuer)?;
    public_key(&value, &e, issuer)
}

fn public_key(value: &EncodedPoint<'_>, e: &[u8; 32], issuer: &Issuer) -> Result<Point, EcqvError> {
    let curve = issuer.public.curve();
    let key = rebuild(curve, e, value, &issuer.public.uncompressed());
    key.map_err(|_| EcqvError::Certificate("the reconstruction value gives no key"))
}

/// Takes a certificate that was issued for a request: computes the private key and compares its
/// public key with the certificate's. `key`, the request's, stays, for others that were issued for
/// it; retire it when it is not needed.
///
/// # Errors
/// [`EcqvError::OtherKey`], and then there is no new key; [`EcqvError::Certificate`]; what the
/// store says.
pub fn receive<S: KeyStore + ?Sized>(
    store: &mut S,
    key: KeyHandle,
    certificate: &Certificate<'_>,
    issuer: &Issuer,
    r: &[u8; 32],
    uses: Uses,
) -> Result<KeyHandle, EcqvError> {
    let (value, e) = parts(certificate, issuer)?;
    let public = public_key(&value, &e, issuer)?;
    let own = store.reconstruct(key, &e, r, uses)?;
    if store.public_key(own)? == public {
        return Ok(own);
    }
    store.retire(own)?;
    Err(EcqvError::OtherKey)
}
