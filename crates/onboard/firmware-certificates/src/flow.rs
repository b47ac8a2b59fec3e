//! The operations, from the issuer's key to the verified message.

use core::fmt::Display;
use core::hint::black_box;

use waywarden_ecverify::{Curve, Job, JobKey, Point, SignatureRefusal, verify};
use waywarden_firmware_link::Link;
use waywarden_v2x_keys::ecqv::{self, EcqvError, EcqvRequest, Issuer};
use waywarden_v2x_keys::{
    KeyError, KeyHandle, KeyStore as _, Nonce, NonceForm, Signature, SoftwareStore, Uses,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::hash::{HashFunction, hash};
use waywarden_v2x_wire::ieee1609dot2::Certificate;
use waywarden_work::OperationKind;

use crate::contents::{CERTIFICATE_MAX, MESSAGE, contents};
use crate::gates::Gates;

/// The operations in the order in which [`run`] computes them.
pub const OPERATIONS: [OperationKind; 7] = [
    OperationKind::KeyGenerate,
    OperationKind::CertificateRequest,
    OperationKind::CertificateIssue,
    OperationKind::CertificateAccept,
    OperationKind::Sign,
    OperationKind::KeyRebuild,
    OperationKind::Verify,
];

/// The issuer has its key and an ephemeral one, the station that of its request and that of its
/// certificate.
type Store = SoftwareStore<2>;

/// Computes the operations. The first pair of gates has nothing between it: the instructions of the
/// gates themselves. Behind each further pair the host gets a hash of the operation's result to
/// store, save behind the verification.
///
/// # Panics
/// If an operation fails; if the key of the accepted certificate is not the one that a receiver
/// extracts, or its signature does not verify; if it verifies for another message or under the key
/// of the request.
pub fn run(link: &mut impl Link) {
    let mut gates = Gates::boot(link);
    gates.count(|| ());
    let (mut issuer_keys, mut own_keys) = (Store::new(), Store::new());

    let (issuer_key, issuer) = generate(&mut gates, &mut issuer_keys);
    let request = request(&mut gates, &mut own_keys);
    let mut buffer = [0; CERTIFICATE_MAX];
    let issuing = (&mut issuer_keys, issuer_key);
    let (certificate, r) = issue(&mut gates, issuing, &issuer, &request.public, &mut buffer);
    let key = accept(
        &mut gates,
        (&mut own_keys, request.key),
        &issuer,
        certificate,
        &r,
    );
    let signature = sign(&mut gates, &mut own_keys, key);
    let extracted = extract(&mut gates, &issuer, certificate);
    let verdict = gates.count(|| is_signed(&extracted, black_box(&MESSAGE), &signature));

    done("verify", verdict);
    let own = done("the key of the certificate", own_keys.public_key(key));
    assert!(own == extracted, "the extracted key is another");
    let other = is_signed(&extracted, &[0; 100], &signature);
    let by_other = is_signed(&request.public, &MESSAGE, &signature);
    assert!(other.is_err() && by_other.is_err(), "all is verified");
    gates.end();
}

fn generate<L: Link>(gates: &mut Gates<'_, L>, keys: &mut Store) -> (KeyHandle, Issuer) {
    let seed = gates.seed();
    let made = gates.count(|| {
        let key = keys.generate(Curve::P256, Uses::ISSUE_IMPLICIT, black_box(&seed))?;
        Ok::<_, KeyError>((key, keys.public_key(key)?))
    });
    let (key, public) = done("key-generate", made);
    gates.give(&[public.to_sec1_compressed().as_ref()]);
    let digest = hash(HashFunction::Sha256, b"the issuer's certificate");
    (key, Issuer { public, digest })
}

fn request<L: Link>(gates: &mut Gates<'_, L>, keys: &mut Store) -> EcqvRequest {
    let seed = gates.seed();
    let made = gates.count(|| ecqv::request(keys, Curve::P256, black_box(&seed)));
    let request = done("certificate-request", made);
    gates.give(&[request.public.to_sec1_compressed().as_ref()]);
    request
}

/// Returns the certificate and the private key reconstruction value.
fn issue<'b, L: Link>(
    gates: &mut Gates<'_, L>,
    (keys, key): (&mut Store, KeyHandle),
    issuer: &Issuer,
    request: &Point,
    buffer: &'b mut [u8],
) -> (&'b [u8], [u8; 32]) {
    let seed = gates.seed();
    let made = gates.count(|| {
        let request = black_box(request);
        ecqv::issue(keys, key, issuer, request, contents(), &seed, buffer)
    });
    let issued = done("certificate-issue", made);
    gates.give(&[issued.certificate, &issued.r]);
    (issued.certificate, issued.r)
}

fn accept<L: Link>(
    gates: &mut Gates<'_, L>,
    (keys, key): (&mut Store, KeyHandle),
    issuer: &Issuer,
    certificate: &[u8],
    r: &[u8; 32],
) -> KeyHandle {
    let made = gates.count(|| {
        let certificate = read(black_box(certificate))?;
        ecqv::receive(keys, key, &certificate, issuer, black_box(r), Uses::SIGN)
    });
    let key = done("certificate-accept", made);
    let public = done("the key of the certificate", keys.public_key(key));
    gates.give(&[public.to_sec1_compressed().as_ref()]);
    key
}

fn read(certificate: &[u8]) -> Result<Certificate<'_>, EcqvError> {
    let why = "the issued certificate cannot be read";
    parse(certificate).map_err(|_| EcqvError::Certificate(why))
}

/// Signs the message, the hash of it included.
fn sign<L: Link>(gates: &mut Gates<'_, L>, keys: &mut Store, key: KeyHandle) -> Signature {
    let entropy = gates.seed();
    let made = gates.count(|| {
        let digest = hash(HashFunction::Sha256, black_box(&MESSAGE));
        let nonce = Nonce::Hedged { entropy: &entropy };
        keys.sign(key, digest.as_bytes(), nonce, NonceForm::XOnly)
    });
    let signature = done("sign", made);
    gates.give(&[signature.r(), signature.s()]);
    signature
}

fn extract<L: Link>(gates: &mut Gates<'_, L>, issuer: &Issuer, certificate: &[u8]) -> Point {
    let made = gates.count(|| ecqv::extract(&read(black_box(certificate))?, issuer));
    let key = done("key-rebuild", made);
    gates.give(&[key.to_sec1_compressed().as_ref()]);
    key
}

/// Verifies a signature, the hash of the message included.
fn is_signed(key: &Point, message: &[u8], signature: &Signature) -> Result<(), SignatureRefusal> {
    let digest = hash(HashFunction::Sha256, message);
    verify(&Job {
        curve: Curve::P256,
        digest: digest.as_bytes(),
        signature: signature.encoded(),
        key: JobKey::Explicit(key.uncompressed()),
        sender: None,
    })
}

fn done<T, E: Display>(operation: &str, result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{operation}: {error}"))
}
