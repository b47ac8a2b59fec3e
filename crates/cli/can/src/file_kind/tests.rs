//! Known heads of files of every kind, and a property: no vehicle file is taken for another kind.

use std::fs;

use waywarden_testkit::{Random, workspace};

use super::*;

/// Lines that would be another kind if they stood alone, as comments may quote them.
const QUOTED: [&str; 9] = [
    "VERSION \"\"",
    "BO_ 256 Speed: 8 Engine",
    "(1.0) can0 123#11",
    "date Sat Nov 21 05:35:39.956 2026",
    "<html>",
    "{\"schema\": \"waywarden/run/1\"}",
    ";$FILEVERSION=1.1",
    "time,id,data",
    "LOGG",
];

#[test]
fn kinds_are_recognized_by_their_first_bytes() {
    let candump = FileKind::Log(LogFormat::Candump);
    let known: [(&[u8], Option<FileKind>); 39] = [
        (b"", Some(FileKind::Empty)),
        (b" \r\n\n", Some(FileKind::Empty)),
        (b"VERSION \"\"\n\nNS_ :\n", Some(FileKind::Dbc)),
        (b"VERSION\"1\"\r\n", Some(FileKind::Dbc)),
        (b"\xEF\xBB\xBF\n  BU_: A B\n", Some(FileKind::Dbc)),
        (b"BO_ 256 Speed: 8 Engine\n", Some(FileKind::Dbc)),
        (b"LOGG\x90\0\0\0", Some(FileKind::Log(LogFormat::Blf))),
        (b"(1.0) can0 123#11\n", Some(candump)),
        (b"  can0  123   [1]  11\n", Some(candump)),
        (
            b"date Sat Nov 21 05:35:39.956 2026\r\n",
            Some(FileKind::Log(LogFormat::Asc)),
        ),
        (b"# a car\n\n[vehicle]\nname = 'x'\n", Some(FileKind::Toml)),
        (b"date = 2026-01-01\n", Some(FileKind::Toml)),
        (b"base = 'hex'\n", Some(FileKind::Toml)),
        (b"VERSION = 1\n", Some(FileKind::Toml)),
        (b"'a,b,c' = 1\n", Some(FileKind::Toml)),
        (b"[ 'vehicle' ]\n", Some(FileKind::Toml)),
        (b"{\"a\": 1}\n", Some(FileKind::Json)),
        (b"[\n  {\n", Some(FileKind::Json)),
        (
            b"{\n  \"schema\": \"waywarden/run/1\",",
            Some(FileKind::OwnJson),
        ),
        (b"<!DOCTYPE html>\n<html lang='en'>", Some(FileKind::Html)),
        (
            b"<?xml version='1.0'?>\n<AUTOSAR xmlns=''>",
            Some(FileKind::Arxml),
        ),
        (
            b"<?xml version='1.0'?>\n<NetworkDefinition>",
            Some(FileKind::Kcd),
        ),
        (b"FormatVersion=6.0 // Do not edit", Some(FileKind::Sym)),
        (b";$FILEVERSION=1.1\n", Some(FileKind::Log(LogFormat::Trc))),
        (b"MDF     4.10    ", Some(FileKind::Log(LogFormat::Mf4))),
        (b"MDF     3.30    ", Some(FileKind::Mdf)),
        (b"SQLite format 3\0", Some(FileKind::Log(LogFormat::Sqlite))),
        (b"\x0A\x0D\x0D\x0A\x1C\0\0\0", Some(FileKind::Capture)),
        (
            b"Time Stamp,ID,Extended,Dir,Bus\n",
            Some(FileKind::Log(LogFormat::Gvret)),
        ),
        (b"Time,Name,Value\n", Some(FileKind::Csv)),
        (b"PK\x03\x04\x14\0", Some(FileKind::Zip)),
        (b"\xFF\xFE[\0v\0", Some(FileKind::Utf16)),
        (b"\x7FELF\x02\x01", Some(FileKind::Binary)),
        (b"plain words\nof no kind\n", None),
        (b"<\0A\0U\0T\0O\0S\0A\0R\0>\0", Some(FileKind::Arxml)),
        (b"\0V\0E\0R\0S\0I\0O\0N\0 \0\"\0\"", Some(FileKind::Dbc)),
        (
            b"F\0o\0r\0m\0a\0t\0V\0e\0r\0s\0i\0o\0n\0=\0",
            Some(FileKind::Sym),
        ),
        (b"n\0o\0n\0e\0 \0", Some(FileKind::Utf16)),
        (b"\0\0\0\x01\0\0\0\x02", Some(FileKind::Binary)),
    ];
    for (head, expected) in known {
        assert_eq!(recognize(head), expected, "{}", head.escape_ascii());
    }
}

/// A comment before what tells a kind may be of any length.
#[test]
fn long_comments_before_the_content_hide_no_kind() {
    for length in [10, 4_090, 4_200, 16_380, 20_000, 2_000_000] {
        let comment = "c".repeat(length);
        for (text, expected) in [
            (format!("<!--{comment}--><AUTOSAR/>"), FileKind::Arxml),
            (
                format!(
                    "<?xml version=\"1.0\"?>\n<!-- <AUTOSAR> {comment} -->\n<NetworkDefinition/>"
                ),
                FileKind::Kcd,
            ),
            (format!("<!--{comment}--><html/>"), FileKind::Html),
            (format!("//{comment}\nFormatVersion = 6.0\n"), FileKind::Sym),
            (
                format!("{}VERSION \"\"\n", "\n".repeat(length)),
                FileKind::Dbc,
            ),
            (format!("#{comment}\n[vehicle]\n"), FileKind::Toml),
        ] {
            // An HTML page is told by its beginning alone.
            if expected == FileKind::Html && length > 4_000 {
                continue;
            }
            assert_eq!(recognize(text.as_bytes()), Some(expected), "{length}");
        }
    }
}

#[test]
fn kinds_of_toml_are_recognized_by_their_tables() {
    for (text, expected) in [
        ("[vehicle]\nname = 'x'", Some(TableKind::Vehicle)),
        ("vehicle = { name = 'x' }", Some(TableKind::Vehicle)),
        (
            "[[bus]]\nname = 'x'\n[[authentication]]",
            Some(TableKind::Vehicle),
        ),
        ("[characteristics]", Some(TableKind::Board)),
        (
            "[[authentication]]\nname = 'x'",
            Some(TableKind::Authentication),
        ),
        ("[sockets]", Some(TableKind::Service)),
        ("[roads]\n[traffic]", Some(TableKind::Traffic)),
        ("[other]", None),
        ("[vehicle", None),
    ] {
        assert_eq!(table_kind(text), expected, "{text}");
    }
}

/// Every vehicle file of the examples, with quotations of all kinds in comments at its beginning,
/// other ends of lines, a byte order mark, and cut at any byte.
#[test]
fn no_vehicle_file_is_taken_for_another_kind() {
    let mut random = Random::of_test("no_vehicle_file_is_taken_for_another_kind");
    let examples = workspace().join("examples");
    let files = fs::read_dir(examples)
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let texts: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| fs::read_to_string(path).unwrap())
        .filter(|text| text.contains("[vehicle]"))
        .collect();
    assert!(texts.len() > 5, "{}", texts.len());
    for round in 0..600 {
        let own = &texts[random.index(texts.len())];
        // From any line on, for each may come first.
        let lines: Vec<&str> = own.lines().collect();
        let from = random.index(lines.len().min(60));
        let is_key = |line: &str| line.starts_with(char::is_alphabetic) && line.contains(" = ");
        let begins = lines[from].starts_with(['#', '[']) || is_key(lines[from]);
        let from = if begins { from } else { 0 };
        let quoted = (0..random.index(4)).map(|_| QUOTED[random.index(QUOTED.len())]);
        let mut text: String = quoted.map(|one| format!("# {one}\n#{one}\n\n")).collect();
        text.push_str(&lines[from..].join("\n"));
        text.push_str("\nnote = \"\"\"\n");
        text.push_str(QUOTED[random.index(QUOTED.len())]);
        if random.once_in(3) {
            text = text.replace('\n', "\r\n");
        }
        if random.once_in(3) {
            text.insert(0, '\u{feff}');
        }
        let end = random.index(text.len() + 1).clamp(1, files::HEAD_MAX);
        let whole = &text.as_bytes()[..text.len().min(files::HEAD_MAX)];
        let shown = String::from_utf8_lossy(&whole[..whole.len().min(400)]);
        let kind = recognize(whole);
        assert!(
            matches!(kind, None | Some(FileKind::Toml)),
            "{round}: {kind:?}: {shown}"
        );
        let cut = recognize(&whole[..end.min(whole.len())]);
        let is_own = |kind| matches!(kind, None | Some(FileKind::Toml | FileKind::Empty));
        assert!(is_own(cut), "{round}: cut at {end}: {cut:?}: {shown}");
    }
}

/// Bytes of every kind, at any length: none ends the program, and each is refused or not by its
/// kind alone.
#[test]
fn hostile_heads_are_recognized_or_left_alone() {
    let mut random = Random::of_test("hostile_heads_are_told_or_left_alone");
    for _ in 0..2_000 {
        let length = random.index(80);
        let mut head = random.bytes(length);
        if random.once_in(2) {
            let words = QUOTED[random.index(QUOTED.len())].as_bytes();
            head.splice(0..0, words.iter().copied());
        }
        let path = Path::new("file");
        let is_dbc = recognize(&head) == Some(FileKind::Dbc);
        let refused = refusal(path, &head, Expected::Matrix).is_some();
        assert!(!(is_dbc && refused), "{}", head.escape_ascii());
        for expected in [Expected::Vehicle, Expected::Log, Expected::Checked] {
            if let Some(failure) = refusal(path, &head, expected) {
                let line = &failure.lines()[0];
                assert!(line.starts_with("file: ") && line.contains("; "), "{line}");
            }
        }
    }
}
