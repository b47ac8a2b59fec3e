//! The signed data, changed and signed again.

use super::{CRITICAL, INVALID, check, message, splice};
use crate::forgeries::build::Pki;
use crate::forgeries::raw;
use crate::forgeries::table::Family;
use waywarden_v2x_security::ResultCode;

/// A name, the expected result, the place of bytes, how many there are, and what takes their place.
pub(crate) type Patch = (&'static str, ResultCode, usize, usize, Vec<u8>);

pub(super) fn family(family: &mut Family, pki: &Pki) {
    let honest = message().sign(pki.station());
    let tbs = raw::tbs_of(&honest);
    let length = message().payload.len();
    // Preamble, version, choice and length of the payload, then the header's preamble and psid.
    let header = 4 + length;
    assert_eq!(&tbs[header + 1..header + 3], &[1, 135]);
    let length = length as u8;
    let patches = [
        payload_patches(usize::from(length)),
        length_patches(length),
        header_patches(header, tbs.len()),
    ];
    for (name, expected, at, old, new) in patches.concat() {
        let changed = splice(&tbs, at, old, &new);
        let station = pki.station();
        let forged = raw::message(&changed, &[&station.certificate], &station.key);
        check(family, pki, name, expected, &forged);
    }
}

/// The payload of signed data, of so many bytes.
fn payload_patches(length: usize) -> Vec<Patch> {
    vec![
        ("payload with a spare bit", INVALID, 0, 1, vec![0x41]),
        ("payload with all spare bits", INVALID, 0, 1, vec![0x5f]),
        ("payload extended by nothing", INVALID, 0, 1, vec![0xc0]),
        ("payload without data", INVALID, 0, 1, vec![0x00]),
        (
            "payload of no data at all",
            INVALID,
            0,
            4 + length,
            vec![0x00],
        ),
        ("payload of version 2", INVALID, 1, 1, vec![2]),
        ("payload of version 4", INVALID, 1, 1, vec![4]),
        (
            "payload of a kind that there is not",
            CRITICAL,
            2,
            1,
            vec![0x85],
        ),
    ]
}

/// The length of the payload of signed data.
fn length_patches(length: u8) -> Vec<Patch> {
    vec![
        (
            "payload's length in two bytes",
            INVALID,
            3,
            1,
            vec![0x81, length],
        ),
        (
            "payload's length in three bytes",
            INVALID,
            3,
            1,
            vec![0x82, 0, length],
        ),
        (
            "payload's length in nine bytes",
            INVALID,
            3,
            1,
            vec![0x88, 0, 0, 0, 0, 0, 0, 0, length],
        ),
        ("payload's length in no bytes", INVALID, 3, 1, vec![0x80]),
        ("payload's length too large", INVALID, 3, 1, vec![0x7f]),
        (
            "payload's length beyond all bounds",
            INVALID,
            3,
            1,
            vec![0x84, 255, 255, 255, 255],
        ),
        (
            "payload's length beyond the machine",
            INVALID,
            3,
            1,
            vec![0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        ),
        ("payload's length reserved", INVALID, 3, 1, vec![0xff]),
        ("payload's length one less", INVALID, 3, 1, vec![length - 1]),
        ("payload's length one more", INVALID, 3, 1, vec![length + 1]),
    ]
}

/// The header of signed data, which begins and ends at these places.
fn header_patches(header: usize, end: usize) -> Vec<Patch> {
    let psid = header + 1;
    vec![
        ("header with a spare bit", INVALID, header, 1, vec![0x41]),
        ("header extended by nothing", INVALID, header, 1, vec![0xc0]),
        (
            "header with an expiry that is not there",
            INVALID,
            header,
            1,
            vec![0x60],
        ),
        (
            "header without the time that is there",
            INVALID,
            header,
            1,
            vec![0x00],
        ),
        ("psid with a zero before", INVALID, psid, 2, vec![2, 0, 135]),
        (
            "psid of eight bytes",
            INVALID,
            psid,
            2,
            vec![8, 0, 0, 0, 0, 0, 0, 0, 135],
        ),
        (
            "psid of nine bytes",
            INVALID,
            psid,
            2,
            vec![9, 1, 0, 0, 0, 0, 0, 0, 0, 135],
        ),
        ("psid of no bytes", INVALID, psid, 2, vec![0]),
        ("psid with a long length", INVALID, psid, 1, vec![0x81, 1]),
        ("a byte behind the header", INVALID, end, 0, vec![0]),
    ]
}
