//! The seven operations of ECDSA and ECQV that \[ECQV-CITS\] measures, on P-256, timed on this
//! machine: one thread, medians of processor time.

use std::hint::black_box;
use std::time::{Duration, Instant};

use waywarden_ecverify::{Curve, Job, JobKey, Point, verify};
use waywarden_v2x_keys::ecqv::{self, EcqvError, EcqvRequest, Issuer};
use waywarden_v2x_keys::{KeyHandle, KeyStore, Nonce, NonceForm, Signature, SoftwareStore, Uses};
use waywarden_v2x_wire::coer::{Null, SequenceOf, parse};
use waywarden_v2x_wire::hash::{HashFunction, hash};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CurvePoint, Duration as ValidFor, Psid, PsidSsp,
    PublicVerificationKey, Time32, ToBeSignedCertificate, ValidityPeriod, VerificationKeyIndicator,
};
use waywarden_work::OperationKind;

use super::plan;
use super::stopwatch::Timed;

/// Time for the readings of all operations together, and for those of messages that wait, if one
/// round of them is not slower than that.
const TIME: Duration = Duration::from_millis(1500);
const TIME_WAITING: Duration = Duration::from_millis(500);
/// A median needs some readings, however slow the machine is.
const ROUNDS: u32 = 5;
/// Bytes of a signed message: a basic safety message of some 40 bytes with its security header.
const MESSAGE: [u8; 100] = [0x2a; 100];
/// Permissions of the certificate: to send basic safety messages.
const PERMISSIONS: &[PsidSsp<'_>] = &[PsidSsp {
    psid: Psid(0x20),
    ssp: None,
}];
/// Room for an implicit certificate with one permission.
const CERTIFICATE: usize = 256;

/// Measures the duration of each operation, in the order of the paper's Table I.
///
/// # Errors
/// What the store of keys says; built-in parameters never make it refuse.
pub(crate) fn measure_operations() -> Result<Vec<(OperationKind, Duration)>, EcqvError> {
    let mut operations = operations()?;
    let mut all: Vec<&mut Timed> = operations.iter_mut().map(|(_, timed)| timed).collect();
    read(&mut all, TIME);
    let median = |(kind, timed): &(OperationKind, Timed)| (*kind, median(timed));
    Ok(operations.iter().map(median).collect())
}

/// Time of one among many that wait, for a receiver without tables.
pub(crate) struct Waiting {
    /// One signature under a known key.
    pub(crate) signature: Duration,
    /// The key of an implicit certificate, and the signature.
    pub(crate) message: Duration,
}

/// Measures what verifying many at once takes, for each.
pub(crate) fn measure_waiting() -> Waiting {
    let (mut signature, mut message) = (plan::waiting_signatures(), plan::waiting_messages());
    read(&mut [&mut signature, &mut message], TIME_WAITING);
    Waiting {
        signature: median(&signature),
        message: median(&message),
    }
}

/// All in turn, so that a disturbance hits them alike.
fn read(all: &mut [&mut Timed], time: Duration) {
    let begun = Instant::now();
    let mut rounds = 0;
    while rounds < ROUNDS || begun.elapsed() < time {
        for timed in &mut *all {
            timed.read();
        }
        rounds += 1;
    }
}

fn median(timed: &Timed) -> Duration {
    Duration::from_secs_f64(timed.median() / 1e6)
}

/// A requester and its issuer in one store, with everything that the operations start from.
#[derive(Clone, Copy)]
struct Parties {
    issuer_key: KeyHandle,
    issuer: Issuer,
    request: EcqvRequest,
}

type Store = SoftwareStore<4>;

/// Seeds, none of them twice. They need not be secret, for their keys protect nothing.
struct Seeds(u64);

impl Seeds {
    fn next(&mut self) -> [u8; 32] {
        self.0 += 1;
        let seed = hash(HashFunction::Sha256, &self.0.to_be_bytes());
        seed.as_bytes().first_chunk().copied().unwrap_or_default()
    }
}

fn parties() -> Result<(Store, Parties, Seeds), EcqvError> {
    let (mut store, mut seeds) = (Store::new(), Seeds(0));
    let issuer_key = store.generate(Curve::P256, Uses::ISSUE_IMPLICIT, &seeds.next())?;
    let issuer = Issuer {
        public: store.public_key(issuer_key)?,
        digest: hash(HashFunction::Sha256, b"the issuer's certificate"),
    };
    let request = ecqv::request(&mut store, Curve::P256, &seeds.next())?;
    let parties = Parties {
        issuer_key,
        issuer,
        request,
    };
    Ok((store, parties, seeds))
}

/// Returns the contents of a certificate: as little as one can have, for the times are about its
/// key.
fn contents() -> ToBeSignedCertificate<'static> {
    let validity = ValidityPeriod {
        start: Time32(700_000_000),
        duration: ValidFor::Hours(169),
    };
    // The issuer replaces it with the reconstruction value.
    let no_key = PublicVerificationKey::EcdsaNistP256(CurvePoint::Fill);
    let no_key = VerificationKeyIndicator::VerificationKey(no_key);
    ToBeSignedCertificate {
        app_permissions: SequenceOf::new(PERMISSIONS),
        ..ToBeSignedCertificate::new(CertificateId::None(Null), validity, no_key)
    }
}

/// Issues a certificate into `buffer`; returns its length and the private key reconstruction value.
fn issue(
    store: &mut Store,
    parties: &Parties,
    seed: &[u8; 32],
    buffer: &mut [u8],
) -> Result<(usize, [u8; 32]), EcqvError> {
    let Parties {
        issuer_key,
        issuer,
        request,
    } = parties;
    let issued = ecqv::issue(
        store,
        *issuer_key,
        issuer,
        &request.public,
        contents(),
        seed,
        buffer,
    )?;
    Ok((issued.certificate.len(), issued.r))
}

/// A certificate that was issued, and the private key reconstruction value.
fn issued(
    store: &mut Store,
    parties: &Parties,
    seeds: &mut Seeds,
) -> Result<(Vec<u8>, [u8; 32]), EcqvError> {
    let mut buffer = [0; CERTIFICATE];
    let (length, r) = issue(store, parties, &seeds.next(), &mut buffer)?;
    Ok((buffer[..length].to_vec(), r))
}

fn read_certificate(bytes: &[u8]) -> Result<Certificate<'_>, EcqvError> {
    let why = "the issued certificate cannot be read";
    parse(bytes).map_err(|_| EcqvError::Certificate(why))
}

/// An operation, again and again.
fn timed(mut work: impl FnMut() -> Result<(), EcqvError> + 'static) -> Timed {
    // Refused work would be timed as fast work.
    Timed::new(1, move || assert_eq!(work(), Ok(())))
}

/// All seven, ready to be timed.
///
/// # Errors
/// As in [`measure_operations`].
pub(crate) fn operations() -> Result<[(OperationKind, Timed); 7], EcqvError> {
    Ok([
        (OperationKind::KeyGenerate, key_generate()),
        (OperationKind::CertificateRequest, certificate_request()),
        (OperationKind::CertificateIssue, certificate_issue()?),
        (OperationKind::CertificateAccept, certificate_accept()?),
        (OperationKind::KeyRebuild, key_rebuild()?),
        (OperationKind::Sign, sign()?),
        (OperationKind::Verify, verification()?),
    ])
}

fn key_generate() -> Timed {
    let (mut store, mut seeds) = (Store::new(), Seeds(0));
    timed(move || {
        let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next())?;
        black_box(store.public_key(key)?);
        Ok(store.retire(key)?)
    })
}

fn certificate_request() -> Timed {
    let (mut store, mut seeds) = (Store::new(), Seeds(0));
    timed(move || {
        let request = black_box(ecqv::request(&mut store, Curve::P256, &seeds.next())?);
        Ok(store.retire(request.key)?)
    })
}

fn certificate_issue() -> Result<Timed, EcqvError> {
    let (mut store, parties, mut seeds) = parties()?;
    Ok(timed(move || {
        let mut buffer = [0; CERTIFICATE];
        black_box(issue(&mut store, &parties, &seeds.next(), &mut buffer)?);
        Ok(())
    }))
}

fn certificate_accept() -> Result<Timed, EcqvError> {
    let (mut store, parties, mut seeds) = parties()?;
    let (bytes, r) = issued(&mut store, &parties, &mut seeds)?;
    Ok(timed(move || {
        let certificate = read_certificate(&bytes)?;
        let Parties {
            issuer, request, ..
        } = &parties;
        let key = ecqv::receive(
            &mut store,
            request.key,
            &certificate,
            issuer,
            &r,
            Uses::SIGN,
        )?;
        Ok(store.retire(key)?)
    }))
}

fn key_rebuild() -> Result<Timed, EcqvError> {
    let (mut store, parties, mut seeds) = parties()?;
    let (bytes, _) = issued(&mut store, &parties, &mut seeds)?;
    Ok(timed(move || {
        let certificate = read_certificate(&bytes)?;
        black_box(ecqv::extract(&certificate, &parties.issuer)?);
        Ok(())
    }))
}

fn signed(
    store: &mut Store,
    key: KeyHandle,
    message: &[u8],
    entropy: &[u8; 32],
) -> Result<Signature, EcqvError> {
    let digest = hash(HashFunction::Sha256, message);
    let nonce = Nonce::Hedged { entropy };
    Ok(store.sign(key, digest.as_bytes(), nonce, NonceForm::XOnly)?)
}

fn signer() -> Result<(Store, KeyHandle, Point, Seeds), EcqvError> {
    let (mut store, mut seeds) = (Store::new(), Seeds(0));
    let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next())?;
    let public = store.public_key(key)?;
    Ok((store, key, public, seeds))
}

fn sign() -> Result<Timed, EcqvError> {
    let (mut store, key, _, mut seeds) = signer()?;
    Ok(timed(move || {
        black_box(signed(&mut store, key, &MESSAGE, &seeds.next())?);
        Ok(())
    }))
}

fn verification() -> Result<Timed, EcqvError> {
    let (mut store, key, public, mut seeds) = signer()?;
    let signature = signed(&mut store, key, &MESSAGE, &seeds.next())?;
    Ok(timed(move || {
        let digest = hash(HashFunction::Sha256, black_box(&MESSAGE));
        let job = Job {
            curve: Curve::P256,
            digest: digest.as_bytes(),
            signature: signature.encoded(),
            key: JobKey::Explicit(public.uncompressed()),
            sender: None,
        };
        verify(&job).map_err(|_| EcqvError::OtherKey)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_seven_operations_run_twice_and_are_read() {
        for (kind, mut timed) in operations().unwrap() {
            timed.read();
            timed.read();
            assert!(median(&timed) > Duration::ZERO, "{kind}");
        }
    }

    #[test]
    fn many_that_wait_are_verified() {
        for mut waiting in [plan::waiting_messages(), plan::waiting_signatures()] {
            waiting.read();
            assert!(median(&waiting) > Duration::ZERO);
        }
    }
}
