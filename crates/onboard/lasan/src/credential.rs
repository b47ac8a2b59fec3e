//! Credentials: a key is known by a certificate, by its digest, or because it is enrolled.

use super::certificate::{self, Expected, SubjectRole, Validity};
use super::event::HandshakeFailure;
use super::name::{Name, NetworkTime};
use super::profile::{Credentials, LasanProfile};
use super::settings::{NetworkSettings, PartyDirectory};
use super::suites::LasanSuite;
use super::transcript::{Digest, key_digest};
use waywarden_key_roles::Address;
use waywarden_key_suites::{Meter, NoMeter, Secret};

/// The party that presents a credential, and the facts known of it beforehand.
pub(super) struct Presented<'a> {
    pub(super) name: Name,
    pub(super) role: SubjectRole,
    pub(super) key_length: usize,
    pub(super) authority: (Name, &'a [u8]),
    pub(super) time: Option<NetworkTime>,
    /// The enrolled key or digest.
    pub(super) enrolled: &'a [u8],
}

/// Returns true if keys are known by certificates, as they always are as published.
pub(super) const fn by_certificate(settings: &NetworkSettings) -> bool {
    settings.profile.is_as_published() || matches!(settings.credentials, Credentials::Certificates)
}

/// Returns the key in a credential, if it is to be believed.
pub(super) fn key<'a, S: LasanSuite>(
    suite: &S,
    meter: &mut impl Meter,
    settings: &NetworkSettings,
    bytes: &'a [u8],
    presented: &Presented<'_>,
) -> Result<(&'a [u8], Validity), HandshakeFailure> {
    if !by_certificate(settings) {
        // The enrolled digest is public, and so is the key.
        let right = key_digest(meter, bytes)[..] == *presented.enrolled;
        return match right {
            true => Ok((bytes, Validity::ALWAYS)),
            false => Err(HandshakeFailure::Key),
        };
    }
    let expected = Expected {
        profile: settings.profile,
        subject: presented.name,
        role: presented.role,
        key_length: presented.key_length,
        authority: presented.authority,
        time: presented.time,
    };
    certificate::verify(suite, meter, bytes, &expected).map_err(HandshakeFailure::Certificate)
}

/// Returns the digest of one's own key.
pub(super) fn own_digest<D: PartyDirectory>(
    meter: &mut impl Meter,
    directory: &D,
    me: Address,
) -> Digest {
    let Some(party) = directory.find(me) else {
        return [0; 32];
    };
    match (directory.settings().credentials, party.key.try_into()) {
        (Credentials::Digests, Ok(digest)) => digest,
        _ => key_digest(meter, party.key),
    }
}

/// Returns the credential that a party presents.
pub(super) fn own<D: PartyDirectory>(directory: &D, me: Address) -> &[u8] {
    directory.find(me).map_or(&[], |party| party.credential)
}

/// Returns when what one presents holds: at all times but for certificates that say so.
pub(super) fn own_validity<D: PartyDirectory>(directory: &D, me: Address) -> Validity {
    let settings = directory.settings();
    if settings.profile.is_as_published() || !by_certificate(settings) {
        return Validity::ALWAYS;
    }
    certificate::validity_in(own(directory, me)).unwrap_or(Validity::ALWAYS)
}

/// Writes the public key that belongs to a secret into `out`, and returns its length: what the
/// others enrol. An ECU's in `compact` is the offer that it is proved by, all others are keys of
/// the signature.
///
/// Takes the time of a key generation. None if `out` is too short.
pub fn public_key<S: LasanSuite>(
    suite: &S,
    profile: LasanProfile,
    role: SubjectRole,
    secret: &Secret,
    out: &mut [u8],
) -> Option<usize> {
    match (profile, role) {
        (LasanProfile::Compact, SubjectRole::Ecu) => {
            let offered = suite.offer(&mut NoMeter, secret, out);
            offered.map(|_| suite.sizes().offer)
        }
        _ => suite.public_key(&suite.signing_key(secret), out),
    }
}

/// Returns the digest that is enrolled for a public key.
#[must_use]
pub fn enrolled_digest(key: &[u8]) -> [u8; 32] {
    key_digest(&mut NoMeter, key)
}
