//! A trust list as full lists and lists of changes make it.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use waywarden_v2x_wire::etsi102941::{CtlCommand, CtlDelete, CtlEntry, CtlFormat};
use waywarden_v2x_wire::hash::certificate_digest;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, IssuerIdentifier, Time32, Time64};

use super::MEMBERS_MAX;
use super::document::{AuthorityRole, DocumentKind, MAY_LIST_CENTRES};
use super::refusal::ImportRefusal;

/// Most by which a newer list's sequence number may be ahead, while the list in the store is not
/// overdue: numbers are counted modulo 256.
const AHEAD_MAX: u8 = 127;

/// A certificate of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) role: AuthorityRole,
    pub(super) certificate: Box<[u8]>,
    /// URL at which stations reach the authority.
    pub(super) access_point: Option<String>,
}

/// The latest state of a list.
#[derive(Clone, Debug)]
pub(super) struct TrustList {
    /// The full list, and the lists of changes since.
    pub(super) documents: Vec<Box<[u8]>>,
    pub(super) sequence: u8,
    pub(super) made: Time64,
    pub(super) next_update: Time64,
    pub(super) members: BTreeMap<HashedId8, Member>,
    /// Distribution centres: URLs of lists.
    pub(super) centres: BTreeSet<String>,
    /// Certificates that the latest list takes away by name.
    pub(super) deleted: BTreeSet<HashedId8>,
}

/// The signer of a list, and its permissions.
#[derive(Clone, Copy)]
pub(super) struct Signer {
    pub(super) kind: DocumentKind,
    /// Issuer of the list.
    pub(super) issuer: HashedId8,
    /// Entries that the signer's certificate permits.
    pub(super) bits: u8,
}

/// Relation of a list to the one in the store.
pub(super) enum Order {
    /// The store has it, or its contents.
    Known,
    /// The list comes next.
    Next,
}

impl TrustList {
    /// Returns true if the next list was due before this time.
    pub(super) fn is_overdue(&self, now: Time64) -> bool {
        now.0 > self.next_update.0
    }

    /// Compares a full list with the one in the store. Its generation time never goes back. Its
    /// sequence number neither, but for a list in the store that is overdue: then more than half
    /// of the numbers may have passed.
    pub(super) fn order_of_full(
        &self,
        found: &Self,
        bytes: &[u8],
        now: Time64,
    ) -> Result<Order, ImportRefusal> {
        if self.documents.iter().any(|known| **known == *bytes) {
            return Ok(Order::Known);
        }
        let old = ImportRefusal::Old {
            known: Some(self.sequence),
            found: Some(found.sequence),
        };
        if found.made < self.made {
            return Err(old);
        }
        match found.sequence.wrapping_sub(self.sequence) {
            // A full list and a list of changes with one number say the same.
            0 if self.members == found.members && self.centres == found.centres => Ok(Order::Next),
            0 => Err(ImportRefusal::Conflict(Some(self.sequence))),
            1..=AHEAD_MAX => Ok(Order::Next),
            _ if self.is_overdue(now) => Ok(Order::Next),
            _ => Err(old),
        }
    }

    /// Compares a list of changes with the one in the store, which it has to follow. One with the
    /// number of that list says the same, or another one than its issuer made for this store.
    pub(super) fn order_of_changes(
        &self,
        found: &CtlFormat<'_>,
        (made, bytes): (Time64, &[u8]),
        signer: Signer,
    ) -> Result<Order, ImportRefusal> {
        if self.documents.iter().any(|known| **known == *bytes) {
            return Ok(Order::Known);
        }
        let (known, sequence) = (Some(self.sequence), found.sequence);
        match found.sequence.wrapping_sub(self.sequence) {
            0 => {
                let next = self.changed(found, made, signer, bytes)?;
                match self.members == next.members && self.centres == next.centres {
                    true => Ok(Order::Known),
                    false => Err(ImportRefusal::Conflict(known)),
                }
            }
            1 if made >= self.made => Ok(Order::Next),
            2..=AHEAD_MAX if made >= self.made => Err(ImportRefusal::Gap {
                known,
                found: sequence,
            }),
            _ => Err(ImportRefusal::Old {
                known,
                found: Some(sequence),
            }),
        }
    }

    /// Makes a list of a full one.
    pub(super) fn full(
        format: &CtlFormat<'_>,
        made: Time64,
        signer: Signer,
        bytes: &[u8],
    ) -> Result<Self, ImportRefusal> {
        let empty = Self {
            documents: Vec::new(),
            sequence: format.sequence,
            made,
            next_update: microseconds(format.next_update),
            members: BTreeMap::new(),
            centres: BTreeSet::new(),
            deleted: BTreeSet::new(),
        };
        empty.changed(format, made, signer, bytes)
    }

    /// Makes the list that follows from this one.
    pub(super) fn changed(
        &self,
        format: &CtlFormat<'_>,
        made: Time64,
        signer: Signer,
        bytes: &[u8],
    ) -> Result<Self, ImportRefusal> {
        let mut next = Self {
            sequence: format.sequence,
            made,
            next_update: microseconds(format.next_update),
            deleted: BTreeSet::new(),
            ..self.clone()
        };
        if next.next_update <= made {
            return Err(ImportRefusal::Contents(
                "nextUpdate: not after the generation time",
            ));
        }
        next.documents.push(bytes.into());
        for command in &format.commands {
            let broken = |_| ImportRefusal::Contents("ctlCommands: cannot be read");
            match command.map_err(broken)? {
                CtlCommand::Add(entry) => next.add(&entry, signer)?,
                CtlCommand::Delete(_) if format.is_full.0 => {
                    return Err(ImportRefusal::Contents(
                        "ctlCommands: a full list deletes nothing",
                    ));
                }
                CtlCommand::Delete(CtlDelete::Certificate(id)) => {
                    next.members.remove(&id);
                    next.deleted.insert(id);
                }
                CtlCommand::Delete(CtlDelete::DistributionCentre(url)) => {
                    next.centres.remove(url.as_str());
                }
                // What else a list takes away would stay trusted.
                CtlCommand::Delete(CtlDelete::Unknown(..)) | CtlCommand::Unknown(..) => {
                    return Err(ImportRefusal::Contents(
                        "ctlCommands: a command that this version does not know",
                    ));
                }
            }
        }
        Ok(next)
    }

    fn add(&mut self, entry: &CtlEntry<'_>, signer: Signer) -> Result<(), ImportRefusal> {
        let (role, certificate, url) = match entry {
            CtlEntry::RootCa(own) => (AuthorityRole::RootCa, &own.certificate, None),
            CtlEntry::TrustListManager(own) => {
                let point = Some(own.access_point);
                (AuthorityRole::TrustListManager, &own.certificate, point)
            }
            CtlEntry::EnrolmentAuthority(own) => {
                let point = own.its_access_point;
                (AuthorityRole::EnrolmentAuthority, &own.certificate, point)
            }
            CtlEntry::AuthorizationAuthority(own) => {
                let role = AuthorityRole::AuthorizationAuthority;
                (role, &own.certificate, Some(own.access_point))
            }
            CtlEntry::DistributionCentre(own) => {
                if signer.bits & MAY_LIST_CENTRES == 0 {
                    return Err(ImportRefusal::Contents(
                        "appPermissions: the signer may not list distribution centres",
                    ));
                }
                self.centres.insert(own.url.as_str().to_owned());
                return self.check_size();
            }
            // An entry of another kind adds nothing that this version could trust.
            CtlEntry::Unknown(..) => return Ok(()),
        };
        let is_of_kind = match role {
            AuthorityRole::RootCa | AuthorityRole::TrustListManager => {
                signer.kind == DocumentKind::CtlTlm
            }
            _ => signer.kind == DocumentKind::CtlRca,
        };
        if !is_of_kind || signer.bits & role.bit() == 0 {
            return Err(ImportRefusal::NotPermitted(role));
        }
        let digest = certificate_digest(certificate);
        let id = digest.ok_or(ImportRefusal::Contents("a certificate on SM2"))?;
        check_issuer(certificate, role, signer)?;
        let member = Member {
            role,
            certificate: certificate.bytes().unwrap_or(&[]).into(),
            access_point: url.map(|url| url.as_str().to_owned()),
        };
        self.members.insert(id.id_8(), member);
        self.check_size()
    }

    fn check_size(&self) -> Result<(), ImportRefusal> {
        match self.members.len().max(self.centres.len()) <= MEMBERS_MAX {
            true => Ok(()),
            false => Err(ImportRefusal::TooMany),
        }
    }
}

/// Roots and managers issue themselves; other authorities are of the root whose list it is, so that
/// no root speaks for the authorities of another.
fn check_issuer(
    certificate: &Certificate<'_>,
    role: AuthorityRole,
    signer: Signer,
) -> Result<(), ImportRefusal> {
    let is_anchor = matches!(
        role,
        AuthorityRole::RootCa | AuthorityRole::TrustListManager
    );
    let fits = match certificate.issuer {
        IssuerIdentifier::SelfIssued(_) => is_anchor,
        IssuerIdentifier::Sha256AndDigest(id) | IssuerIdentifier::Sha384AndDigest(id) => {
            !is_anchor && id == signer.issuer
        }
        IssuerIdentifier::Sm3AndDigest(_) => false,
    };
    match (fits, is_anchor) {
        (true, _) => Ok(()),
        (false, true) => Err(ImportRefusal::Contents(
            "issuer: a listed root CA or TLM did not issue itself",
        )),
        (false, false) => Err(ImportRefusal::Contents(
            "issuer: a listed authority is of another root CA",
        )),
    }
}

/// The refusal of a list of changes without the list that it changes.
pub(super) fn gap(known: Option<u8>, format: &CtlFormat<'_>) -> ImportRefusal {
    ImportRefusal::Gap {
        known,
        found: format.sequence,
    }
}

pub(super) fn microseconds(time: Time32) -> Time64 {
    Time64(u64::from(time.0) * 1_000_000)
}
