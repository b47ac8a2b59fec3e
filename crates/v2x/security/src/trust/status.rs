//! Trust status of a store's certificates at a time, with the reasons for refusals.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, IssuerIdentifier, Time64};

use super::TrustStore;
use super::document::{AuthorityRole, DocumentKind, name};
use crate::result::{Refusal, ResultCode};
use crate::verifier::Verifier;

/// Trust status of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// The certificate is trusted.
    Trusted,
    /// Its period has not begun.
    NotYetValid,
    /// Its period is over.
    Expired,
    /// The list that names it should have been replaced by now.
    Overdue(DocumentKind, HashedId8),
    /// A list had it, and the list with this sequence number has it no more.
    Withdrawn(DocumentKind, HashedId8, u8),
    /// The revocation list of this root has it.
    Revoked(HashedId8),
    /// It does not verify, or its issuer is not trusted.
    Refused(Refusal),
}

/// A certificate of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCertificate {
    /// HashedId8 of the certificate.
    pub id: HashedId8,
    /// Role of the holder.
    pub role: AuthorityRole,
    /// Name of the holder.
    pub name: Option<String>,
    /// Issuer by whose certificate it is signed; `None` if it issued itself, or is not known.
    pub issuer: Option<HashedId8>,
    /// Start of validity and its end (exclusive); `None` if only the hash is known.
    pub validity: Option<(Time64, Time64)>,
    /// List that names it; `None` for the owner's approval.
    pub list: Option<(DocumentKind, HashedId8)>,
    /// URL of the authority, if a list gives one.
    pub access_point: Option<String>,
    /// Trust status.
    pub state: TrustState,
}

/// A list of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListStatus {
    /// Kind of the list.
    pub kind: DocumentKind,
    /// Issuer of the list.
    pub issuer: HashedId8,
    /// Sequence number; `None` for a revocation list.
    pub sequence: Option<u8>,
    /// Generation time of the list.
    pub made: Time64,
    /// Due time of the next list.
    pub next_update: Time64,
    /// Number of certificates in the list.
    pub entries: usize,
    /// Distribution centres: URLs of lists.
    pub centres: Vec<String>,
    /// True if the next list is overdue.
    pub is_overdue: bool,
}

/// Trust status of all certificates and lists of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustReport {
    /// Each certificate once: managers first, roots, authorities, then what was withdrawn.
    pub certificates: Vec<StoredCertificate>,
    /// Lists of the store.
    pub lists: Vec<ListStatus>,
}

/// A certificate that may be taken.
struct Candidate<'s> {
    role: AuthorityRole,
    bytes: &'s [u8],
    list: Option<(DocumentKind, HashedId8)>,
    access_point: Option<&'s str>,
    is_overdue: bool,
}

impl TrustStore {
    /// Makes a verifier trust what is trusted at this time, and refuse what was revoked or
    /// withdrawn wherever it comes from. Returns what became of each certificate.
    pub fn install(&self, verifier: &mut Verifier, now: Time64) -> TrustReport {
        for (root, list) in &self.revocations {
            for id in &list.entries {
                verifier.revocations_mut().revoke_authority(*root, *id);
            }
        }
        for one in self.withdrawals.values() {
            if one.list == DocumentKind::CtlRca {
                let revocations = verifier.revocations_mut();
                revocations.revoke_authority(one.issuer, one.id);
            }
        }
        let mut found: BTreeMap<(AuthorityRole, HashedId8), StoredCertificate> = BTreeMap::new();
        let mut waiting = self.candidates(now);
        // Anchors first; then issuers before those whom they issued to, until no more can be.
        loop {
            let before = waiting.len();
            waiting.retain(|(id, candidate)| {
                let state = self.try_install(*id, candidate, verifier, now);
                let is_final = !is_missing(&state);
                let status = status(*id, candidate, state);
                let entry = found.entry((candidate.role, *id));
                let known = entry.or_insert_with(|| status.clone());
                if known.state != TrustState::Trusted {
                    *known = status;
                }
                !is_final
            });
            if waiting.len() == before {
                break;
            }
        }
        let known: Vec<HashedId8> = found.keys().map(|(_, id)| *id).collect();
        let mut certificates: Vec<StoredCertificate> = found.into_values().collect();
        certificates.extend(self.gone(&known));
        TrustReport {
            certificates,
            lists: self.list_statuses(now),
        }
    }

    /// Every certificate that the store may trust, as often as it is named.
    fn candidates(&self, now: Time64) -> Vec<(HashedId8, Candidate<'_>)> {
        let own = |role, bytes| Candidate {
            role,
            bytes,
            list: None,
            access_point: None,
            is_overdue: false,
        };
        let managers = self.managers.iter().map(|(id, one)| {
            let candidate = own(AuthorityRole::TrustListManager, &one.certificate);
            let list = (one.lineage != *id).then_some((DocumentKind::CtlTlm, one.lineage));
            (*id, Candidate { list, ..candidate })
        });
        let roots = self.roots.iter();
        let roots = roots.map(|(id, bytes)| (*id, own(AuthorityRole::RootCa, bytes)));
        let listed = self.lists.iter().flat_map(|((kind, issuer), list)| {
            let is_overdue = list.is_overdue(now);
            let members = list.members.iter();
            let members = members.filter(|(_, one)| one.role != AuthorityRole::TrustListManager);
            members.map(move |(id, member)| {
                let candidate = Candidate {
                    role: member.role,
                    bytes: &member.certificate,
                    list: Some((*kind, *issuer)),
                    access_point: member.access_point.as_deref(),
                    is_overdue,
                };
                (*id, candidate)
            })
        });
        let authorities = self.authorities.iter();
        let authorities = authorities.map(|(id, bytes)| (*id, own(AuthorityRole::Other, bytes)));
        let mut all: Vec<_> = managers
            .chain(roots)
            .chain(listed)
            .chain(authorities)
            .collect();
        all.sort_by_key(|(_, candidate)| candidate.role);
        // A list says what an authority is, which a file does not.
        let is_listed = |id: HashedId8| {
            let mut lists = self.lists.values();
            lists.any(|list| list.members.contains_key(&id))
        };
        all.retain(|(id, one)| one.role != AuthorityRole::Other || !is_listed(*id));
        all
    }

    fn try_install(
        &self,
        id: HashedId8,
        candidate: &Candidate<'_>,
        verifier: &mut Verifier,
        now: Time64,
    ) -> TrustState {
        let view: Certificate<'_> = match parse(candidate.bytes) {
            Ok(view) => view,
            Err(error) => return TrustState::Refused(error.into()),
        };
        let root = issuer(&view).unwrap_or(id);
        if let Some(list) = self.revocations.get(&root)
            && list.entries.contains(&id)
        {
            return TrustState::Revoked(root);
        }
        if let Some(one) = self.withdrawals.get(&(DocumentKind::CtlRca, root, id)) {
            return TrustState::Withdrawn(one.list, one.issuer, one.sequence);
        }
        let period = view.to_be_signed.validity_period;
        if now >= period.end() {
            return TrustState::Expired;
        }
        if now < period.start() {
            return TrustState::NotYetValid;
        }
        if let Some((kind, issuer)) = candidate.list
            && candidate.is_overdue
        {
            return TrustState::Overdue(kind, issuer);
        }
        let added = match view.issuer {
            IssuerIdentifier::SelfIssued(_) => verifier.add_trust_anchor(candidate.bytes),
            _ => verifier.add_certificate(candidate.bytes),
        };
        match added {
            Ok(_) => TrustState::Trusted,
            Err(refusal) => TrustState::Refused(refusal),
        }
    }

    /// Returns the withdrawn and revoked certificates that are not in the store otherwise.
    fn gone(&self, known: &[HashedId8]) -> Vec<StoredCertificate> {
        let withdrawn = self.withdrawals.values().map(|one| StoredCertificate {
            id: one.id,
            role: one.role,
            name: one.name.clone(),
            issuer: (one.list == DocumentKind::CtlRca).then_some(one.issuer),
            validity: Some(one.validity),
            list: Some((one.list, one.issuer)),
            access_point: None,
            state: match self.revocations.get(&one.issuer) {
                Some(list) if list.entries.contains(&one.id) => TrustState::Revoked(one.issuer),
                _ => TrustState::Withdrawn(one.list, one.issuer, one.sequence),
            },
        });
        let is_withdrawn = |root: HashedId8, id: HashedId8| {
            let key = (DocumentKind::CtlRca, root, id);
            self.withdrawals.contains_key(&key)
        };
        let revoked = self.revocations.iter().flat_map(|(root, list)| {
            let entries = list.entries.iter().copied();
            let unknown = entries.filter(move |id| !is_withdrawn(*root, *id));
            unknown.map(|id| StoredCertificate {
                id,
                role: AuthorityRole::Other,
                name: None,
                issuer: Some(*root),
                validity: None,
                list: None,
                access_point: None,
                state: TrustState::Revoked(*root),
            })
        });
        let all = withdrawn.chain(revoked);
        all.filter(|one| !known.contains(&one.id)).collect()
    }

    fn list_statuses(&self, now: Time64) -> Vec<ListStatus> {
        let lists = self.lists.iter().map(|((kind, issuer), list)| ListStatus {
            kind: *kind,
            issuer: *issuer,
            sequence: Some(list.sequence),
            made: list.made,
            next_update: list.next_update,
            entries: list.members.len(),
            centres: list.centres.iter().cloned().collect(),
            is_overdue: list.is_overdue(now),
        });
        let revocations = self.revocations.iter().map(|(root, list)| ListStatus {
            kind: DocumentKind::Crl,
            issuer: *root,
            sequence: None,
            made: list.made,
            next_update: list.next_update,
            entries: list.entries.len(),
            centres: Vec::new(),
            is_overdue: now.0 > list.next_update.0,
        });
        lists.chain(revocations).collect()
    }
}

fn status(id: HashedId8, candidate: &Candidate<'_>, state: TrustState) -> StoredCertificate {
    let view = parse::<Certificate<'_>>(candidate.bytes).ok();
    StoredCertificate {
        id,
        role: candidate.role,
        name: view.as_ref().and_then(|view| name(&view.to_be_signed)),
        issuer: view.as_ref().and_then(issuer),
        validity: view.as_ref().map(|view| {
            let period = view.to_be_signed.validity_period;
            (period.start(), period.end())
        }),
        list: candidate.list,
        access_point: candidate.access_point.map(String::from),
        state,
    }
}

fn issuer(certificate: &Certificate<'_>) -> Option<HashedId8> {
    match certificate.issuer {
        IssuerIdentifier::SelfIssued(_) => None,
        IssuerIdentifier::Sha256AndDigest(id)
        | IssuerIdentifier::Sha384AndDigest(id)
        | IssuerIdentifier::Sm3AndDigest(id) => Some(id),
    }
}

/// Returns true if another certificate may make this one acceptable.
fn is_missing(state: &TrustState) -> bool {
    matches!(state, TrustState::Refused(refusal)
        if refusal.code == ResultCode::ChainNotEnoughInformationToConstructChain)
}
