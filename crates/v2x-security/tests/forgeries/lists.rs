//! Revocation lists \[1609.2 §7\]: payloads that are none, signers that may not revoke, and lists
//! of one authority that name another one's certificates.

use waywarden_v2x_security::ResultCode::{
    ChainCertificateRevoked, ConsistencyUnauthorizedPsid, CryptoVerificationFailure,
    ParsingInvalidInput, ParsingUnsupportedCriticalInformationField,
    RelevanceGenerationTimeTooFarInFuture, Success,
};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::{Nested, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashBasedRevocationInfo, HashedData, HashedId3, HashedId8,
    Ieee1609Dot2Content, Ieee1609Dot2Data, PayloadParts, SignerIdentifier, Time32,
    TypeSpecificCrlContents, Version3,
};

use crate::build::{Draft, Permission, Pki, bitmap, kept, opaque, plain};
use crate::table::Family;
use crate::world::{Holder, Message, NOW, Named, crl, sign_data, written};

#[test]
fn forged_revocation_lists_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("revocation list");
    payloads(&mut family);
    contents(&mut family);
    dates(&mut family);
    rights(&mut family);
    cracas(&mut family);
    bound(&mut family);
    family
}

/// Permissions to sign lists \[1609.2 §7.3\]: whether its holder is the CRACA (0) or its issuer is
/// (1), and the series.
fn crl_ssp(version: u8, craca: u8, series: &[u16]) -> Vec<u8> {
    let series: Vec<u8> = series.iter().flat_map(|one| one.to_be_bytes()).collect();
    let count = [1, (series.len() / 2) as u8];
    [&[0, version, craca], &count[..], &series].concat()
}

/// A root that is the CRACA, and under it a station that signs lists for it.
fn signer(permission: Permission) -> Pki {
    let station = Draft {
        app: kept(vec![permission]),
        ..Draft::station(3)
    };
    Pki::new(&[Draft::authority(1), station])
}

/// With the rights that it should have: series 0 of its issuer.
fn entitled() -> Pki {
    signer(opaque(256, &crl_ssp(1, 1, &[0])))
}

fn message(pki: &Pki, payload: &[u8]) -> Vec<u8> {
    let message = Message {
        psid: 256,
        payload,
        ..Message::new()
    };
    message.sign(pki.station())
}

/// A list without entries, of the root.
fn empty(pki: &Pki) -> CrlContents<'static> {
    crl(NOW - 60, NOW + 60, pki.root().id(), &[])
}

fn payloads(family: &mut Family) {
    let pki = entitled();
    let list = written(&empty(&pki));
    let honest = message(&pki, &list);
    let mut forge = |name: &str, expected, payload: Vec<u8>| {
        let forged = message(&pki, &payload);
        family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
    };
    forge("empty payload", ParsingInvalidInput, Vec::new());
    forge("text as payload", ParsingInvalidInput, b"no list".to_vec());
    forge("zeros as payload", ParsingInvalidInput, vec![0; list.len()]);
    forge(
        "cut short",
        ParsingInvalidInput,
        list[..list.len() - 1].to_vec(),
    );
    forge("cut in the middle", ParsingInvalidInput, list[..9].to_vec());
    forge(
        "one byte more",
        ParsingInvalidInput,
        [&list[..], &[0]].concat(),
    );
    forge("twice", ParsingInvalidInput, [&list[..], &list].concat());
    for version in [0, 2, 255] {
        let mut other = list.clone();
        other[0] = version;
        forge(&format!("version {version}"), ParsingInvalidInput, other);
    }
    let mut other = list.clone();
    let place = list.len() - 8;
    assert_eq!(other[place], 0x80, "{list:02x?}");
    other[place] = 0x86;
    let critical = ParsingUnsupportedCriticalInformationField;
    forge("kind of list that there is not", critical, other);
    let mut other = list;
    *other.last_mut().unwrap() = 1;
    forge("more entries than there are", ParsingInvalidInput, other);
}

/// Payloads that are no unsecured data.
fn contents(family: &mut Family) {
    let pki = entitled();
    let list = written(&empty(&pki));
    let honest = message(&pki, &list);
    let header = Message {
        psid: 256,
        ..Message::new()
    }
    .header();
    let certificates = [parse(&pki.station().certificate).unwrap()];
    let named = waywarden_v2x_wire::coer::SequenceOf::new(&certificates).unwrap();
    let forge = |data: Option<Ieee1609Dot2Content<'_>>, external_hash| {
        let inner = data.map(|content| Ieee1609Dot2Data {
            version: Version3,
            content,
        });
        let payload = PayloadParts {
            data: inner.as_ref().map(Nested::Value),
            external_hash,
            omitted: None,
            unknown: UnknownAdditions::default(),
        };
        let named = SignerIdentifier::Certificate(named);
        sign_data(payload, header, named, pki.station())
    };
    let inner = message(&pki, &list);
    let inner = crate::raw::signed(&inner);
    let request = Ieee1609Dot2Content::SignedCertificateRequest(&list);
    let forms = [
        (
            "signed data inside",
            forge(Some(Ieee1609Dot2Content::Signed(inner)), None),
        ),
        ("certificate request inside", forge(Some(request), None)),
    ];
    for (name, forged) in forms {
        family.pair(
            name,
            ParsingInvalidInput,
            &mut pki.verifier(),
            &forged,
            &honest,
        );
    }
    let data = b"elsewhere";
    let digest = waywarden_v2x_security::hash::hash(
        waywarden_v2x_security::hash::HashFunction::Sha256,
        data,
    );
    let digest: [u8; 32] = digest.as_bytes().try_into().unwrap();
    let forged = forge(None, Some(HashedData::Sha256(&digest)));
    let at = crate::build::at_now();
    let then = waywarden_v2x_security::Circumstances {
        external_data: Some(data),
        ..at
    };
    let honest = Some((&honest[..], &at));
    let name = "hash in place of a list";
    family.row(
        name,
        ParsingInvalidInput,
        &mut pki.verifier(),
        (&forged, &then),
        honest,
    );
}

fn dates(family: &mut Family) {
    let pki = entitled();
    let craca = pki.root().id();
    let honest = message(&pki, &written(&empty(&pki)));
    let future = RelevanceGenerationTimeTooFarInFuture;
    for (name, expected, issued, next) in [
        (
            "next list before this one",
            ParsingInvalidInput,
            NOW - 60,
            NOW - 61,
        ),
        (
            "next list with this one",
            ParsingInvalidInput,
            NOW - 60,
            NOW - 60,
        ),
        (
            "next list at the beginning of time",
            ParsingInvalidInput,
            NOW - 60,
            0,
        ),
        ("issued in a minute", future, NOW + 60, NOW + 600),
        (
            "issued in a year",
            future,
            NOW + 31_536_000,
            NOW + 31_536_060,
        ),
        ("issued at the end of time", future, u32::MAX - 1, u32::MAX),
    ] {
        let forged = message(&pki, &written(&crl(issued, next, craca, &[])));
        family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
    }
}

/// Signers that have no right to sign this list.
fn rights(family: &mut Family) {
    let sound = entitled();
    let honest = message(&sound, &written(&empty(&sound)));
    let whole = crl_ssp(1, 1, &[0]);
    let trailing = [&whole[..], &[0]].concat();
    let cases: Vec<(&str, Permission)> = vec![
        ("no permissions", plain(256)),
        ("empty permissions", opaque(256, &[])),
        ("bitmap of permissions", bitmap(256, &whole)),
        (
            "permissions of version 0",
            opaque(256, &crl_ssp(0, 1, &[0])),
        ),
        (
            "permissions of version 2",
            opaque(256, &crl_ssp(2, 1, &[0])),
        ),
        (
            "permissions for no series",
            opaque(256, &crl_ssp(1, 1, &[])),
        ),
        (
            "permissions for another series",
            opaque(256, &crl_ssp(1, 1, &[1])),
        ),
        (
            "permissions for other series",
            opaque(256, &crl_ssp(1, 1, &[1, 2, 0x100])),
        ),
        (
            "permissions of another kind of CRACA",
            opaque(256, &crl_ssp(1, 2, &[0])),
        ),
        (
            "permissions cut short",
            opaque(256, &whole[..whole.len() - 1]),
        ),
        ("permissions with a byte more", opaque(256, &trailing)),
        ("permissions of another application", plain(135)),
        (
            "permissions for its own lists",
            opaque(256, &crl_ssp(1, 0, &[0])),
        ),
    ];
    for (name, permission) in cases {
        let pki = signer(permission);
        let forged = message(&pki, &written(&empty(&pki)));
        family.pair(
            name,
            ConsistencyUnauthorizedPsid,
            &mut pki.verifier(),
            &forged,
            &honest,
        );
    }
    let series = CrlContents {
        crl_series: CrlSeries(7),
        ..empty(&sound)
    };
    family.pair(
        "list of another series",
        ConsistencyUnauthorizedPsid,
        &mut sound.verifier(),
        &message(&sound, &written(&series)),
        &honest,
    );
    let mut verifier = sound.verifier();
    family.honest("list by its issuer's signer", &mut verifier, &honest);
    let forged = [&honest[..honest.len() - 1], &[honest.last().unwrap() ^ 1]].concat();
    family.lone(
        "list with a wrong signature",
        CryptoVerificationFailure,
        &mut verifier,
        &forged,
    );
}

/// Lists in the name of a CRACA that the signer does not sign for.
fn cracas(family: &mut Family) {
    let deputy = entitled();
    let owner = signer(opaque(256, &crl_ssp(1, 0, &[0])));
    let of = |craca: HashedId8| written(&crl(NOW - 60, NOW + 60, craca, &[]));
    let honest = [
        message(&deputy, &of(deputy.root().id())),
        message(&owner, &of(owner.station().id())),
    ];
    let mut verifier = owner.verifier();
    family.honest("list by its CRACA", &mut verifier, &honest[1]);
    let [.., a, b, c] = deputy.root().id().0;
    let similar = HashedId8([0, 0, 0, 0, 0, a, b, c]);
    let cases: [(&str, &Pki, HashedId8, &[u8]); 6] = [
        (
            "deputy in its own name",
            &deputy,
            deputy.station().id(),
            &honest[0],
        ),
        (
            "deputy in a stranger's name",
            &deputy,
            HashedId8([9; 8]),
            &honest[0],
        ),
        (
            "deputy in the name of no one",
            &deputy,
            HashedId8([0; 8]),
            &honest[0],
        ),
        (
            "deputy in a name with the same end",
            &deputy,
            similar,
            &honest[0],
        ),
        (
            "CRACA in its issuer's name",
            &owner,
            owner.root().id(),
            &honest[1],
        ),
        (
            "CRACA in a stranger's name",
            &owner,
            HashedId8([9; 8]),
            &honest[1],
        ),
    ];
    for (name, pki, craca, honest) in cases {
        let forged = message(pki, &of(craca));
        family.pair(
            name,
            ConsistencyUnauthorizedPsid,
            &mut pki.verifier(),
            &forged,
            honest,
        );
    }
}

/// A list revokes only certificates that name its CRACA and its series.
fn bound(family: &mut Family) {
    let root = Draft::authority(1).issued_by(None);
    let [.., a, b, c] = root.id().0;
    let draft = Draft {
        craca: HashedId3([a, b, c]),
        series: 4,
        ..Draft::station(3)
    };
    let other = Draft { seed: 4, ..draft };
    let [station, other] = [draft, other].map(|draft| draft.issued_by(Some(&root)));
    let id = certificate_digest(&parse(&station.certificate).unwrap());
    let entries = [HashBasedRevocationInfo {
        id: id.unwrap().id_10(),
        expiry: Time32(NOW + 100_000),
        unknown: UnknownAdditions::default(),
    }];
    let pki = Pki {
        holders: vec![root.clone(), station.clone()],
    };
    let sign = |holder: &Holder| {
        let named = Named::Certificates(&[]);
        Message {
            named,
            ..Message::new()
        }
        .sign(holder)
    };
    for (name, expected, craca, series) in [
        ("revoked certificate", ChainCertificateRevoked, root.id(), 4),
        (
            "certificate on a stranger's list",
            Success,
            HashedId8([9; 8]),
            4,
        ),
        (
            "certificate on a list of another series",
            Success,
            root.id(),
            5,
        ),
    ] {
        let list = CrlContents {
            crl_series: CrlSeries(series),
            ..crl(NOW - 60, NOW + 60, craca, &entries)
        };
        assert!(matches!(
            list.contents,
            TypeSpecificCrlContents::FullHash(_)
        ));
        let mut verifier = pki.verifier();
        verifier.revocations_mut().apply(&list).unwrap();
        family.pair(
            name,
            expected,
            &mut verifier,
            &sign(&station),
            &sign(&other),
        );
    }
}
