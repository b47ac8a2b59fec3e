//! Payloads that are not what the receiver has or can verify: hashes of data that is elsewhere,
//! omitted data, content that is not signed.

use waywarden_testkit_v2x::world::{MessageContents, sign_data};
use waywarden_v2x_security::ReceptionContext;
use waywarden_v2x_security::ResultCode::{
    CryptoVerificationFailure, InconsistentInputParameters,
    InternalConsistencyExtDataHashDoesntMatch, InternalConsistencyNoExtDataHashPresent,
    InternalConsistencyNoExtDataHashProvided, ParsingInvalidInput,
    ParsingUnsupportedCriticalInformationField,
};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_wire::coer::{NestedEncoding, Null, SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    HashedData, Ieee1609Dot2Content, Ieee1609Dot2Data, PayloadParts, SignerIdentifier, Version3,
};

use super::build::{Pki, at_now};
use super::raw;
use super::table::Family;

#[test]
fn payloads_that_do_not_fit_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("payload");
    let pki = Pki::plain();
    external(&mut family, &pki);
    other_hashes(&mut family, &pki);
    unknown_hashes(&mut family, &pki);
    omitted(&mut family, &pki);
    contents(&mut family, &pki);
    family
}

const DATA: &[u8] = b"elsewhere";

fn holding(data: Option<&'static [u8]>) -> ReceptionContext<'static> {
    ReceptionContext {
        external_data: data,
        ..at_now()
    }
}

/// Signs parts of a payload, as the station.
fn payload(pki: &Pki, has_data: bool, hash: Option<HashedData<'_>>, omitted: bool) -> Vec<u8> {
    let inner = Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(b"here"),
    };
    let parts = PayloadParts {
        data: has_data.then_some(NestedEncoding::Value(&inner)),
        external_hash: hash,
        omitted: omitted.then_some(Null),
        unknown: UnknownAdditions::default(),
    };
    let list = [parse(&pki.station().certificate).unwrap()];
    let named = SignerIdentifier::Certificate(SequenceOf::new(&list).unwrap());
    sign_data(parts, MessageContents::new().header(), named, pki.station())
}

fn sha_256() -> [u8; 32] {
    let hash = hash(HashFunction::Sha256, DATA);
    hash.as_bytes().try_into().unwrap()
}

/// The hash of other data than the receiver has.
fn external(family: &mut Family, pki: &Pki) {
    let long = hash(HashFunction::Sha384, DATA);
    let long: [u8; 48] = long.as_bytes().try_into().unwrap();
    let short = sha_256();
    let of_short = Some(HashedData::Sha256(&short));
    let [both, alone, other] = [
        payload(pki, true, of_short, false),
        payload(pki, false, of_short, false),
        payload(pki, false, Some(HashedData::Sha384(&long)), false),
    ];
    let differs = InternalConsistencyExtDataHashDoesntMatch;
    let missing = InternalConsistencyNoExtDataHashProvided;
    for (kind, message) in [
        ("beside data", &both),
        ("alone", &alone),
        ("of 384 bits", &other),
    ] {
        for (name, expected, data) in [
            ("other data", differs, Some(&b"Elsewhere"[..])),
            ("empty data", differs, Some(&b""[..])),
            ("no data", missing, None),
        ] {
            family.row(
                &format!("hash {kind}, the receiver has {name}"),
                (expected, "extDataHash"),
                &mut pki.knowing(),
                (message, &holding(data)),
                Some((message, &holding(Some(DATA)))),
            );
        }
    }
}

/// A hash that is not that of the receiver's data, of another function, or missing.
fn other_hashes(family: &mut Family, pki: &Pki) {
    let short = sha_256();
    let both = payload(pki, true, Some(HashedData::Sha256(&short)), false);
    let mut wide = [0; 48];
    wide[..32].copy_from_slice(&short);
    for (name, hash) in [
        ("hash of SM3", HashedData::Sm3(&short)),
        ("hash of 256 bits as one of 384", HashedData::Sha384(&wide)),
        ("hash of zeros", HashedData::Sha256(&[0; 32])),
    ] {
        family.row(
            name,
            (InternalConsistencyExtDataHashDoesntMatch, "extDataHash"),
            &mut pki.knowing(),
            (&payload(pki, true, Some(hash), false), &holding(Some(DATA))),
            Some((&both, &holding(Some(DATA)))),
        );
    }
    let without = payload(pki, true, None, false);
    family.row(
        "no hash of the receiver's data",
        (InternalConsistencyNoExtDataHashPresent, "extDataHash"),
        &mut pki.knowing(),
        (&without, &holding(Some(DATA))),
        Some((&without, &holding(None))),
    );
}

/// A hash of a function that there is not.
fn unknown_hashes(family: &mut Family, pki: &Pki) {
    let short = sha_256();
    let of_short = Some(HashedData::Sha256(&short));
    let [both, alone] = [true, false].map(|has_data| payload(pki, has_data, of_short, false));
    let tbs = raw::tbs_of(&alone);
    assert_eq!(tbs[..2], [0x20, 0x80]);
    for (name, expected, tag) in [
        (
            "hash of the next function",
            ParsingUnsupportedCriticalInformationField,
            0x83,
        ),
        (
            "hash of the last function",
            ParsingUnsupportedCriticalInformationField,
            0xbe,
        ),
        ("hash with a universal tag", ParsingInvalidInput, 0x04),
    ] {
        let changed = [&[0x20, tag], &tbs[2..]].concat();
        let station = pki.station();
        let forged = raw::message(&changed, &[&station.certificate], &station.key);
        family.row(
            name,
            expected,
            &mut pki.knowing(),
            (&forged, &holding(Some(DATA))),
            Some((&both, &holding(Some(DATA)))),
        );
    }
}

/// Data that is left out of what is sent, and in what is signed.
fn omitted(family: &mut Family, pki: &Pki) {
    let absent = payload(pki, false, None, true);
    let signed = {
        let tbs = raw::tbs_of(&absent);
        let own = hash(HashFunction::Sha256, DATA);
        let whole = [&tbs[..], own.as_bytes()].concat();
        let mut message = raw::message(&whole, &[&pki.station().certificate], &pki.station().key);
        message.drain(3 + tbs.len()..3 + whole.len());
        message
    };
    for (name, expected, message, data) in [
        (
            "omitted data that is missing",
            InternalConsistencyNoExtDataHashProvided,
            &signed,
            None,
        ),
        (
            "omitted data that is other data",
            CryptoVerificationFailure,
            &signed,
            Some(&b"x"[..]),
        ),
        (
            "omitted data that is empty",
            CryptoVerificationFailure,
            &signed,
            Some(&b""[..]),
        ),
        (
            "omitted data that was not signed",
            CryptoVerificationFailure,
            &absent,
            Some(DATA),
        ),
    ] {
        family.row(
            name,
            expected,
            &mut pki.knowing(),
            (message, &holding(data)),
            Some((&signed, &holding(Some(DATA)))),
        );
    }
}

/// Content that is not signed data.
fn contents(family: &mut Family, pki: &Pki) {
    let honest = pki.sign(&MessageContents::new());
    let encrypted = [
        &[3, 0x82, 1, 1, 0x80][..],
        &[7; 8],
        &[0x80],
        &[1; 12],
        &[17],
        &[2; 17],
    ];
    let own_key = raw::Parts::of(&honest).named(&[0x82]);
    for (name, forged) in [
        ("unsecured data", vec![3, 0x80, 1, 7]),
        ("no unsecured data", vec![3, 0x80, 0]),
        ("encrypted data", encrypted.concat()),
        ("certificate request", vec![3, 0x83, 2, 1, 1]),
        ("certificate request under X.509", vec![3, 0x84, 3, 2, 1, 1]),
        ("signed with a key of its own", own_key),
    ] {
        let expected = InconsistentInputParameters;
        family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
    }
}
