//! Revocation lists \[1609.2 §7\] whose payload is none, or says that it is from the future.

use waywarden_testkit_v2x::world::{MessageContents, NOW, crl, sign_data, written};
use waywarden_v2x_security::ReceptionContext;
use waywarden_v2x_security::ResultCode::{
    ParsingInvalidInput, ParsingUnsupportedCriticalInformationField,
    RelevanceGenerationTimeTooFarInFuture,
};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, HashedData, Ieee1609Dot2Content, Ieee1609Dot2Data, PayloadParts, SignerIdentifier,
    Version3,
};

use super::build::{Draft, Permission, Pki, at_now, kept, opaque};
use super::raw;
use super::table::Family;

#[test]
fn forged_revocation_lists_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("revocation list");
    payloads(&mut family);
    contents(&mut family);
    dates(&mut family);
    family
}

/// Permissions to sign lists \[1609.2 §7.3\]: whether its holder is the CRACA (0) or its issuer is
/// (1), and the series.
pub(crate) fn crl_ssp(version: u8, craca: u8, series: &[u16]) -> Vec<u8> {
    let series: Vec<u8> = series.iter().flat_map(|one| one.to_be_bytes()).collect();
    let count = [1, (series.len() / 2) as u8];
    [&[0, version, craca], &count[..], &series].concat()
}

/// A root that is the CRACA, and under it a station that signs lists for it.
pub(crate) fn signer(permission: Permission) -> Pki {
    let station = Draft {
        app: kept(vec![permission]),
        ..Draft::station(3)
    };
    Pki::new(&[Draft::authority(1), station])
}

/// With the rights that it should have: series 0 of its issuer.
pub(crate) fn entitled() -> Pki {
    signer(opaque(256, &crl_ssp(1, 1, &[0])))
}

pub(crate) fn message(pki: &Pki, payload: &[u8]) -> Vec<u8> {
    let message = MessageContents {
        psid: 256,
        payload,
        ..MessageContents::new()
    };
    message.sign(pki.station())
}

/// A list without entries, of the root.
pub(crate) fn empty(pki: &Pki) -> CrlContents<'static> {
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
    let header = MessageContents {
        psid: 256,
        ..MessageContents::new()
    }
    .header();
    let certificates = [parse(&pki.station().certificate).unwrap()];
    let named = SequenceOf::new(&certificates).unwrap();
    let forge = |data: Option<Ieee1609Dot2Content<'_>>, external_hash| {
        let inner = data.map(|content| Ieee1609Dot2Data {
            version: Version3,
            content,
        });
        let payload = PayloadParts {
            data: inner.as_ref().map(NestedEncoding::Value),
            external_hash,
            omitted: None,
            unknown: UnknownAdditions::default(),
        };
        let named = SignerIdentifier::Certificate(named);
        sign_data(payload, header, named, pki.station())
    };
    let inner = message(&pki, &list);
    let inner = raw::signed(&inner);
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
    let digest = hash(HashFunction::Sha256, data);
    let digest: [u8; 32] = digest.as_bytes().try_into().unwrap();
    let forged = forge(None, Some(HashedData::Sha256(&digest)));
    let at = at_now();
    let then = ReceptionContext {
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
