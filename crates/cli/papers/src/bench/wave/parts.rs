//! Parts of a CAM's time, and the time of parsing certificates.

use std::hint::black_box;
use std::time::Duration;

use waywarden_ecverify::{Curve, EncodedPoint, Job, JobKey, Point, SenderId, SignatureVerifier};
use waywarden_papers::Amount;
use waywarden_papers::wave::{CAM_BYTES, Form, Operation, Part, WaveQuantity};
use waywarden_v2x_keys::ecqv::{self, Issuer};
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, Signature, SoftwareStore, Uses};
use waywarden_v2x_neighbourhood::{CertificateForm, IdentitySource as _};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::hash::{Digest, HashFunction, hash, hash_for_signature};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CurvePoint, PublicVerificationKey, VerificationKeyIndicator,
};
use x509_cert::der::Decode as _;

use super::laboratory::{Bench, failed};
use super::median::Median;
use super::{Measured, time};
use waywarden_command_line::exit::Failure;

/// A certificate of 956 bytes, as long as those of the paper: a key on P-256, names, extensions.
const X509: &[u8] = include_bytes!("../x509.der");
/// Number of signed bytes beside the payload: the header and the lengths.
const BESIDE_PAYLOAD: usize = 40;
/// Number of messages of a sender before its table is there.
const WARM_UP: u32 = 500;

/// Measures each part so many times.
pub(super) fn measure(bench: &mut Bench, runs: u32) -> Result<Measured, Failure> {
    let now = bench.now();
    let credential = |form| {
        let identity = bench.tickets(form).next(now).map_err(failed)?;
        Ok::<_, Failure>(identity.credential)
    };
    let explicit = credential(CertificateForm::Explicit)?;
    let implicit = credential(CertificateForm::Implicit)?;
    let mut measured = certificates(&explicit, &implicit, runs)?;
    let read = Median::of(runs, || explicit_key(explicit.certificate().bytes()));
    let curve = Curves::measure(bench.seed(), runs)?;
    for bytes in CAM_BYTES {
        let message = vec![0x2a; bytes as usize + BESIDE_PAYLOAD];
        let certificate = explicit.certificate();
        let once = Median::of(runs, || hashed(&message, certificate.digest()));
        let own = Median::of(runs, || {
            hash(HashFunction::Sha256, black_box(certificate.bytes()))
        });
        let mut add = |operation, part, one| {
            let quantity = WaveQuantity::Part {
                operation,
                part,
                bytes,
            };
            measured.push((quantity, time(one)));
        };
        add(Operation::Sign, Part::Hash, once);
        add(Operation::Sign, Part::Certificate, Duration::ZERO);
        add(Operation::Sign, Part::Curve, curve.sign);
        add(Operation::Verify, Part::Hash, once);
        add(Operation::Verify, Part::Certificate, Duration::ZERO);
        add(Operation::Verify, Part::Curve, curve.known);
        // The certificate has a name and a signature, a hash each.
        add(Operation::VerifyNew, Part::Hash, once + 2 * own);
        add(Operation::VerifyNew, Part::Certificate, read);
        // Its issuer's key is known.
        add(Operation::VerifyNew, Part::Curve, curve.known + curve.new);
    }
    Ok(measured)
}

/// Returns the hash to sign and to verify [1609.2 §5.3.1].
fn hashed(message: &[u8], certificate: &Digest) -> Digest {
    let message = hash(HashFunction::Sha256, black_box(message));
    hash_for_signature(HashFunction::Sha256, &message, certificate)
}

/// Signatures on P-256 alone, of a digest.
struct Curves {
    sign: Duration,
    /// Verified, with a table of the sender's key.
    known: Duration,
    /// Verified, without one.
    new: Duration,
}

impl Curves {
    fn measure(seed: [u8; 32], runs: u32) -> Result<Self, Failure> {
        let mut store = SoftwareStore::<1>::new();
        let key = store
            .generate(Curve::P256, Uses::SIGN, &seed)
            .map_err(failed)?;
        let public = store.public_key(key).map_err(failed)?;
        let mut counter = 0_u64;
        let mut sign = || {
            counter += 1;
            let digest = hash(HashFunction::Sha256, &counter.to_be_bytes());
            let entropy = digest.as_bytes().first_chunk().copied().unwrap_or([0; 32]);
            let nonce = Nonce::Hedged { entropy: &entropy };
            let signature = store.sign(key, digest.as_bytes(), nonce, NonceForm::XOnly);
            signature.map(|signature| (digest, signature))
        };
        let (digest, signature) = sign().map_err(failed)?;
        let mut verifier = SignatureVerifier::with_table_bytes(1 << 20);
        let verify = |sender, verifier: &mut SignatureVerifier| {
            verifier.verify(&job(&digest, &signature, &public, sender))
        };
        for _ in 0..WARM_UP {
            verify(Some(SenderId(1)), &mut verifier).map_err(failed)?;
        }
        Ok(Self {
            known: Median::of(runs, || verify(Some(SenderId(1)), &mut verifier)),
            new: Median::of(runs, || verify(None, &mut verifier)),
            sign: Median::of(runs, sign),
        })
    }
}

fn job<'j>(
    digest: &'j Digest,
    signature: &'j Signature,
    public: &'j Point,
    sender: Option<SenderId>,
) -> Job<'j> {
    Job {
        curve: Curve::P256,
        digest: digest.as_bytes(),
        signature: signature.encoded(),
        key: JobKey::Explicit(public.uncompressed()),
        sender,
    }
}

/// Each form read as far as the key in it.
fn certificates(
    explicit: &Credential,
    implicit: &Credential,
    runs: u32,
) -> Result<Measured, Failure> {
    let (short, long) = (implicit.certificate(), explicit.certificate());
    let above = short.issuer().ok_or_else(|| failed("no issuer"))?;
    let issuer = Issuer {
        public: above
            .public_key()
            .ok_or_else(|| failed("no issuer's key"))?,
        digest: *above.digest(),
    };
    x509_key()?;
    explicit_key(long.bytes())?;
    implicit_key(short.bytes(), &issuer)?;
    let all = [
        (Form::X509, X509.len(), Median::of(runs, x509_key)),
        (
            Form::Explicit,
            long.bytes().len(),
            Median::of(runs, || explicit_key(long.bytes())),
        ),
        (
            Form::Implicit,
            short.bytes().len(),
            Median::of(runs, || implicit_key(short.bytes(), &issuer)),
        ),
    ];
    let measured = all.into_iter().flat_map(|(form, bytes, spent)| {
        [
            (
                WaveQuantity::CertificateBytes(form),
                Amount::Number(bytes as f64),
            ),
            (WaveQuantity::CertificateTime(form), time(spent)),
        ]
    });
    Ok(measured.collect())
}

fn x509_key() -> Result<Point, Failure> {
    let certificate = x509_cert::Certificate::from_der(black_box(X509)).map_err(failed)?;
    let key = certificate.tbs_certificate().subject_public_key_info();
    let key = key.subject_public_key.as_bytes();
    let encoded = EncodedPoint::from_sec1(key.unwrap_or_default()).map_err(failed)?;
    Point::decode(Curve::P256, &encoded).map_err(failed)
}

fn explicit_key(bytes: &[u8]) -> Result<Point, Failure> {
    let certificate: Certificate<'_> = parse(black_box(bytes)).map_err(failed)?;
    let VerificationKeyIndicator::VerificationKey(PublicVerificationKey::EcdsaNistP256(point)) =
        certificate.to_be_signed.verify_key_indicator
    else {
        return Err(failed("another key than one on P-256"));
    };
    let encoded = match &point {
        CurvePoint::CompressedY0(x) => EncodedPoint::CompressedY0(&x[..]),
        CurvePoint::CompressedY1(x) => EncodedPoint::CompressedY1(&x[..]),
        _ => return Err(failed("a key that is not compressed")),
    };
    Point::decode(Curve::P256, &encoded).map_err(failed)
}

fn implicit_key(bytes: &[u8], issuer: &Issuer) -> Result<Point, Failure> {
    let certificate: Certificate<'_> = parse(black_box(bytes)).map_err(failed)?;
    ecqv::extract(&certificate, issuer).map_err(failed)
}
