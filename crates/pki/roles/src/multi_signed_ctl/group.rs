//! A receiver's state: the electors whose signatures count, and the list that is in force.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use waywarden_v2x_security::Verified;
use waywarden_v2x_security::hash::{Digest, HashFunction, certificate_digest, hash};
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Ieee1609Dot2Data, Time32, Time64};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    CtlSequenceNumber, ElectorGroupId, FullIeeeTbsCtl, MultiSignedCtl,
};

use super::electors::{add, is_in, self_issued};
use super::entries::{
    check_contradictions, elector_hash, entries_of, hashes, last_32, name_entries, record,
};
use super::fault::{CtlFault, ElectorRefusal, EntryList};
use super::report::{CtlReport, ListedCertificate, SignatureOutcome, SignatureReport};
use super::signature::{NamedSigner, faults, signed, signer};
use super::{ENTRIES_MAX, SIGNATURES_MAX};

/// The list that a group holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatestCtl {
    /// Sequence number of the list.
    pub sequence: CtlSequenceNumber,
    /// Time from which it counts.
    pub effective: Time32,
    /// The hash of its contents.
    digest: Digest,
}

/// A trust list that was judged, and the group as it is after that list.
#[derive(Clone, Debug)]
pub struct CheckedCtl {
    report: CtlReport,
    /// `None`: no quorum signed the list.
    next: Option<ElectorGroup>,
}

impl Deref for CheckedCtl {
    type Target = CtlReport;

    fn deref(&self) -> &CtlReport {
        &self.report
    }
}

/// Electors whose signatures count, and what they have signed so far.
#[derive(Clone, Debug)]
pub struct ElectorGroup {
    electors: Vec<Arc<Verified>>,
    quorum: usize,
    id: Option<ElectorGroupId>,
    latest: Option<LatestCtl>,
    roots: Vec<Arc<Verified>>,
    /// The hashes of all roots that the list in force approves.
    approved_roots: BTreeSet<Vec<u8>>,
}

impl ElectorGroup {
    /// Trusts electors by their certificates, of which `quorum` have to sign. The first list that
    /// they sign says what group they are; [`of_group`](Self::of_group) says so beforehand.
    ///
    /// # Errors
    /// [`ElectorRefusal`].
    pub fn new(certificates: &[&[u8]], quorum: usize) -> Result<Self, ElectorRefusal> {
        let mut electors = Vec::new();
        for (at, certificate) in certificates.iter().enumerate() {
            let verified = self_issued(certificate);
            let verified = verified.map_err(|why| ElectorRefusal::Certificate(at, why))?;
            add(&mut electors, verified);
        }
        if quorum == 0 || quorum > electors.len() {
            return Err(ElectorRefusal::Quorum(quorum, electors.len()));
        }
        Ok(Self {
            electors,
            quorum,
            ..Self::without_electors()
        })
    }

    /// Knows no elector: lists can be shown, and none is accepted.
    #[must_use]
    pub fn without_electors() -> Self {
        Self {
            electors: Vec::new(),
            quorum: 1,
            id: None,
            latest: None,
            roots: Vec::new(),
            approved_roots: BTreeSet::new(),
        }
    }

    /// Takes lists of this group alone.
    #[must_use]
    pub fn of_group(mut self, id: ElectorGroupId) -> Self {
        self.id = Some(id);
        self
    }

    /// Returns how many electors have to sign the next list.
    #[must_use]
    pub fn quorum(&self) -> usize {
        self.quorum
    }

    /// Returns the list that is in force.
    #[must_use]
    pub fn latest(&self) -> Option<&LatestCtl> {
        self.latest.as_ref()
    }

    /// Returns the roots that the list in force approves, as far as it brought their certificates.
    #[must_use]
    pub fn roots(&self) -> &[Arc<Verified>] {
        &self.roots
    }

    /// Returns true if the list in force approves a root with this hash.
    #[must_use]
    pub fn approves_root(&self, digest: &Digest) -> bool {
        self.approved_roots.contains(last_32(digest))
    }

    /// Returns true for the certificate of an elector whose signature counts.
    #[must_use]
    pub fn has_elector(&self, digest: &Digest) -> bool {
        self.electors.iter().any(|one| one.digest() == digest)
    }

    /// Judges a list. Nothing changes.
    ///
    /// # Errors
    /// The part that cannot be read, and where.
    pub fn check(
        &self,
        ctl: &MultiSignedCtl<'_>,
        now: Time64,
    ) -> Result<CheckedCtl, (&'static str, WireError)> {
        let list = ctl.list().map_err(|error| ("tbsCtl", error))?;
        let certificates = ctl.certificates().map_err(|error| ("unsigned", error))?;
        let mut report = self.report(&list);
        if list.kind != ctl.kind {
            report.faults.push(CtlFault::Kind(ctl.kind, list.kind));
        }
        let sizes = [
            list.approved_electors.len(),
            list.removed_electors.len(),
            list.approved_roots.len(),
            list.removed_roots.len(),
        ];
        let entries: usize = sizes.iter().sum();
        let signatures = ctl.signatures.len();
        if entries > ENTRIES_MAX || certificates.len() > ENTRIES_MAX {
            let most = entries.max(certificates.len());
            report.faults.push(CtlFault::TooMany("tbsCtl", most));
            return Ok(CheckedCtl { report, next: None });
        }
        report.entries = entries_of(&list, ctl.tbs_ctl);
        self.name_certificates(&mut report, certificates.iter().flatten());
        self.check_order(&list, ctl.tbs_ctl, now, &mut report);
        check_contradictions(&mut report);
        if signatures > SIGNATURES_MAX {
            report
                .faults
                .push(CtlFault::TooMany("signatures", signatures));
        } else {
            let signatures = ctl.signatures.iter().flatten();
            self.count(signatures, (&list, ctl.tbs_ctl), now, &mut report);
        }
        if report.counted < report.required {
            report.faults.push(CtlFault::QuorumNotMet {
                counted: report.counted,
                required: report.required,
            });
            return Ok(CheckedCtl { report, next: None });
        }
        let latest = LatestCtl {
            sequence: list.sequence_number,
            effective: list.effective,
            digest: hash(HashFunction::Sha384, ctl.tbs_ctl),
        };
        let next = Some(self.succeed(&mut report, latest, certificates.iter().flatten()));
        Ok(CheckedCtl { report, next })
    }

    /// Moves to a list that was accepted; returns false, and changes nothing, if it was not.
    ///
    /// The list has to be judged by this group, since its last change.
    pub fn take(&mut self, checked: CheckedCtl) -> bool {
        match checked.next {
            Some(next) if checked.report.is_accepted() => {
                *self = next;
                true
            }
            _ => false,
        }
    }

    fn report(&self, list: &FullIeeeTbsCtl<'_>) -> CtlReport {
        CtlReport {
            group: list.elector_group,
            sequence: list.sequence_number,
            effective: list.effective,
            quorum: list.quorum,
            entries: Vec::new(),
            unnamed: Vec::new(),
            signatures: Vec::new(),
            counted: 0,
            required: self.quorum,
            missed: 0,
            is_known: false,
            faults: Vec::new(),
        }
    }

    /// The list is of this group, comes after the one that is held, and counts by now.
    fn check_order(
        &self,
        list: &FullIeeeTbsCtl<'_>,
        tbs_ctl: &[u8],
        now: Time64,
        report: &mut CtlReport,
    ) {
        let (found, faults) = (list.sequence_number, &mut report.faults);
        if let Some(expected) = self.id.filter(|id| *id != list.elector_group) {
            faults.push(CtlFault::Group {
                expected,
                found: list.elector_group,
            });
        }
        if let Some(held) = self.latest {
            let latest = held.sequence;
            report.is_known = found == latest && held.digest == hash(HashFunction::Sha384, tbs_ctl);
            if found < latest {
                faults.push(CtlFault::Older { latest, found });
            } else if found == latest && !report.is_known {
                faults.push(CtlFault::SameNumber(found));
            } else if list.effective < held.effective {
                faults.push(CtlFault::EffectiveBefore(held.effective));
            }
            report.missed = found.0.saturating_sub(latest.0).saturating_sub(1);
        }
        if u64::from(list.effective.0) * 1_000_000 > now.0 {
            faults.push(CtlFault::NotYetEffective(list.effective));
        }
    }

    /// Counts the electors that signed, each once.
    fn count<'a>(
        &self,
        signatures: impl Iterator<Item = Ieee1609Dot2Data<'a>>,
        list: (&FullIeeeTbsCtl<'_>, &[u8]),
        now: Time64,
        report: &mut CtlReport,
    ) {
        let removed = hashes(report, EntryList::ElectorRemove);
        let mut counted = BTreeSet::new();
        for spdu in signatures {
            let named = signed(&spdu).and_then(signer);
            let elector = named.as_ref().and_then(|named| self.elector(named));
            let is_counted = elector.is_some_and(|one| counted.contains(one.digest()));
            let outcome = match elector {
                Some(_) if is_counted => SignatureOutcome::Repeated,
                _ => match (faults(&spdu, list, elector, now), elector) {
                    (faults, _) if !faults.is_empty() => SignatureOutcome::Wrong(faults),
                    (_, None) => SignatureOutcome::UnknownElector,
                    (_, Some(one)) if is_in(&removed, one) => SignatureOutcome::RemovedElector,
                    (_, Some(one)) => {
                        counted.insert(*one.digest());
                        SignatureOutcome::Counted
                    }
                },
            };
            let known = elector.and_then(|one| ListedCertificate::of(&one.view().ok()?, None));
            let (id, name) = named.map_or((None, None), |named| (Some(named.id), named.name));
            report.signatures.push(SignatureReport {
                signer: id,
                name: name.or(known.and_then(|known| known.name)),
                outcome,
            });
        }
        report.counted = counted.len();
    }

    /// Finds the elector that a signature names.
    fn elector(&self, named: &NamedSigner) -> Option<&Arc<Verified>> {
        self.electors.iter().find(|one| match &named.digest {
            Some(digest) => one.digest().as_bytes() == &digest[..],
            None => one.id() == named.id,
        })
    }

    /// Finds the certificate of each entry, among those beside the list and the known electors.
    fn name_certificates<'a>(
        &self,
        report: &mut CtlReport,
        certificates: impl Iterator<Item = Certificate<'a>>,
    ) {
        for elector in &self.electors {
            if let Ok(view) = elector.view() {
                name_entries(report, &view, None);
            }
        }
        for (index, view) in certificates.enumerate() {
            if !name_entries(report, &view, Some(index)) {
                report.unnamed.push(index);
            }
        }
    }

    /// Makes the group as it is after the list: a quorum has signed it.
    fn succeed<'a>(
        &self,
        report: &mut CtlReport,
        latest: LatestCtl,
        certificates: impl Iterator<Item = Certificate<'a>>,
    ) -> Self {
        let approved = hashes(report, EntryList::ElectorApprove);
        let roots = hashes(report, EntryList::RootCaApprove);
        let mut seen = BTreeSet::new();
        let mut next = Self {
            electors: Vec::new(),
            quorum: self.quorum,
            id: Some(report.group),
            latest: Some(latest),
            roots: Vec::new(),
            approved_roots: roots,
        };
        let kept = self.electors.iter();
        for elector in kept.filter(|one| is_in(&approved, one)) {
            add(&mut next.electors, Arc::clone(elector));
        }
        for (index, view) in certificates.enumerate() {
            let (Some(digest), Some(hash)) = (certificate_digest(&view), elector_hash(&view))
            else {
                continue;
            };
            let (is_elector, is_root) = (
                approved.contains(hash.as_bytes()),
                next.approved_roots.contains(last_32(&digest)),
            );
            // The same one again costs nothing: what stands here is unsigned.
            if !(is_elector || is_root) || !seen.insert(digest) {
                continue;
            }
            let verified = self_issued(view.bytes().unwrap_or(&[]));
            record(report, index, &verified);
            if let Ok(verified) = verified {
                if is_elector {
                    add(&mut next.electors, Arc::clone(&verified));
                }
                if is_root && next.roots.iter().all(|one| one.digest() != &digest) {
                    next.roots.push(verified);
                }
            }
        }
        let quorum = report
            .quorum
            .unwrap_or(i64::try_from(self.quorum).unwrap_or(i64::MAX));
        match usize::try_from(quorum) {
            Ok(quorum @ 1..) if quorum <= approved.len() => {
                next.quorum = quorum;
                let known = next.electors.len();
                if known < quorum {
                    let fault = CtlFault::ElectorsUnknown { quorum, known };
                    report.faults.push(fault);
                }
            }
            _ => report.faults.push(CtlFault::Quorum {
                quorum,
                approved: approved.len(),
            }),
        }
        next
    }
}
