//! Encodings that are not canonical, or not of this version of the standard: signed, so that
//! nothing but the parser stands in their way.

pub(crate) mod data;

use waywarden_testkit_v2x::world::{MessageContents, Named};
use waywarden_v2x_security::ResultCode::{
    self, ParsingInvalidInput, ParsingUnsupportedCriticalInformationField,
};

use super::build::Pki;
use super::elements::{BASE, inline_request, public_key};
use super::raw::{self, Parts};
use super::table::Family;

#[test]
fn encodings_that_are_not_canonical_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("encoding");
    let pki = Pki::plain();
    frames(&mut family, &pki);
    data::family(&mut family, &pki);
    header_keys(&mut family, &pki);
    additions(&mut family, &pki);
    signers(&mut family, &pki);
    family
}

pub(crate) const INVALID: ResultCode = ParsingInvalidInput;
pub(crate) const CRITICAL: ResultCode = ParsingUnsupportedCriticalInformationField;

pub(crate) fn message() -> MessageContents<'static> {
    MessageContents {
        named: Named::Certificates(&[]),
        ..MessageContents::new()
    }
}

pub(crate) fn check(
    family: &mut Family,
    pki: &Pki,
    name: &str,
    expected: ResultCode,
    forged: &[u8],
) {
    let honest = message().sign(pki.station());
    family.pair(name, expected, &mut pki.knowing(), forged, &honest);
}

/// Replaces bytes at a place.
pub(crate) fn splice(bytes: &[u8], at: usize, old: usize, new: &[u8]) -> Vec<u8> {
    [&bytes[..at], new, &bytes[at + old..]].concat()
}

/// Forges the encoding around the signed data.
fn frames(family: &mut Family, pki: &Pki) {
    let honest = message().sign(pki.station());
    for version in [0, 1, 2, 4, 0x83, 255] {
        let name = format!("protocol version {version}");
        check(
            family,
            pki,
            &name,
            INVALID,
            &splice(&honest, 0, 1, &[version]),
        );
    }
    for alternative in [5, 6, 40, 62] {
        let name = format!("content of alternative {alternative}");
        let forged = splice(&honest, 1, 1, &[0x80 | alternative]);
        check(family, pki, &name, CRITICAL, &forged);
    }
    for (name, tag) in [
        ("content with a universal tag", 0x01),
        ("content with an application's tag", 0x41),
        ("content with a private tag", 0xc1),
        ("content with a long tag", 0xbf),
    ] {
        check(family, pki, name, INVALID, &splice(&honest, 1, 1, &[tag]));
    }
    for (name, forged) in [
        ("nothing", Vec::new()),
        ("a byte more", [&honest[..], &[0]].concat()),
        (
            "a signature more",
            [&honest[..], &honest[honest.len() - 66..]].concat(),
        ),
        ("the message twice", [&honest[..], &honest].concat()),
        ("a byte before", [&[0], &honest[..]].concat()),
        (
            "in unsecured data",
            [&[3, 0x80, 0x81, honest.len() as u8], &honest[..]].concat(),
        ),
    ] {
        let expected = match name {
            "in unsecured data" => ResultCode::InconsistentInputParameters,
            _ => INVALID,
        };
        check(family, pki, name, expected, &forged);
    }
}

/// A header's encryption key, changed and signed again.
fn header_keys(family: &mut Family, pki: &Pki) {
    let station = pki.station();
    let honest = message().sign_with(public_key(message().header()), station);
    let tbs = raw::tbs_of(&honest);
    // A public key for AES-128, of P-256, as a point with an odd y.
    let own = [&[0x80, 0x00, 0x80, 0x83], &BASE[..]].concat();
    let cases: [(&str, ResultCode, &[u8]); 5] = [
        (
            "encryption key of alternative 2",
            INVALID,
            &[0x82, 0x00, 0x80, 0x83],
        ),
        (
            "encryption key for a cipher that there is not",
            CRITICAL,
            &[0x80, 0x02, 0x80, 0x83],
        ),
        (
            "encryption key with a universal tag",
            INVALID,
            &[0x01, 0x00, 0x80, 0x83],
        ),
        (
            "encryption key of a curve with a private tag",
            INVALID,
            &[0x80, 0x00, 0xc0, 0x83],
        ),
        (
            "encryption key in a form that there is not",
            INVALID,
            &[0x80, 0x00, 0x80, 0x85],
        ),
    ];
    for (name, expected, new) in cases {
        let changed = raw::replaced(&tbs, &own, &[new, &BASE].concat());
        let forged = raw::message(&changed, &[&station.certificate], &station.key);
        check(family, pki, name, expected, &forged);
    }
}

/// Extension additions, changed and signed again.
fn additions(family: &mut Family, pki: &Pki) {
    let station = pki.station();
    let honest = message().sign_with(inline_request(message().header()), station);
    let tbs = raw::tbs_of(&honest);
    // The map of additions, and the first of them, a list of one entry of three bytes.
    let end = [2, 4, 0x80, 5, 1, 1, 1, 2, 3];
    assert!(tbs.ends_with(&end), "{tbs:02x?}");
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("map of no bytes", vec![0, 5, 1, 1, 1, 2, 3]),
        ("map without bits", vec![1, 0, 5, 1, 1, 1, 2, 3]),
        ("map of zeros", vec![2, 4, 0x00, 5, 1, 1, 1, 2, 3]),
        (
            "map with eight unused bits",
            vec![3, 8, 0x80, 0, 5, 1, 1, 1, 2, 3],
        ),
        (
            "map with unused bits set",
            vec![2, 4, 0x81, 5, 1, 1, 1, 2, 3],
        ),
        (
            "map of more than 64 bits",
            [&[10, 0, 0x80], &[0; 8][..], &[5, 1, 1, 1, 2, 3]].concat(),
        ),
        (
            "map with a long length",
            vec![0x81, 2, 4, 0x80, 5, 1, 1, 1, 2, 3],
        ),
        (
            "addition that is not there",
            vec![2, 4, 0xc0, 5, 1, 1, 1, 2, 3],
        ),
        (
            "addition with a byte more",
            vec![2, 4, 0x80, 6, 1, 1, 1, 2, 3, 0],
        ),
        ("addition with a byte less", vec![2, 4, 0x80, 4, 1, 1, 1, 2]),
        (
            "addition with a long length",
            vec![2, 4, 0x80, 0x81, 5, 1, 1, 1, 2, 3],
        ),
        (
            "addition longer than the message",
            vec![2, 4, 0x80, 0x82, 0xff, 0xff, 1, 1, 1, 2, 3],
        ),
        (
            "list with a zero before its count",
            vec![2, 4, 0x80, 6, 2, 0, 1, 1, 2, 3],
        ),
        (
            "list with more entries than it has",
            vec![2, 4, 0x80, 5, 1, 2, 1, 2, 3],
        ),
        (
            "list with fewer entries than it has",
            vec![2, 4, 0x80, 5, 1, 0, 1, 2, 3],
        ),
        (
            "list of so many entries",
            vec![2, 4, 0x80, 8, 4, 255, 255, 255, 255, 1, 2, 3],
        ),
    ];
    let sign = |tbs: &[u8]| raw::message(tbs, &[&station.certificate], &station.key);
    for (name, new) in cases {
        let at = tbs.len() - end.len();
        let forged = sign(&splice(&tbs, at, end.len(), &new));
        check(family, pki, name, INVALID, &forged);
    }
    // What a later version adds to a sequence is skipped.
    let later = [2, 3, 0x08, 2, 7, 7];
    let later = sign(&splice(&tbs, tbs.len() - end.len(), end.len(), &later));
    family.honest("addition of a later version", &mut pki.knowing(), &later);
}

/// Forges the signer identifier.
fn signers(family: &mut Family, pki: &Pki) {
    let honest = message().sign(pki.station());
    let parts = Parts::of(&honest);
    let own = &pki.station().certificate[..];
    let named = |choice: &[u8], rest: &[u8]| parts.named(&[choice, rest].concat());
    for (name, expected, forged) in [
        ("signer of alternative 3", CRITICAL, named(&[0x83], &[1, 0])),
        (
            "signer of alternative 30",
            CRITICAL,
            named(&[0x9e], &[1, 0]),
        ),
        (
            "signer with a universal tag",
            INVALID,
            named(&[0x01], &[1, 1]),
        ),
        (
            "count of certificates with a zero before",
            INVALID,
            named(&[0x81, 2, 0, 1], own),
        ),
        (
            "count of certificates of no bytes",
            INVALID,
            named(&[0x81, 0], own),
        ),
        (
            "more certificates than there are",
            INVALID,
            named(&[0x81, 1, 2], own),
        ),
        (
            "fewer certificates than there are",
            INVALID,
            named(&[0x81, 1, 0], own),
        ),
        (
            "as many certificates as can be said",
            INVALID,
            named(&[0x81, 8, 255, 255, 255, 255, 255, 255, 255, 255], own),
        ),
        ("digest cut short", INVALID, named(&[0x80], &[1; 7])),
    ] {
        check(family, pki, name, expected, &forged);
    }
    let empty = named(&[0x81, 1, 0], &[]);
    check(
        family,
        pki,
        "no certificates",
        ResultCode::ParsingCertificateNotFound,
        &empty,
    );
}
