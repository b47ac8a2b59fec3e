//! Revocation lists, and documents that were kept: read, and put in their places.

use alloc::collections::BTreeSet;

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{EtsiTs102941DataContent, ToBeSignedCrl};
use waywarden_v2x_wire::hash::certificate_digest;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, Time64};

use super::document::{Document, DocumentKind, list, signed_data};
use super::import::{Imported, TrustChange};
use super::list::{Signer, TrustList, gap, microseconds};
use super::refusal::ImportRefusal;
use super::{Manager, REVOCATIONS_MAX, RevocationList, TrustStore};

impl TrustStore {
    /// Takes in a document that was kept, which was verified before.
    ///
    /// # Errors
    /// [`ImportRefusal`] for one that is not what it is said to be.
    pub fn restore(&mut self, document: &Document<'_>) -> Result<(), ImportRefusal> {
        let bytes = document.bytes;
        match document.kind {
            DocumentKind::TrustListManager | DocumentKind::RootCa | DocumentKind::Authority => {
                let certificate = parse::<Certificate<'_>>(bytes);
                let certificate = certificate.map_err(|_| ImportRefusal::Unknown)?;
                let id = certificate_digest(&certificate).ok_or(ImportRefusal::Unknown)?;
                let id = id.id_8();
                match document.kind {
                    DocumentKind::TrustListManager => {
                        let manager = Manager {
                            certificate: bytes.into(),
                            lineage: document.issuer,
                        };
                        self.managers.insert(id, manager);
                    }
                    DocumentKind::RootCa => drop(self.roots.insert(id, bytes.into())),
                    _ => drop(self.authorities.insert(id, bytes.into())),
                }
                Ok(())
            }
            DocumentKind::CtlTlm | DocumentKind::CtlRca | DocumentKind::Crl => {
                let data = signed_data(bytes).ok_or(ImportRefusal::Unknown)?;
                let (content, made) = list(&data).ok_or(ImportRefusal::Unknown)?;
                let signer = Signer {
                    kind: document.kind,
                    issuer: document.issuer,
                    bits: u8::MAX,
                };
                match (&content, document.kind) {
                    (
                        EtsiTs102941DataContent::CertificateTrustListTlm(own),
                        DocumentKind::CtlTlm,
                    )
                    | (
                        EtsiTs102941DataContent::CertificateTrustListRca(own),
                        DocumentKind::CtlRca,
                    ) => {
                        let key = (document.kind, document.issuer);
                        let next = match (own.is_full.0, self.lists.get(&key)) {
                            (true, _) => TrustList::full(own, made, signer, bytes)?,
                            (false, Some(known)) => known.changed(own, made, signer, bytes)?,
                            (false, None) => return Err(gap(None, own)),
                        };
                        self.lists.insert(key, next);
                        Ok(())
                    }
                    (
                        EtsiTs102941DataContent::CertificateRevocationList(own),
                        DocumentKind::Crl,
                    ) => {
                        let list = revocation_list(own, bytes)?;
                        self.revocations.insert(document.issuer, list);
                        Ok(())
                    }
                    _ => Err(ImportRefusal::Unknown),
                }
            }
        }
    }

    /// Takes a revocation list whose signature and signer were checked.
    pub(super) fn apply_crl(
        &mut self,
        format: &ToBeSignedCrl<'_>,
        bytes: &[u8],
        root: HashedId8,
        now: Time64,
    ) -> Result<Imported, ImportRefusal> {
        let imported = |change| Imported {
            kind: DocumentKind::Crl,
            id: root,
            change,
        };
        let next = revocation_list(format, bytes)?;
        if next.made > now {
            return Err(ImportRefusal::Contents("thisUpdate: in the future"));
        }
        if next.next_update <= next.made {
            return Err(ImportRefusal::Contents("nextUpdate: not after thisUpdate"));
        }
        let known = self.revocations.get(&root);
        if let Some(known) = known {
            if known.document == next.document {
                return Ok(imported(TrustChange::None));
            }
            if next.made < known.made {
                return Err(ImportRefusal::Old {
                    known: None,
                    found: None,
                });
            }
            if next.made == known.made && next.entries != known.entries {
                return Err(ImportRefusal::Conflict(None));
            }
        }
        let empty = BTreeSet::new();
        let before = known.map_or(&empty, |known| &known.entries);
        let change = TrustChange::List {
            sequence: None,
            added: next.entries.difference(before).count(),
            removed: before.difference(&next.entries).count(),
            next_update: next.next_update,
        };
        self.revocations.insert(root, next);
        Ok(imported(change))
    }
}

fn revocation_list(
    format: &ToBeSignedCrl<'_>,
    bytes: &[u8],
) -> Result<RevocationList, ImportRefusal> {
    if format.entries.len() > REVOCATIONS_MAX {
        return Err(ImportRefusal::TooMany);
    }
    let entries = format.entries.iter();
    let entries = entries.collect::<Result<BTreeSet<HashedId8>, _>>();
    Ok(RevocationList {
        document: bytes.into(),
        made: microseconds(format.this_update),
        next_update: microseconds(format.next_update),
        entries: entries.map_err(|_| ImportRefusal::Contents("entries: cannot be read"))?,
    })
}
