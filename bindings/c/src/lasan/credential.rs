//! Keys and certificates of a network: what is made where its parties are made.

use waywarden_key_suites::Secret;
use waywarden_lasan::{
    CertificateStatement, Credentials, LasanKind, LasanProfile, LasanSuite, Lengths, Name,
    NetworkTime, SubjectRole, Validity, enrolled_digest, issue,
};
use zeroize::Zeroize;

use super::KEY_LENGTH;
use super::suite::{KEY_MAX, with_suite};
use crate::memory::{bytes, places_at, read, writable, write};
use crate::role::curve::Curve;
use crate::status::{Status, answer};

/// The content of a certificate.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LasanStatement {
    /// WAYWARDEN_SUITE_FOURQ or another, of the authority and of the key.
    pub suite: u8,
    /// True for the security module, false for an ECU.
    pub is_module: bool,
    /// The authority's name.
    pub authority: [u8; 6],
    /// Name of the party, as `waywarden_lasan_party` has it.
    pub subject: [u8; 6],
    /// Its public key, as long as keys of the suite are. Read during the call.
    pub key: *const u8,
    /// First time at which it holds, in milliseconds of the network's time.
    pub first: u64,
    /// Last time at which it holds; UINT64_MAX for no end.
    pub last: u64,
}

/// Reads the 32 bytes of a secret.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn read_secret(from: *const u8) -> Result<Secret, Status> {
    // SAFETY: 32 bytes by the caller.
    let mut own: [u8; 32] = unsafe { read(from.cast()) }?;
    let secret = Secret::from_bytes(own);
    own.zeroize();
    Ok(secret)
}

/// Writes the lengths of public keys and of certificates of a suite, in bytes.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_lengths(
    suite: u8,
    public_key: *mut usize,
    certificate: *mut usize,
) -> Status {
    answer(|| {
        writable(certificate)?;
        with_suite!(suite, suite => {
            let of_certificate = certificate_length(&suite).ok_or(Status::Fault)?;
            // SAFETY: by the caller.
            unsafe {
                write(public_key, suite.sizes().public_key)?;
                write(certificate, of_certificate)
            }
        })
    })
}

fn certificate_length<S: LasanSuite>(suite: &S) -> Option<usize> {
    let (profile, credentials) = (LasanProfile::Hardened, Credentials::Certificates);
    Lengths::new(profile, credentials, suite.sizes()).of(LasanKind::Certificate)
}

/// Writes the public key that belongs to the 32 bytes of a party's secret into `key`: of a curve 33
/// bytes, with a zero behind the 32 of FourQ, so that it fits a `waywarden_lasan_party`; of another
/// suite as many as `waywarden_lasan_lengths` says. Takes the time of a key generation.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_public_key(
    suite_number: u8,
    secret: *const u8,
    key: *mut u8,
) -> Status {
    answer(|| {
        writable(key)?;
        with_suite!(suite_number, suite => {
            // SAFETY: by the caller.
            let signing_key = suite.signing_key(&unsafe { read_secret(secret) }?);
            let mut made = [0; KEY_MAX];
            let length = suite.public_key(&signing_key, &mut made).ok_or(Status::Fault)?;
            let length = length.max(KEY_LENGTH);
            // SAFETY: as many bytes by the caller.
            unsafe { places_at(key, length) }?.copy_from_slice(&made[..length]);
            Ok(())
        })
    })
}

/// Writes the digest of a public key of `length` bytes: 32 bytes, of which the network knows the
/// key with WAYWARDEN_LASAN_DIGESTS.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_digest(
    key: *const u8,
    length: usize,
    digest: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: as many bytes by the caller.
        let made = enrolled_digest(unsafe { bytes(key, length) }?);
        // SAFETY: 32 bytes by the caller.
        unsafe { write(digest.cast::<[u8; 32]>(), made) }
    })
}

/// Writes a certificate, signed with the key that belongs to the 32 bytes of the authority's
/// `secret`, and its length. Takes the time of a signature.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library, _SPACE for a
/// `capacity` of fewer bytes than `waywarden_lasan_lengths` says.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_issue(
    statement: *const LasanStatement,
    secret: *const u8,
    certificate: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> Status {
    answer(|| {
        writable(length)?;
        // SAFETY: by the caller.
        let (given, secret) = unsafe { (read(statement)?, read_secret(secret)?) };
        let made = with_suite!(given.suite, suite => {
            let signing_key = suite.signing_key(&secret);
            // SAFETY: as many bytes by the caller.
            let (key, out) = unsafe {
                (bytes(given.key, suite.sizes().public_key)?, places_at(certificate, capacity)?)
            };
            let stated = CertificateStatement {
                subject: Name(given.subject),
                role: match given.is_module {
                    true => SubjectRole::SecurityModule,
                    false => SubjectRole::Ecu,
                },
                validity: Validity {
                    first: NetworkTime(given.first),
                    last: NetworkTime(given.last),
                },
                key,
                authority: Name(given.authority),
            };
            let profile = LasanProfile::Hardened;
            issue(&suite, profile, &stated, &signing_key, out).map_err(|_| Status::Space)
        });
        // SAFETY: by the caller.
        unsafe { write(length, made?) }
    })
}
