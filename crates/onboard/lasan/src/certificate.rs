//! Certificates in compact form: what a certificate authority says of a key.
//!
//! As published they are subject, key, authority and a signature over these three
//! \[LASAN, testbed\]. `hardened` puts in what is missing there: whether the subject is the
//! security module or an ECU, so that no ECU can play the security module, and from when to when
//! it holds.

#[cfg(test)]
mod tests;

use core::fmt;

use super::name::NAME_LENGTH;
use super::name::{Name, NetworkTime};
use super::profile::LasanProfile;
use super::suites::LasanSuite;
use waywarden_key_suites::symmetric::sha256;
use waywarden_key_suites::{Meter, RecordedOperations};

/// The first and the last time at which something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first time at which it holds.
    pub first: NetworkTime,
    /// The last time at which it holds.
    pub last: NetworkTime,
}

impl Validity {
    /// At all times.
    pub const ALWAYS: Validity = Validity {
        first: NetworkTime(0),
        last: NetworkTime::MAX,
    };

    /// Says whether it holds at a time.
    ///
    /// # Errors
    /// [`CertificateError::NotYet`] or [`CertificateError::Expired`].
    pub fn check(&self, time: NetworkTime) -> Result<(), CertificateError> {
        if time < self.first {
            return Err(CertificateError::NotYet);
        }
        match time <= self.last {
            true => Ok(()),
            false => Err(CertificateError::Expired),
        }
    }
}

/// The role of a certificate's subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubjectRole {
    /// The security module: the root of trust of the network.
    SecurityModule,
    /// An ECU.
    Ecu,
}

impl SubjectRole {
    const fn code(self) -> u8 {
        match self {
            SubjectRole::SecurityModule => 1,
            SubjectRole::Ecu => 2,
        }
    }
}

/// The content of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateStatement<'a> {
    /// The owner of the key.
    pub subject: Name,
    /// The subject's role; absent as published.
    pub role: SubjectRole,
    /// The time in which it holds; always as published.
    pub validity: Validity,
    /// The public key.
    pub key: &'a [u8],
    /// The issuer.
    pub authority: Name,
}

/// An error of checking or issuing a certificate: the first cause that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateError {
    /// It does not have the length that a certificate of this kind has, or the buffer is too short.
    Length,
    /// It names another subject than the one who presents it.
    Subject,
    /// The subject is not what it claims to be.
    Role,
    /// It was issued by another authority.
    Authority,
    /// It does not hold yet.
    NotYet,
    /// It does not hold any more.
    Expired,
    /// The signature is not the authority's.
    Signature,
}

/// The content that a certificate must have to be accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<'a> {
    pub(super) profile: LasanProfile,
    pub(super) subject: Name,
    pub(super) role: SubjectRole,
    pub(super) key_length: usize,
    /// The authority's name and public key.
    pub(super) authority: (Name, &'a [u8]),
    /// The time, where it is known.
    pub(super) time: Option<NetworkTime>,
}

/// Writes a certificate into `out` and returns its length.
///
/// # Errors
/// [`CertificateError::Length`] if `out` is too short.
pub fn issue<S: LasanSuite>(
    suite: &S,
    profile: LasanProfile,
    statement: &CertificateStatement<'_>,
    key: &S::SigningKey,
    out: &mut [u8],
) -> Result<usize, CertificateError> {
    let mut writer = Writer { out, length: 0 };
    writer.put(&statement.subject.0)?;
    if !profile.is_as_published() {
        writer.put(&[statement.role.code()])?;
        writer.put(&statement.validity.first.0.to_be_bytes())?;
        writer.put(&statement.validity.last.0.to_be_bytes())?;
    }
    writer.put(statement.key)?;
    writer.put(&statement.authority.0)?;
    let (body, rest) = writer.out.split_at_mut(writer.length);
    let (meter, identifier) = (&mut RecordedOperations::new(), suite.identifier());
    let signature = signed(profile, identifier, body, meter, |message, meter| {
        suite.sign(meter, key, message, rest)
    });
    Ok(writer.length + signature.ok_or(CertificateError::Length)?)
}

/// Reads a certificate and checks it, cheap things first; returns the key that it certifies and
/// from when to when it does.
pub(super) fn verify<'a, S: LasanSuite>(
    suite: &S,
    meter: &mut impl Meter,
    bytes: &'a [u8],
    expected: &Expected<'_>,
) -> Result<(&'a [u8], Validity), CertificateError> {
    let mut reader = Reader(bytes);
    let subject = reader.take(NAME_LENGTH)?;
    let mut role = expected.role.code();
    let mut validity = Validity::ALWAYS;
    if !expected.profile.is_as_published() {
        role = reader.array::<1>()?[0];
        let mut time = || Ok(NetworkTime(u64::from_be_bytes(reader.array()?)));
        validity = Validity {
            first: time()?,
            last: time()?,
        };
    }
    let key = reader.take(expected.key_length)?;
    let authority = reader.take(NAME_LENGTH)?;
    let body = &bytes[..bytes.len() - reader.0.len()];
    let signature = reader.take(suite.sizes().signature)?;
    let ended = reader.0.is_empty();
    let checks = [
        (ended, CertificateError::Length),
        (subject == expected.subject.0, CertificateError::Subject),
        (role == expected.role.code(), CertificateError::Role),
        (
            authority == expected.authority.0.0,
            CertificateError::Authority,
        ),
    ];
    if let Some((_, error)) = checks.into_iter().find(|(holds, _)| !holds) {
        return Err(error);
    }
    if let Some(time) = expected.time {
        validity.check(time)?;
    }
    let (profile, identifier) = (expected.profile, suite.identifier());
    let verified = signed(profile, identifier, body, meter, |message, meter| {
        suite.verify(meter, expected.authority.1, message, signature)
    });
    verified.map_err(|_| CertificateError::Signature)?;
    Ok((key, validity))
}

/// Returns the key in a certificate of `hardened` that was verified before.
pub(super) fn key_in(bytes: &[u8], length: usize) -> &[u8] {
    let from = NAME_LENGTH + 1 + 2 * 8;
    bytes.get(from..from + length).unwrap_or(&[])
}

/// Returns when a certificate of `hardened` holds: one's own, or one that was verified before.
pub(super) fn validity_in(bytes: &[u8]) -> Option<Validity> {
    let mut reader = Reader(bytes.get(NAME_LENGTH + 1..)?);
    let mut time = || Some(NetworkTime(u64::from_be_bytes(reader.array().ok()?)));
    Some(Validity {
        first: time()?,
        last: time()?,
    })
}

/// Does something with what is signed: as published the body itself, else its digest under a label
/// and the suite, so that it can be mistaken for nothing else that is signed.
fn signed<M: Meter, T>(
    profile: LasanProfile,
    suite: u8,
    body: &[u8],
    meter: &mut M,
    with: impl FnOnce(&[u8], &mut M) -> T,
) -> T {
    if profile.is_as_published() {
        return with(body, meter);
    }
    let digest = sha256(meter, &[b"waywarden-lasan-1 certificate", &[suite], body]);
    with(&digest, meter)
}

struct Writer<'a> {
    out: &'a mut [u8],
    length: usize,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), CertificateError> {
        let end = self.length + bytes.len();
        let place = self.out.get_mut(self.length..end);
        place
            .ok_or(CertificateError::Length)?
            .copy_from_slice(bytes);
        self.length = end;
        Ok(())
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], CertificateError> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(CertificateError::Length)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CertificateError> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| CertificateError::Length)
    }
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "the certificate has the wrong length",
            Self::Subject => "the certificate names another subject",
            Self::Role => "the subject of the certificate has another role",
            Self::Authority => "the certificate is of another authority",
            Self::NotYet => "the certificate does not hold yet",
            Self::Expired => "the certificate has expired",
            Self::Signature => "the signature of the certificate is not its authority's",
        })
    }
}

impl core::error::Error for CertificateError {}
