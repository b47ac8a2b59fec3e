//! Selection of the signing pseudonym of a station: one until another one is requested.

use waywarden_v2x_signing::MessageSigner;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, Time64};

use crate::materials::{SigningIdentity, UsedCertificates};
use waywarden_v2x_service_protocol::{RefusedRequest, Status};

/// A certificate, and how it was used last.
pub(super) struct Identity {
    pub(super) identity: SigningIdentity,
    pub(super) sender: MessageSigner,
    /// True for a pseudonym that signs now and is recorded as used.
    pub(super) is_in_use: bool,
}

impl Identity {
    pub(super) fn new(identity: SigningIdentity) -> Self {
        Self {
            sender: MessageSigner::new(identity.credential.clone()),
            identity,
            is_in_use: false,
        }
    }

    fn id(&self) -> HashedId8 {
        self.identity.credential.id()
    }
}

/// Returns the pseudonyms that sign now.
pub(super) fn in_use(identities: &[Identity]) -> Vec<HashedId8> {
    let in_use = identities.iter().filter(|one| one.is_in_use);
    in_use.map(Identity::id).collect()
}

/// Has pseudonyms go on that signed before others were loaded: a vehicle changes its pseudonym
/// together with everything else, not because the service reads its files.
pub(super) fn keep(identities: &mut [Identity], before: &[HashedId8]) {
    for id in before {
        if let Some(at) = identities.iter().position(|one| one.id() == *id) {
            identities[at].is_in_use = true;
            put_first(identities, at);
        }
    }
}

/// Returns true if a certificate is valid at a time.
pub(super) fn is_valid(one: &Identity, now: Time64) -> bool {
    let (start, end) = one.identity.credential.certificate().validity();
    start <= now && now < end
}

/// Puts the pseudonyms of each name into the order in which they are to sign: those that were never
/// used, then the one that was used longest ago. Other certificates stay where they are.
pub(super) fn sort(identities: &mut [Identity], used: &dyn UsedCertificates) {
    let is_together = |one: &Identity, other: &Identity| {
        let are_pseudonyms = one.identity.is_pseudonym && other.identity.is_pseudonym;
        are_pseudonyms && one.identity.name == other.identity.name
    };
    for group in identities.chunk_by_mut(is_together) {
        group.sort_by_key(|one| {
            let age = used.age(one.id());
            std::cmp::Reverse(age.unwrap_or(usize::MAX))
        });
    }
}

/// Finds the pseudonym after the one at a place: of the same name, for the same application, valid
/// now. They are in the order in which they are to sign.
///
/// # Errors
/// [`Status::NoCertificate`] if there is none.
pub(super) fn next(
    identities: &[Identity],
    at: usize,
    psid: Psid,
    now: Time64,
) -> Result<usize, RefusedRequest> {
    let current = &identities[at].identity;
    if !current.is_pseudonym {
        let reason = format!(
            "the certificate of signer {} is no pseudonym; `pseudonyms = true` in [[signer]] makes \
             it one of several",
            current.name
        );
        return Err(RefusedRequest::new(Status::NoCertificate, reason));
    }
    let mut after = identities.iter().enumerate().skip(at + 1);
    let next = after.find(|(_, one)| {
        let is_other = one.identity.is_pseudonym && one.identity.name == current.name;
        is_other && one.identity.signs(psid) && is_valid(one, now)
    });
    next.map(|(next, _)| next).ok_or_else(|| {
        let reason = format!(
            "signer {} has no other pseudonym that is valid now",
            current.name
        );
        RefusedRequest::new(Status::NoCertificate, reason)
    })
}

/// Puts a pseudonym before the others of its name, which follow in their order with those before it
/// at the end.
pub(super) fn put_first(identities: &mut [Identity], next: usize) {
    let name = identities[next].identity.name.clone();
    let is_own = |one: &Identity| one.identity.is_pseudonym && one.identity.name == name;
    let Some(begin) = identities.iter().position(is_own) else {
        return;
    };
    let length = identities[begin..]
        .iter()
        .take_while(|one| is_own(one))
        .count();
    identities[begin..begin + length].rotate_left(next.saturating_sub(begin).min(length));
}
