//! Certificates of a kind that does not fit what they have, and with a key that is none.

use waywarden_testkit_v2x::world::MessageContents;
use waywarden_v2x_security::ResultCode::{
    self, CryptoVerificationFailure, ParsingInvalidInput,
    ParsingUnsupportedCriticalInformationField,
};
use waywarden_v2x_wire::ieee1609dot2::CertificateType;

use super::build::{Draft, Pki};
use super::elements::BASE;
use super::raw;
use super::table::Family;

#[test]
fn certificates_with_a_wrong_key_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("key");
    kinds(&mut family);
    public_keys(&mut family);
    reconstruction_values(&mut family);
    family
}

/// Explicit certificates without a signature, implicit ones with one, and the like.
fn kinds(family: &mut Family) {
    let message = MessageContents::new();
    for (name, implicit) in [("explicit", false), ("implicit", true)] {
        let draft = Draft {
            implicit,
            ..Draft::station(3)
        };
        let pki = Pki::with(draft);
        let own = pki.station().certificate.clone();
        let signature = Pki::plain().station().certificate.clone();
        let signature = &signature[signature.len() - 66..];
        let honest = pki.sign(&message);
        let tbs = raw::tbs_of(&honest);
        let kind = if implicit { "explicit" } else { "implicit" };
        let mut renamed = own.clone();
        renamed[2] ^= 1;
        let mut resized = own.clone();
        resized[0] ^= 0x80;
        match implicit {
            false => resized.truncate(own.len() - 66),
            true => resized.extend_from_slice(signature),
        }
        let both = [&[resized[0], 3, renamed[2]], &resized[3..]].concat();
        let forms = [
            (format!("{name} one that says it is {kind}"), renamed),
            (
                format!("{name} one with the signature of an {kind} one"),
                resized,
            ),
            (format!("{name} one that says so with that signature"), both),
        ];
        for (name, certificate) in forms {
            let chain = [&certificate[..], &pki.holders[1].certificate];
            let forged = raw::message(&tbs, &chain, &pki.station().key);
            family.pair(
                &name,
                ParsingInvalidInput,
                &mut pki.verifier(),
                &forged,
                &honest,
            );
        }
        let type_2 = [&own[..2], &[2], &own[3..]].concat();
        let chain = [&type_2[..], &pki.holders[1].certificate];
        let forged = raw::message(&tbs, &chain, &pki.station().key);
        let name = format!("{name} one of a third kind");
        family.pair(
            &name,
            ParsingUnsupportedCriticalInformationField,
            &mut pki.verifier(),
            &forged,
            &honest,
        );
    }
    assert_eq!(CertificateType::Implicit as u8, 1);
}

/// A station's certificate whose key is replaced, signed by its authority.
fn rekeyed(
    family: &mut Family,
    name: &str,
    pki: &Pki,
    (from, to): (&[u8], &[u8]),
    expected: ResultCode,
) {
    let (station, authority) = (pki.station(), &pki.holders[1]);
    let honest = pki.sign(&MessageContents::new());
    let tbs = raw::replaced(&raw::tbs_of_certificate(&station.certificate), from, to);
    let certificate = raw::certificate(station, &tbs, authority);
    let chain = [&certificate[..], &authority.certificate];
    let forged = raw::message(&raw::tbs_of(&honest), &chain, &station.key);
    family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
}

/// An x-coordinate of P-256 without a y.
fn without_y() -> [u8; 32] {
    use waywarden_ecverify::{Curve, EncodedPoint, Point};
    let mut x = BASE;
    while Point::decode(Curve::P256, &EncodedPoint::CompressedY0(&x)).is_ok() {
        x[31] = x[31].wrapping_add(1);
    }
    x
}

fn public_keys(family: &mut Family) {
    let pki = Pki::plain();
    let (x, y) = raw::public(&pki.station().key);
    let tag = 0x82 | (y[31] & 1);
    let own = [&[0x80, 0x80, tag], &x[..]].concat();
    let mut off = y;
    off[0] ^= 1;
    let mut prime = [0xff; 32];
    prime[4..8].fill(0);
    prime[7] = 1;
    prime[8..20].fill(0);
    let bad = without_y();
    let key = |algorithm: u8, parts: &[&[u8]]| [&[0x80, algorithm], &parts.concat()[..]].concat();
    let failure = CryptoVerificationFailure;
    let cases: Vec<(&str, Vec<u8>, ResultCode)> = vec![
        (
            "key as an x-coordinate alone",
            key(0x80, &[&[0x80], &x]),
            failure,
        ),
        ("key of nothing", key(0x80, &[&[0x81]]), failure),
        (
            "key with the other y",
            key(0x80, &[&[tag ^ 1], &x]),
            failure,
        ),
        (
            "key with an x without y",
            key(0x80, &[&[0x82], &bad]),
            failure,
        ),
        (
            "key beside the curve",
            key(0x80, &[&[0x84], &x, &off]),
            failure,
        ),
        ("key of zeros", key(0x80, &[&[0x84], &[0; 64]]), failure),
        (
            "key with x the prime",
            key(0x80, &[&[0x82], &prime]),
            failure,
        ),
        ("key of brainpoolP256r1", key(0x81, &[&[tag], &x]), failure),
        (
            "key of another holder",
            key(0x80, &[&[0x83], &BASE]),
            failure,
        ),
        (
            "key in a form that there is not",
            key(0x80, &[&[0x85], &x]),
            ParsingInvalidInput,
        ),
        (
            "key of an algorithm that there is not",
            key(0x85, &[&[33, tag], &x]),
            ParsingUnsupportedCriticalInformationField,
        ),
    ];
    for (name, forged, expected) in cases {
        rekeyed(family, name, &pki, (&own, &forged), expected);
    }
}

/// Values from which an implicit certificate's key is rebuilt.
fn reconstruction_values(family: &mut Family) {
    let pki = Pki::with(Draft::station(3).implicit());
    let tbs = &raw::tbs_of_certificate(&pki.station().certificate)[..];
    let start = tbs.len() - 33;
    let (tag, x) = (tbs[start], &tbs[start + 1..]);
    let honest = pki.sign(&MessageContents::new());
    let bad = without_y();
    let mut flipped = x.to_vec();
    flipped[31] ^= 1;
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("value as an x-coordinate alone", [&[0x80], x].concat()),
        ("value of nothing", vec![0x81]),
        ("value with the other y", [&[tag ^ 1], x].concat()),
        ("value with an x without y", [&[0x82], &bad[..]].concat()),
        ("value of zeros", [&[0x84], &[0; 64][..]].concat()),
        ("value one bit away", [&[tag], &flipped[..]].concat()),
        (
            "value of another certificate",
            [&[0x83], &BASE[..]].concat(),
        ),
    ];
    let head = pki.station().certificate.len() - tbs.len();
    for (name, value) in cases {
        let head = &pki.station().certificate[..head + start];
        let certificate = [head, &value].concat();
        let chain = [&certificate[..], &pki.holders[1].certificate];
        let forged = raw::message(&raw::tbs_of(&honest), &chain, &pki.station().key);
        let expected = CryptoVerificationFailure;
        family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
    }
}
