//! Trust by signed lists \[TS 102 941 §6.3\]: trust list managers (TLM), the root authorities of
//! their lists (ECTL), the authorities of each root's list (CTL), and the entries of its revocation
//! list (CRL).
//!
//! Documents come in and are verified against what is there; how they are kept is for the caller.
//! A list takes the place of an older one only, and what it leaves out is withdrawn.

mod document;
#[cfg(test)]
mod histories;
mod import;
mod list;
mod refusal;
mod restore;
mod status;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

pub use document::{AuthorityRole, Document, DocumentKind, claimed_time};
pub use import::{ImportContext, Imported, TrustChange};
pub use refusal::ImportRefusal;
pub use status::{ListStatus, StoredCertificate, TrustReport, TrustState};

use list::TrustList;

/// Most certificates of a trust list, and most authorities held besides.
pub const MEMBERS_MAX: usize = 4_096;
/// Most withdrawn certificates that are remembered, until they expire.
pub const WITHDRAWALS_MAX: usize = 16_384;
/// Most entries of a revocation list.
pub const REVOCATIONS_MAX: usize = 65_536;

/// A trust list manager: it issues a list of root authorities.
#[derive(Clone, Debug)]
struct Manager {
    certificate: Box<[u8]>,
    /// The manager that the owner approved; this one, or one that a list named as its successor.
    lineage: HashedId8,
}

/// The latest revocation list of a root.
#[derive(Clone, Debug)]
struct RevocationList {
    document: Box<[u8]>,
    made: Time64,
    next_update: Time64,
    entries: BTreeSet<HashedId8>,
}

/// A certificate that a trust list had and has no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// HashedId8 of the certificate.
    pub id: HashedId8,
    /// Role of the holder.
    pub role: AuthorityRole,
    /// The holder's name, if the certificate has one.
    pub name: Option<String>,
    /// Start of validity, and its end (exclusive).
    pub validity: (Time64, Time64),
    /// The kind of the list.
    pub list: DocumentKind,
    /// Issuer of the list: the approved manager, or the root.
    pub issuer: HashedId8,
    /// The sequence number of the first list without it.
    pub sequence: u8,
}

/// Trust anchors that the owner approved, and the signed documents that follow from them.
#[derive(Clone, Debug, Default)]
pub struct TrustStore {
    managers: BTreeMap<HashedId8, Manager>,
    /// Roots that the owner approved.
    roots: BTreeMap<HashedId8, Box<[u8]>>,
    /// Authorities that came by themselves.
    authorities: BTreeMap<HashedId8, Box<[u8]>>,
    /// By kind, and by the approved manager or the root.
    lists: BTreeMap<(DocumentKind, HashedId8), TrustList>,
    /// By root.
    revocations: BTreeMap<HashedId8, RevocationList>,
    /// By kind and issuer of the list, and by certificate.
    withdrawals: BTreeMap<(DocumentKind, HashedId8, HashedId8), Withdrawal>,
}

impl TrustStore {
    /// Makes a store that trusts no certificate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the documents to be kept, in the order in which [`restore`](Self::restore) takes
    /// them: a trust list first as a whole, then each that changes it.
    pub fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        let document = |kind, issuer, bytes| Document {
            kind,
            issuer,
            bytes,
        };
        let managers = self.managers.values();
        let managers = managers.map(move |one| {
            document(
                DocumentKind::TrustListManager,
                one.lineage,
                &*one.certificate,
            )
        });
        let roots = self.roots.iter();
        let roots = roots.map(move |(id, bytes)| document(DocumentKind::RootCa, *id, &**bytes));
        let lists = self.lists.iter().flat_map(move |((kind, issuer), list)| {
            let documents = list.documents.iter();
            documents.map(move |bytes| document(*kind, *issuer, &**bytes))
        });
        let revocations = self.revocations.iter();
        let revocations = revocations
            .map(move |(root, list)| document(DocumentKind::Crl, *root, &*list.document));
        let authorities = self.authorities.iter();
        let authorities =
            authorities.map(move |(id, bytes)| document(DocumentKind::Authority, *id, &**bytes));
        managers
            .chain(roots)
            .chain(lists)
            .chain(revocations)
            .chain(authorities)
    }

    /// Returns the withdrawn certificates, to be kept beside the documents.
    pub fn withdrawals(&self) -> impl Iterator<Item = &Withdrawal> {
        self.withdrawals.values()
    }

    /// Takes back what was withdrawn.
    pub fn restore_withdrawal(&mut self, withdrawal: Withdrawal) {
        let (list, issuer, id) = (withdrawal.list, withdrawal.issuer, withdrawal.id);
        self.withdrawals.insert((list, issuer, id), withdrawal);
    }

    /// Returns true if the store holds no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents().next().is_none()
    }

    /// Returns the certificate of an authority in the store, whatever its state is.
    #[must_use]
    pub fn certificate(&self, id: HashedId8) -> Option<&[u8]> {
        let manager = self.managers.get(&id).map(|one| &one.certificate);
        let own = manager
            .or_else(|| self.roots.get(&id))
            .or_else(|| self.authorities.get(&id));
        let listed = || {
            let mut lists = self.lists.values();
            lists.find_map(|list| Some(&list.members.get(&id)?.certificate))
        };
        own.or_else(listed).map(|bytes| &**bytes)
    }
}
