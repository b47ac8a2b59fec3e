//! Documents verified against the store and taken into it.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{CtlFormat, EtsiTs102941DataContent};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::hash::{Digest, certificate_digest};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, IssuerIdentifier, Psid, Time64};

use super::document::{AuthorityRole, DocumentKind, anchor_role, list, name};
use super::document::{service_bits, signed_data};
use super::list::{Order, Signer, TrustList, gap};
use super::refusal::ImportRefusal;
use super::{MEMBERS_MAX, Manager, TrustStore};
use super::{WITHDRAWALS_MAX, Withdrawal};
use crate::context::{MessageSource, ReceptionContext};
use crate::verifier::Verifier;

/// Most documents of a trust list: one full list, and one list of changes for each sequence number.
const DOCUMENTS_MAX: usize = 256;

/// Inputs to the decision on a document, beside the store.
#[derive(Clone, Copy)]
pub struct ImportContext<'c> {
    /// Current time.
    pub now: Time64,
    /// Returns true if the owner trusts the certificate with this hash.
    pub approves: &'c dyn Fn(&Digest) -> bool,
    /// Makes a verifier that trusts no certificate, with the receiver's borders and limits.
    pub verifier: &'c dyn Fn() -> Verifier,
}

/// An imported document, and its effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Kind of the document.
    pub kind: DocumentKind,
    /// HashedId8 of the certificate, or of the manager or root that issues the list.
    pub id: HashedId8,
    /// Effect on the store.
    pub change: TrustChange,
}

/// The effect of a document on the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustChange {
    /// Nothing: the store has it.
    None,
    /// The certificate is new.
    Certificate,
    /// The list is new, or newer.
    List {
        /// Sequence number; `None` for a revocation list.
        sequence: Option<u8>,
        /// Number of certificates that are new in the list.
        added: usize,
        /// Number of certificates that only the previous list had.
        removed: usize,
        /// Due time of the next list.
        next_update: Time64,
    },
}

impl TrustStore {
    /// Verifies a document against what is in the store, and takes it in.
    ///
    /// # Errors
    /// [`ImportRefusal`]; the store is as it was then.
    pub fn import(
        &mut self,
        bytes: &[u8],
        context: &ImportContext<'_>,
    ) -> Result<Imported, ImportRefusal> {
        if let Ok(certificate) = parse::<Certificate<'_>>(bytes) {
            return match certificate.issuer {
                IssuerIdentifier::SelfIssued(_) => self.import_anchor(&certificate, bytes, context),
                _ => self.import_authority(&certificate, bytes, context),
            };
        }
        self.import_list(bytes, context)
    }

    /// Takes in a certificate that issued itself, if its owner approves it.
    fn import_anchor(
        &mut self,
        certificate: &Certificate<'_>,
        bytes: &[u8],
        context: &ImportContext<'_>,
    ) -> Result<Imported, ImportRefusal> {
        let own = &certificate.to_be_signed;
        let digest = certificate_digest(certificate).ok_or(ImportRefusal::Unknown)?;
        let id = digest.id_8();
        let role = anchor_role(own).ok_or(ImportRefusal::NotAnAuthority(id))?;
        let kind = match role {
            AuthorityRole::TrustListManager => DocumentKind::TrustListManager,
            _ => DocumentKind::RootCa,
        };
        let imported = |change| Ok(Imported { kind, id, change });
        let known = self.certificate(id);
        let is_same = known.is_some_and(|known| has_digest(known, &digest));
        if known.is_some() && !is_same {
            return Err(ImportRefusal::Contents(
                "HashedId8: another certificate in the store is called so",
            ));
        }
        let is_approved = (context.approves)(&digest);
        let is_anchor = self.managers.contains_key(&id) || self.roots.contains_key(&id);
        if is_same && (is_anchor || !is_approved) {
            return imported(TrustChange::None);
        }
        if !is_approved {
            return Err(ImportRefusal::NotApproved { role, digest });
        }
        (context.verifier)().add_trust_anchor(bytes)?;
        self.check_room()?;
        match role {
            AuthorityRole::TrustListManager => {
                let manager = Manager {
                    certificate: bytes.into(),
                    lineage: id,
                };
                self.managers.insert(id, manager);
            }
            _ => drop(self.roots.insert(id, bytes.into())),
        }
        imported(TrustChange::Certificate)
    }

    /// Takes in a certificate of an authority whose issuer is trusted.
    fn import_authority(
        &mut self,
        certificate: &Certificate<'_>,
        bytes: &[u8],
        context: &ImportContext<'_>,
    ) -> Result<Imported, ImportRefusal> {
        let digest = certificate_digest(certificate).ok_or(ImportRefusal::Unknown)?;
        let id = digest.id_8();
        if certificate.to_be_signed.cert_issue_permissions.is_none() {
            return Err(ImportRefusal::NotAnAuthority(id));
        }
        let mut verifier = (context.verifier)();
        let _ = self.install(&mut verifier, context.now);
        verifier.verify_certificate(bytes)?;
        let kind = DocumentKind::Authority;
        let change = match self.certificate(id) {
            Some(_) => TrustChange::None,
            None => {
                self.check_room()?;
                self.authorities.insert(id, bytes.into());
                TrustChange::Certificate
            }
        };
        Ok(Imported { kind, id, change })
    }

    fn check_room(&self) -> Result<(), ImportRefusal> {
        let held = self.managers.len() + self.roots.len() + self.authorities.len();
        match held < MEMBERS_MAX {
            true => Ok(()),
            false => Err(ImportRefusal::TooMany),
        }
    }

    /// Takes in a signed list.
    fn import_list(
        &mut self,
        bytes: &[u8],
        context: &ImportContext<'_>,
    ) -> Result<Imported, ImportRefusal> {
        // Read twice: what is unsigned only says that this is a list at all.
        let unverified = signed_data(bytes).ok_or(ImportRefusal::Unknown)?;
        list(&unverified).ok_or(ImportRefusal::Unknown)?;
        let mut verifier = (context.verifier)();
        let _ = self.install(&mut verifier, context.now);
        let reception = ReceptionContext {
            source: MessageSource::File,
            ..ReceptionContext::at(context.now)
        };
        let accepted = verifier.verify(bytes, &reception)?;
        let (content, made) = list(&accepted.data).ok_or(ImportRefusal::Unknown)?;
        let signer = accepted.signer.id();
        let view = accepted.signer.view().map_err(crate::Refusal::from)?;
        let bits = |application: Psid| {
            let bits = service_bits(&view.to_be_signed, application);
            bits.ok_or(ImportRefusal::Contents(
                "appPermissions: the signer's are not of version 1",
            ))
        };
        match content {
            EtsiTs102941DataContent::CertificateTrustListTlm(own) => {
                let kind = DocumentKind::CtlTlm;
                let manager = self.managers.get(&signer);
                let manager = manager.ok_or(ImportRefusal::WrongSigner { kind, signer })?;
                let by = Signer {
                    kind,
                    issuer: manager.lineage,
                    bits: bits(its_aid::CTL)?,
                };
                self.apply(&own, (made, bytes), by, signer, context)
            }
            EtsiTs102941DataContent::CertificateTrustListRca(own) => {
                let kind = DocumentKind::CtlRca;
                self.check_root(kind, signer, accepted.signer.issuer().is_none())?;
                let by = Signer {
                    kind,
                    issuer: signer,
                    bits: bits(its_aid::CTL)?,
                };
                self.apply(&own, (made, bytes), by, signer, context)
            }
            EtsiTs102941DataContent::CertificateRevocationList(own) => {
                let kind = DocumentKind::Crl;
                self.check_root(kind, signer, accepted.signer.issuer().is_none())?;
                bits(its_aid::CRL)?;
                self.apply_crl(&own, bytes, signer, context.now)
            }
            // A request or a response.
            _ => Err(ImportRefusal::Unknown),
        }
    }

    /// A list of a root is signed by a root, which the verifier has taken as a trust anchor.
    fn check_root(
        &self,
        kind: DocumentKind,
        signer: HashedId8,
        is_anchor: bool,
    ) -> Result<(), ImportRefusal> {
        match is_anchor && !self.managers.contains_key(&signer) {
            true => Ok(()),
            false => Err(ImportRefusal::WrongSigner { kind, signer }),
        }
    }

    fn apply(
        &mut self,
        format: &CtlFormat<'_>,
        (made, bytes): (Time64, &[u8]),
        by: Signer,
        signer: HashedId8,
        context: &ImportContext<'_>,
    ) -> Result<Imported, ImportRefusal> {
        let key = (by.kind, by.issuer);
        let known = self.lists.get(&key);
        let (next, order) = match (format.is_full.0, known) {
            (true, known) => {
                let next = TrustList::full(format, made, by, bytes)?;
                let order = known.map(|known| known.order_of_full(&next, bytes, context.now));
                (next, order.unwrap_or(Ok(Order::Next))?)
            }
            (false, Some(known)) => {
                let order = known.order_of_changes(format, (made, bytes), by)?;
                let next = match order {
                    Order::Known => known.clone(),
                    Order::Next => known.changed(format, made, by, bytes)?,
                };
                (next, order)
            }
            (false, None) => return Err(gap(None, format)),
        };
        let imported = |change| Imported {
            kind: by.kind,
            id: by.issuer,
            change,
        };
        if matches!(order, Order::Known) {
            return Ok(imported(TrustChange::None));
        }
        if next.documents.len() > DOCUMENTS_MAX {
            return Err(ImportRefusal::TooMany);
        }
        let empty = BTreeMap::new();
        let before = known.map_or(&empty, |known| &known.members);
        let (old, new) = (before, &next.members);
        let gone: Vec<Withdrawal> = old
            .iter()
            .filter(|(id, _)| !new.contains_key(id))
            .filter_map(|(id, member)| withdrawal(*id, member.role, &member.certificate, by, &next))
            .collect();
        let change = TrustChange::List {
            sequence: Some(next.sequence),
            added: new.keys().filter(|id| !old.contains_key(id)).count(),
            removed: old.keys().filter(|id| !new.contains_key(id)).count(),
            next_update: next.next_update,
        };
        self.withdraw(gone, &next, by, context.now)?;
        if by.kind == DocumentKind::CtlTlm {
            self.change_managers(&next, by, signer, context);
        }
        self.lists.insert(key, next);
        Ok(imported(change))
    }

    /// Remembers what a list has no more, and forgets what it has again.
    fn withdraw(
        &mut self,
        gone: Vec<Withdrawal>,
        next: &TrustList,
        by: Signer,
        now: Time64,
    ) -> Result<(), ImportRefusal> {
        let is_kept = |key: &(DocumentKind, HashedId8, HashedId8), one: &Withdrawal| {
            let is_back =
                (key.0, key.1) == (by.kind, by.issuer) && next.members.contains_key(&key.2);
            !is_back && one.validity.1 > now
        };
        let kept = self.withdrawals.iter();
        let kept = kept.filter(|(key, one)| is_kept(key, one)).count();
        if kept + gone.len() > WITHDRAWALS_MAX {
            return Err(ImportRefusal::TooMany);
        }
        self.withdrawals.retain(|key, one| is_kept(key, one));
        for one in gone {
            self.restore_withdrawal(one);
        }
        Ok(())
    }

    /// Takes the managers that a list names as trusted, and drops those of the same lineage that it
    /// names no more. Who signed the list stays, unless the list deletes it by name and names
    /// another.
    fn change_managers(
        &mut self,
        next: &TrustList,
        by: Signer,
        signer: HashedId8,
        context: &ImportContext<'_>,
    ) {
        for (id, member) in &next.members {
            let is_manager = member.role == AuthorityRole::TrustListManager;
            if is_manager && !self.managers.contains_key(id) {
                let verified = (context.verifier)().add_trust_anchor(&member.certificate);
                if verified.is_ok() {
                    let manager = Manager {
                        certificate: member.certificate.clone(),
                        lineage: by.issuer,
                    };
                    self.managers.insert(*id, manager);
                }
            }
        }
        let is_listed = |id: &HashedId8| next.members.contains_key(id);
        let has_other = self
            .managers
            .iter()
            .any(|(id, one)| one.lineage == by.issuer && *id != signer && is_listed(id));
        let is_deleted = has_other && next.deleted.contains(&signer);
        let stays = |id: &HashedId8| is_listed(id) || (*id == signer && !is_deleted);
        let gone = self.managers.iter();
        let gone: Vec<(HashedId8, Box<[u8]>)> = gone
            .filter(|(id, one)| one.lineage == by.issuer && !stays(id))
            .map(|(id, one)| (*id, one.certificate.clone()))
            .collect();
        for (id, certificate) in gone {
            self.managers.remove(&id);
            let role = AuthorityRole::TrustListManager;
            if let Some(one) = withdrawal(id, role, &certificate, by, next) {
                self.restore_withdrawal(one);
            }
        }
    }
}

fn has_digest(certificate: &[u8], digest: &Digest) -> bool {
    let known = parse::<Certificate<'_>>(certificate).ok();
    known.and_then(|known| certificate_digest(&known)).as_ref() == Some(digest)
}

/// Returns the record of a certificate that is no longer in a list.
fn withdrawal(
    id: HashedId8,
    role: AuthorityRole,
    certificate: &[u8],
    by: Signer,
    list: &TrustList,
) -> Option<Withdrawal> {
    let view: Certificate<'_> = parse(certificate).ok()?;
    let period = view.to_be_signed.validity_period;
    Some(Withdrawal {
        id,
        role,
        name: name(&view.to_be_signed),
        validity: (period.start(), period.end()),
        list: by.kind,
        issuer: by.issuer,
        sequence: list.sequence,
    })
}
