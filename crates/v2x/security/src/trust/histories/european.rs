//! CRLs of roots of TS 102 941, which are always full: the latest one counts.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use waywarden_testkit::Random;
use waywarden_v2x_wire::coer::{NestedEncoding, Raw, SequenceOf, UnknownAdditions, emit, length};
use waywarden_v2x_wire::etsi102941::{
    DataVersion1, EtsiTs102941Data, EtsiTs102941DataContent, ListVersion1, ToBeSignedCrl,
};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{
    CurvePoint, EcdsaSignature, HashAlgorithm, HashedId8, HeaderInfo, Ieee1609Dot2Content,
    Ieee1609Dot2Data, PayloadParts, Signature, SignedData, SignedDataPayload, SignerIdentifier,
    Time32, Time64, ToBeSignedData, Version3,
};

use crate::trust::TrustStore;
use crate::trust::document::{list, signed_data};
use crate::verifier::Verifier;

const ROOTS: [HashedId8; 2] = [HashedId8([1; 8]), HashedId8([2; 8])];
const AUTHORITIES: u8 = 3;
const TIMES: u32 = 4;

fn authority(number: u8) -> HashedId8 {
    HashedId8([0xA0 + number; 8])
}

/// A CRL of a root, with a signature that is none.
pub(super) struct Document {
    root: usize,
    made: u32,
    /// A bit for each authority.
    entries: u8,
    bytes: Vec<u8>,
}

/// Every CRL that a root can make.
pub(super) struct Documents(Vec<Document>);

fn written<T: waywarden_v2x_wire::coer::CoerEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; length(value).unwrap()];
    emit(value, &mut buffer).unwrap();
    buffer
}

fn unsigned(made: u32, entries: &[HashedId8]) -> Vec<u8> {
    let payload = written(&EtsiTs102941Data {
        version: DataVersion1,
        content: EtsiTs102941DataContent::CertificateRevocationList(ToBeSignedCrl {
            version: ListVersion1,
            this_update: Time32(made),
            next_update: Time32(made + 1),
            entries: SequenceOf::new(entries).unwrap(),
            unknown: UnknownAdditions::default(),
        }),
    });
    let inner = Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(&payload),
    };
    let payload = SignedDataPayload::new(PayloadParts {
        data: Some(NestedEncoding::Value(&inner)),
        external_hash: None,
        omitted: None,
        unknown: UnknownAdditions::default(),
    });
    let header_info = HeaderInfo {
        generation_time: Some(Time64(u64::from(made) * 1_000_000)),
        ..HeaderInfo::new(its_aid::CRL)
    };
    written(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Signed(SignedData {
            hash_id: HashAlgorithm::Sha256,
            tbs_data: Raw::new(ToBeSignedData {
                payload: payload.unwrap(),
                header_info,
            }),
            signer: SignerIdentifier::Digest(ROOTS[0]),
            signature: Signature::EcdsaNistP256(EcdsaSignature {
                r: CurvePoint::XOnly(&[1; 32]),
                s: &[1; 32],
            }),
        }),
    })
}

impl Documents {
    pub(super) fn new() -> Self {
        let mut documents = Vec::new();
        for root in 0..ROOTS.len() {
            for made in 0..TIMES {
                for entries in 0..1 << AUTHORITIES {
                    let named = (0..AUTHORITIES).filter(|one| entries & (1 << one) != 0);
                    let named: Vec<HashedId8> = named.map(authority).collect();
                    documents.push(Document {
                        root,
                        made,
                        entries,
                        bytes: unsigned(made, &named),
                    });
                }
            }
        }
        Self(documents)
    }

    pub(super) fn any(&self, random: &mut Random) -> &Document {
        &self.0[random.index(self.0.len())]
    }

    /// A store that was saved and read again.
    pub(super) fn restored(&self, store: &TrustStore) -> TrustStore {
        let mut restored = TrustStore::new();
        for document in store.documents() {
            restored.restore(&document).unwrap();
        }
        for withdrawal in store.withdrawals() {
            restored.restore_withdrawal(withdrawal.clone());
        }
        restored
    }
}

/// The latest CRL of each root: its time and its entries.
#[derive(Default)]
pub(super) struct RootLists(BTreeMap<usize, (u32, u8)>);

impl RootLists {
    /// Imports a CRL below its signature. One of the time of the latest with other entries is
    /// refused, for neither is known to be the later one.
    pub(super) fn import(&mut self, store: &mut TrustStore, document: &Document) {
        let data = signed_data(&document.bytes).unwrap();
        let Some((EtsiTs102941DataContent::CertificateRevocationList(own), _)) = list(&data) else {
            panic!("no CRL");
        };
        let now = Time64(u64::from(TIMES) * 1_000_000);
        let root = ROOTS[document.root];
        let imported = store.apply_crl(&own, &document.bytes, root, now);
        let found = (document.made, document.entries);
        let is_later = match self.0.get(&document.root) {
            None => true,
            Some(known) => found.0 > known.0 || found == *known,
        };
        assert_eq!(imported.is_ok(), is_later, "{imported:?}");
        if is_later {
            self.0.insert(document.root, found);
        }
    }

    /// The receiver refuses what the latest CRL of each root names, in the store and by its
    /// verifier.
    pub(super) fn check(&self, store: &TrustStore, verifier: &Verifier) {
        assert_eq!(store.revocations.len(), self.0.len());
        for (at, root) in ROOTS.into_iter().enumerate() {
            let entries = self.0.get(&at).map_or(0, |(_, entries)| *entries);
            for one in 0..AUTHORITIES {
                let found = verifier.revocations().has_authority(root, authority(one));
                assert_eq!(found, entries & (1 << one) != 0, "{root:?} {one}");
            }
        }
    }
}
