//! Certificates whose encoding is not canonical, or not of this version of the standard, signed by
//! their issuer.

use waywarden_v2x_security::ResultCode;

use super::build::{Pki, plain};
use super::encoding::data::Patch;
use super::encoding::{CRITICAL, INVALID, check, message, splice};
use super::raw;
use super::table::Family;

#[test]
fn certificates_that_are_not_canonical_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("encoded certificate");
    certificates(&mut family, &Pki::plain());
    family
}

/// Returns patches of the fields before the permissions, with id and duration at these offsets.
fn id_patches(id: usize, duration: usize) -> Vec<Patch> {
    let long_name = [&[0x81, 0x82, 1, 0], &[b'a'; 256][..]].concat();
    let own_name = |name: &[u8]| [&[0x81, name.len() as u8], name].concat();
    vec![
        ("extended by nothing", INVALID, 0, 1, vec![0x90]),
        ("id of alternative 4", CRITICAL, id, 1, vec![0x84]),
        (
            "name that is no UTF-8",
            INVALID,
            id,
            1,
            own_name(&[0xff, 0xfe]),
        ),
        ("name that is too long", INVALID, id, 1, long_name),
        ("binary id of no bytes", INVALID, id, 1, vec![0x82, 0]),
        (
            "binary id of 65 bytes",
            INVALID,
            id,
            1,
            [&[0x82, 65], &[1; 65][..]].concat(),
        ),
        (
            "duration of alternative 7",
            INVALID,
            duration,
            1,
            vec![0x87],
        ),
    ]
}

/// The permissions, which begin at this place.
fn permission_patches(permissions: usize) -> Vec<Patch> {
    let psid = permissions + 3;
    let bitmap = [0xc0, 1, 32, 0x81, 33, 32];
    let long_bitmap = [&bitmap[..], &[1; 32]].concat();
    vec![
        ("without permissions", INVALID, 0, 1, vec![0x00]),
        (
            "without any permission",
            INVALID,
            permissions,
            14,
            vec![1, 0],
        ),
        (
            "permissions with a zero before their count",
            INVALID,
            permissions,
            2,
            vec![2, 0, 4],
        ),
        (
            "more permissions than there are",
            INVALID,
            permissions,
            2,
            vec![1, 5],
        ),
        (
            "so many permissions",
            INVALID,
            permissions,
            2,
            vec![4, 255, 255, 255, 255],
        ),
        (
            "permission with a spare bit",
            INVALID,
            permissions + 2,
            1,
            vec![0x01],
        ),
        (
            "permission with a zero before",
            INVALID,
            psid,
            2,
            vec![2, 0, 32],
        ),
        (
            "permission of 32 bytes of bits",
            INVALID,
            permissions + 2,
            3,
            long_bitmap,
        ),
    ]
}

/// The station's certificate, changed and signed again by its authority.
fn certificates(family: &mut Family, pki: &Pki) {
    let (station, authority) = (pki.station(), &pki.holders[1]);
    let tbs = raw::tbs_of_certificate(&station.certificate);
    let message_tbs = raw::tbs_of(&message().sign(station));
    let sign = |certificate: &[u8]| {
        let chain = [certificate, &authority.certificate];
        raw::message(&message_tbs, &chain, &station.key)
    };
    // Preamble, id, cracaId, crlSeries, start, duration, then the permissions.
    let (id, duration, permissions) = (1, 11, 14);
    assert_eq!((tbs[0], tbs[id], tbs[duration]), (0x10, 0x83, 0x84));
    assert_eq!(tbs[permissions..permissions + 5], [1, 4, 0, 1, 32]);
    assert_eq!(plain(32).psid.0, 32);
    let patches = [id_patches(id, duration), permission_patches(permissions)];
    for (name, expected, at, old, new) in patches.concat() {
        let expected = match name {
            // A list of none is one: the application is not in it.
            "without any permission" => ResultCode::ConsistencyUnauthorizedPsid,
            _ => expected,
        };
        let changed = splice(&tbs, at, old, &new);
        let forged = sign(&raw::certificate(station, &changed, authority));
        check(family, pki, name, expected, &forged);
    }
    let own = &station.certificate;
    for (name, expected, at, new) in [
        ("certificate with a spare bit", INVALID, 0, 0x81),
        ("certificate of version 2", INVALID, 1, 2),
        ("certificate of version 4", INVALID, 1, 4),
        ("certificate of type 255", INVALID, 2, 255),
        ("issuer of alternative 4", CRITICAL, 3, 0x84),
        ("issuer with a universal tag", INVALID, 3, 0x00),
    ] {
        check(
            family,
            pki,
            name,
            expected,
            &sign(&splice(own, at, 1, &[new])),
        );
    }
}
