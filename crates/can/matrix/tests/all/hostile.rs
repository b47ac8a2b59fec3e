//! Damaged and hostile files: an answer or an error for each, in bounded time and memory.

use super::{ARXML, KCD, SYM, matrix};
use waywarden_can_matrix::{DEPTH_MAX, MatrixError, TEXT_MAX};
use waywarden_testkit::{DBC, Random, cases, first_seed};

/// Pieces that change the meaning of what stands around them.
const PIECES: [&str; 22] = [
    "<",
    ">",
    "/>",
    "</",
    "\"",
    "'",
    "&",
    "&amp;",
    "&#x0;",
    "&#1114112;",
    "<!--",
    "]]>",
    "<![CDATA[",
    "<!DOCTYPE a [",
    "\0",
    "\u{feff}",
    "-1",
    "99999999999999999999",
    "1e308",
    "//",
    "h",
    "0,0",
];

/// Changes a text at random: bytes, pieces, and lines that are dropped, doubled or swapped.
fn mutated(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len().max(1) as u64) as usize;
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.below(256) as u8;
                }
            }
            2 => {
                let piece = PIECES[random.below(PIECES.len() as u64) as usize];
                bytes.splice(at..at, piece.bytes());
            }
            3 => {
                let end = bytes.len().min(at + random.below(200) as usize);
                bytes.drain(at..end);
            }
            4 => {
                let end = bytes.len().min(at + random.below(400) as usize);
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len() as u64 + 1) as usize;
                bytes.splice(to..to, part);
            }
            _ => {
                // A number becomes another one.
                let digit = bytes[at..].iter().position(u8::is_ascii_digit);
                if let Some(digit) = digit {
                    bytes[at + digit] = b'0' + random.below(10) as u8;
                }
            }
        }
    }
    bytes
}

#[test]
fn mutated_files_are_read_or_refused() {
    let seed = first_seed(0x3A7);
    println!("seed {seed:#x}");
    let mut random = Random::new(seed);
    for text in [ARXML, KCD, SYM, DBC] {
        let (mut read, mut refused) = (0, 0);
        for _ in 0..cases(200) {
            match matrix(&mutated(text, &mut random)) {
                Ok(matrix) => {
                    read += 1;
                    for message in matrix.messages() {
                        assert!(message.length <= 1_785);
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
        assert!(
            read > 0 && read + refused > 0,
            "{read} read, {refused} refused"
        );
    }
}

#[test]
fn entities_are_never_expanded() {
    let bomb = "<!DOCTYPE AUTOSAR [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]>\
                <AUTOSAR><AR-PACKAGES>&b;</AR-PACKAGES></AUTOSAR>";
    let error = matrix(bomb.as_bytes()).expect_err("a bomb");
    assert!(error.to_string().contains("entity &b;"), "{error}");
    let outside = "<!DOCTYPE AUTOSAR [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>\
                   <AUTOSAR><A B=\"&x;\">&x;</A></AUTOSAR>";
    let error = matrix(outside.as_bytes()).expect_err("a file");
    assert!(error.to_string().contains("&x;"), "{error}");
}

#[test]
fn deep_and_long_files_are_refused_or_read_within_bounds() {
    let deep = ["<AUTOSAR>", &"<A>".repeat(100_000)].concat();
    assert_eq!(
        matrix(deep.as_bytes()),
        Err(MatrixError::TooDeep { line: 1 })
    );
    let skipped = ["<AUTOSAR>", &"<DESC>".repeat(DEPTH_MAX)].concat();
    assert!(matches!(
        matrix(skipped.as_bytes()),
        Err(MatrixError::TooDeep { .. })
    ));
    // A huge attribute, and many small ones.
    let huge = format!("<AUTOSAR><A B=\"{}\"/></AUTOSAR>", "x".repeat(1 << 20));
    let many = format!("<AUTOSAR><A {}/></AUTOSAR>", "B=\"\" ".repeat(100_000));
    // Long names, and as many of them.
    let names: String = (0..20_000).map(|at| format!("<N{at}/>")).collect();
    let named = format!("<AUTOSAR>{names}</AUTOSAR>");
    for text in [huge, many, named] {
        let error = matrix(text.as_bytes()).expect_err("no cluster");
        assert!(error.to_string().contains("no CAN-CLUSTER"), "{error}");
    }
    assert!(matches!(
        matrix(&vec![0; TEXT_MAX + 1]),
        Err(MatrixError::TooLong { .. })
    ));
}

/// PDUs that refer to each other, or to themselves, end.
#[test]
fn circles_of_references_end() {
    for (from, to) in [
        (
            "/Pdus/WheelSpeeds</I-PDU-REF>",
            "/Pdus/WheelSpeedsSecured</I-PDU-REF>",
        ),
        (
            "/Buses/Chassis/Channel/PT_WheelSpeeds</PAYLOAD-REF>",
            "/Pdus/WheelSpeedsSecured</PAYLOAD-REF>",
        ),
    ] {
        let text = ARXML.replacen(from, to, 1);
        assert_ne!(text, ARXML);
        assert_eq!(matrix(text.as_bytes()).unwrap().messages().count(), 6);
    }
}
