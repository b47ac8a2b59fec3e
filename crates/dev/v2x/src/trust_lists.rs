//! Managers, roots and authorities that sign lists of TS 102 941.

use waywarden_v2x_security::trust::{ImportContext, ImportRefusal, Imported, TrustStore};
use waywarden_v2x_security::{Capacity, Verifier, hash::Digest};
use waywarden_v2x_wire::coer::{SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::etsi102941::{
    AaEntry, Boolean, CtlCommand, CtlDelete, CtlEntry, CtlFormat, DataVersion1, EtsiTs102941Data,
    EtsiTs102941DataContent, ListVersion1, RootCaEntry, TlmEntry, ToBeSignedCrl, Url,
};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, Time32, Time64};

use crate::world::{Holder, MessageContents, NOW, Spec, now, written};

/// May list managers, roots and distribution centres.
const MANAGER: &[(u64, Option<&[u8]>)] = &[(624, Some(&[1, 0xC8]))];
/// May list authorities and distribution centres, and revoke.
const ROOT: &[(u64, Option<&[u8]>)] = &[(622, Some(&[1])), (624, Some(&[1, 0x38]))];

/// A trust list manager.
pub fn manager(seed: u8) -> Holder {
    let spec = Spec {
        app: MANAGER,
        issue: &[],
        ..Spec::authority(seed)
    };
    Holder::issue(&spec, None)
}

/// A root authority that signs its own lists.
pub fn root(seed: u8) -> Holder {
    let spec = Spec {
        app: ROOT,
        ..Spec::authority(seed)
    };
    Holder::issue(&spec, None)
}

/// An authorization authority under a root.
pub fn authority(seed: u8, root: &Holder) -> Holder {
    let spec = Spec {
        issue: &[(None, 1, 0)],
        start: NOW - 30_000,
        hours: 900,
        ..Spec::authority(seed)
    };
    Holder::issue(&spec, Some(root))
}

/// Contents of a trust list.
#[derive(Clone)]
pub struct List<'l> {
    /// True for a full list, false for a delta list.
    pub is_full: bool,
    /// Sequence number of the list.
    pub sequence: u8,
    /// Seconds after [`NOW`].
    pub made: i64,
    /// Time of the next update, in seconds after [`NOW`].
    pub next: i64,
    /// Roots that the list adds.
    pub roots: Vec<&'l Holder>,
    /// Trust list managers that the list adds.
    pub managers: Vec<&'l Holder>,
    /// Authorization authorities that the list adds.
    pub authorities: Vec<&'l Holder>,
    /// Certificates that the list deletes.
    pub deleted: Vec<HashedId8>,
    /// Application that the list is signed under.
    pub psid: u64,
}

impl<'l> List<'l> {
    /// An empty full list of this sequence number, made `made` seconds after [`NOW`].
    pub fn full(sequence: u8, made: i64) -> Self {
        Self {
            is_full: true,
            sequence,
            made,
            next: made + 1_000,
            roots: Vec::new(),
            managers: Vec::new(),
            authorities: Vec::new(),
            deleted: Vec::new(),
            psid: 624,
        }
    }

    /// An empty delta list, see [`List::full`].
    pub fn delta(sequence: u8, made: i64) -> Self {
        Self {
            is_full: false,
            ..Self::full(sequence, made)
        }
    }

    /// The same with these roots.
    pub fn with_roots(mut self, roots: &[&'l Holder]) -> Self {
        self.roots = roots.to_vec();
        self
    }

    /// The same with these authorities.
    pub fn with_authorities(mut self, authorities: &[&'l Holder]) -> Self {
        self.authorities = authorities.to_vec();
        self
    }

    /// The same with a certificate deleted.
    pub fn without(mut self, deleted: &Holder) -> Self {
        self.deleted.push(deleted.id());
        self
    }

    /// Signs it as the list of a manager.
    pub fn ectl(&self, signer: &Holder) -> Vec<u8> {
        self.sign(true, signer)
    }

    /// Signs it as the list of a root.
    pub fn ctl(&self, signer: &Holder) -> Vec<u8> {
        self.sign(false, signer)
    }

    fn sign(&self, is_managers: bool, signer: &Holder) -> Vec<u8> {
        let url = Url::new("https://lists.example/").unwrap();
        let roots = self.roots.iter().map(|one| {
            CtlCommand::Add(CtlEntry::RootCa(RootCaEntry {
                certificate: view(one),
                successor_to: None,
            }))
        });
        let managers = self.managers.iter().map(|one| {
            CtlCommand::Add(CtlEntry::TrustListManager(TlmEntry {
                certificate: view(one),
                successor_to: None,
                access_point: url,
            }))
        });
        let authorities = self.authorities.iter().map(|one| {
            CtlCommand::Add(CtlEntry::AuthorizationAuthority(AaEntry {
                certificate: view(one),
                access_point: url,
            }))
        });
        let deleted = self.deleted.iter();
        let deleted = deleted.map(|id| CtlCommand::Delete(CtlDelete::Certificate(*id)));
        let commands = roots.chain(managers).chain(authorities).chain(deleted);
        let commands: Vec<CtlCommand<'_>> = commands.collect();
        let format = CtlFormat {
            version: ListVersion1,
            next_update: seconds(self.next),
            is_full: Boolean(self.is_full),
            sequence: self.sequence,
            commands: SequenceOf::new(&commands).unwrap(),
            unknown: UnknownAdditions::default(),
        };
        let content = match is_managers {
            true => EtsiTs102941DataContent::CertificateTrustListTlm(format),
            false => EtsiTs102941DataContent::CertificateTrustListRca(format),
        };
        signed(content, self.psid, self.made, signer)
    }
}

fn view(holder: &Holder) -> Certificate<'_> {
    parse(&holder.certificate).unwrap()
}

fn seconds(after: i64) -> Time32 {
    Time32(u32::try_from(i64::from(NOW) + after).unwrap())
}

/// Returns the time `after` seconds after [`NOW`].
pub fn at(after: i64) -> Time64 {
    Time64(u64::from(seconds(after).0) * 1_000_000)
}

fn signed(content: EtsiTs102941DataContent<'_>, psid: u64, made: i64, signer: &Holder) -> Vec<u8> {
    let payload = written(&EtsiTs102941Data {
        version: DataVersion1,
        content,
    });
    let message = MessageContents {
        psid,
        made: Some(at(made)),
        payload: &payload,
        ..MessageContents::new()
    };
    message.sign(signer)
}

/// A revocation list of a root.
pub fn crl(made: i64, revoked: &[&Holder], signer: &Holder) -> Vec<u8> {
    crl_under(622, made, revoked, signer)
}

/// The same under another application.
pub fn crl_under(psid: u64, made: i64, revoked: &[&Holder], signer: &Holder) -> Vec<u8> {
    let entries: Vec<HashedId8> = revoked.iter().map(|one| one.id()).collect();
    let list = ToBeSignedCrl {
        version: ListVersion1,
        this_update: seconds(made),
        next_update: seconds(made + 1_000),
        entries: SequenceOf::new(&entries).unwrap(),
        unknown: UnknownAdditions::default(),
    };
    let content = EtsiTs102941DataContent::CertificateRevocationList(list);
    signed(content, psid, made, signer)
}

/// Imports a document at a time, approving these certificates.
pub fn import_at(
    store: &mut TrustStore,
    bytes: &[u8],
    now: Time64,
    approved: &[HashedId8],
) -> Result<Imported, ImportRefusal> {
    store.import(
        bytes,
        &ImportContext {
            now,
            approves: &|digest: &Digest| approved.contains(&digest.id_8()),
            verifier: &|| Verifier::new(Capacity::MINIMAL),
        },
    )
}

/// Imports a document at the time of the test world, with no certificate approved.
pub fn import(store: &mut TrustStore, bytes: &[u8]) -> Result<Imported, ImportRefusal> {
    import_at(store, bytes, now(), &[])
}

/// A store that approves a manager.
pub fn store_of(manager: &Holder) -> TrustStore {
    let mut store = TrustStore::new();
    import_at(&mut store, &manager.certificate, now(), &[manager.id()]).unwrap();
    store
}
