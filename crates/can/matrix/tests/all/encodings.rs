//! Encodings and formats, told apart by content.

use super::{ARXML, KCD, SYM, matrix, read};
use waywarden_can_matrix::MatrixFormat;
use waywarden_testkit::DBC;

fn utf_16(text: &str, to_bytes: fn(u16) -> [u8; 2], mark: &[u8]) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(to_bytes);
    mark.iter().copied().chain(units).collect()
}

#[test]
fn every_encoding_reads_alike() {
    for text in [ARXML, KCD, SYM, DBC] {
        let plain = read(text);
        let marked = ["\u{feff}", text].concat().into_bytes();
        for bytes in [
            marked,
            utf_16(text, u16::to_le_bytes, &[0xFF, 0xFE]),
            utf_16(text, u16::to_be_bytes, &[0xFE, 0xFF]),
            utf_16(text, u16::to_le_bytes, &[]),
            utf_16(text, u16::to_be_bytes, &[]),
        ] {
            assert_eq!(matrix(&bytes).unwrap(), plain);
            let head = &bytes[..bytes.len().min(1_001)];
            assert_eq!(MatrixFormat::of_bytes(head), Some(plain.format));
        }
    }
}

#[test]
fn windows_1252_is_read() {
    let text = KCD.replace("Brakes", "Br\u{e4}kes");
    let bytes: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    assert_eq!(
        matrix(&bytes).unwrap().messages().next().unwrap().senders,
        ["Br\u{e4}kes"]
    );
}

#[test]
fn formats_are_known_by_content() {
    for (head, format) in [
        (&b"VERSION \"\"\n"[..], Some(MatrixFormat::Dbc)),
        (b"\n// x\nFormatVersion = 6.0", Some(MatrixFormat::Sym)),
        (
            b"<?xml?><!-- <AUTOSAR> --><ns:NetworkDefinition>",
            Some(MatrixFormat::Kcd),
        ),
        (b"<!DOCTYPE a><a:AUTOSAR\n", Some(MatrixFormat::Arxml)),
        (b"<html>", None),
        (b"", None),
        (b"<", None),
        (b"name = 'x'", None),
    ] {
        assert_eq!(
            MatrixFormat::of_bytes(head),
            format,
            "{}",
            head.escape_ascii()
        );
    }
}

/// A comment of any length may stand before the first element, and end at any byte of what is
/// looked at first.
#[test]
fn comments_before_the_root_hide_no_format() {
    for length in (16_350..16_390).chain([4_096, 200_000]) {
        let comment = format!("<!--{}-->", "c".repeat(length));
        for (root, format) in [
            ("<a:AUTOSAR x=''>", Some(MatrixFormat::Arxml)),
            ("<NetworkDefinition>", Some(MatrixFormat::Kcd)),
            ("<AUTOSARS>", None),
        ] {
            let text = [&comment, root].concat();
            assert_eq!(MatrixFormat::of_bytes(text.as_bytes()), format, "{length}");
        }
    }
}
