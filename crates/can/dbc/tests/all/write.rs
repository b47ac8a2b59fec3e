//! DBC files written again: read back the same, here and by cantools.

use std::process::Command;

use can_dbc::Dbc;
use waywarden_can_dbc::{ReadOptions, SignalMatrix, decode, encode, import, rewrite};
use waywarden_testkit::{DBC, Random, cases, corpus_bytes, output_of, python_with};

/// Statements of every kind that the reader knows.
const ALL: &str = "VERSION \"1.0 \u{e9}\"\n\nNS_ :\n\tCM_\n\tBA_DEF_\n\nBS_: 500000 : 1,2\n\n\
BU_: A B C\n\
VAL_TABLE_ Switch 1 \"on\" 0 \"off\" ;\n\n\
BO_ 291 Plain: 8 A\n \
 SG_ Little : 4|12@1+ (0.25,-10) [-10|1e3] \"km/h\" B,C\n \
 SG_ Big : 23|12@0- (1e-7,0) [0|18446744073709551615] \"\u{b0}C\" B\n \
 SG_ Half : 32|32@1- (2,1) [-1.5|0.0] \"V\" Vector__XXX\n\n\
BO_ 292 Selected: 8 Vector__XXX\n \
 SG_ Selector M : 0|8@1+ (1,0) [0|0] \"\" B\n \
 SG_ First m0 : 8|8@1+ (1,0) [0|0] \"\" B\n \
 SG_ Second m1M : 8|8@1+ (1,0) [0|0] \"\" B\n \
 SG_ Third m3 : 16|8@1- (1,0) [0|0] \"\" B\n\n\
BO_ 2147484000 Long: 64 A\n \
 SG_ Double : 448|64@1- (1,0) [0|0] \"\" B\n\n\
BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX\n \
 SG_ Lonely : 0|8@1+ (1,0) [0|0] \"\" Vector__XXX\n\n\
BO_TX_BU_ 292 : A,B;\n\
EV_ Whole: 0 [-3|1234] \"mm\" 60 2 DUMMY_NODE_VECTOR3 A,B;\n\
EV_ Text: 0 [0|0] \"\" 0 3 DUMMY_NODE_VECTOR8001 Vector__XXX;\n\
ENVVAR_DATA_ Whole: 10;\n\
CM_ \"all \\\"quoted\\\" // and\nof two lines\";\n\
CM_ BU_ A \"a node\";\n\
CM_ BO_ 291 \"a message\";\n\
CM_ SG_ 291 Little \"a signal\";\n\
CM_ SG_ 3221225472 Lonely \"without a message\";\n\
CM_ EV_ Whole \"a variable\";\n\
BA_DEF_ \"Network\" STRING ;\n\
BA_DEF_ BU_ \"Node\" INT 0 100;\n\
BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 65535;\n\
BA_DEF_ SG_ \"Kind\" ENUM \"No\",\"Yes, it is\";\n\
BA_DEF_ EV_ \"Variable\" HEX 256 320;\n\
BA_DEF_ BO_ \"Share\" FLOAT 0 50.5;\n\
BA_DEF_REL_ BU_SG_REL_ \"Hears\" INT 0 1;\n\
BA_DEF_REL_ BU_BO_REL_ \"Sends\" STRING ;\n\
BA_DEF_DEF_ \"Network\" \"\";\n\
BA_DEF_DEF_ \"Share\" 2.0;\n\
BA_DEF_DEF_ \"Kind\" \"No\";\n\
BA_DEF_DEF_REL_ \"Hears\" 0;\n\
BA_ \"Network\" \"CAN\";\n\
BA_ \"Node\" BU_ A 7;\n\
BA_ \"GenMsgCycleTime\" BO_ 291 20;\n\
BA_ \"Share\" BO_ 292 12.25;\n\
BA_ \"Kind\" SG_ 291 Little 1;\n\
BA_ \"Kind\" SG_ 3221225472 Lonely 1;\n\
BA_ \"Variable\" EV_ Whole 300;\n\
BA_REL_ \"Hears\" BU_SG_REL_ B SG_ 291 Little 1;\n\
BA_REL_ \"Sends\" BU_BO_REL_ A 291 \"often\";\n\
VAL_ 292 Third 1 \"one\" -1 \"minus one\" ;\n\
VAL_ Whole 1 \"first\" ;\n\
SIG_GROUP_ 291 Both 1 : Little Big;\n\
SIG_VALTYPE_ 291 Half : 1;\n\
SIG_VALTYPE_ 2147484000 Double : 2;\n\
SG_MUL_VAL_ 292 First Selector 0-0;\n\
SG_MUL_VAL_ 292 Second Selector 1-2, 5-5;\n\
SG_MUL_VAL_ 292 Third Second 3-4;\n";

/// Our own files and those of the corpus, by name.
fn files() -> Vec<(String, String)> {
    let mut files = vec![
        ("all".to_owned(), ALL.to_owned()),
        ("own".to_owned(), DBC.to_owned()),
    ];
    for name in [
        "ford_lincoln_base_pt",
        "gm_global_a_object",
        "hyundai_canfd",
        "toyota_secoc_pt",
        "vw_mqb",
        "vw_pq",
    ] {
        if let Some(bytes) = corpus_bytes(&format!("can/dbc/{name}.dbc")) {
            files.push((name.to_owned(), decode(&bytes).into_owned()));
        }
    }
    files
}

/// Returns the lines of statements, without blanks that say nothing, in one order.
fn statements(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect();
    lines.sort();
    lines
}

#[test]
fn every_statement_is_written_as_it_was_read() {
    let written = rewrite(ALL, ReadOptions::default()).unwrap();
    assert_eq!(written.losses, Vec::<String>::new());
    let expected = ALL.replace(",1e3", ",1000").replace("|1e3]", "|1000.0]");
    assert_eq!(statements(&written.text), statements(&expected));
}

#[test]
fn files_are_read_back_as_they_were() {
    for (name, text) in files() {
        let written = rewrite(&text, ReadOptions::default()).unwrap();
        let matrix = import(&text).unwrap();
        let again = import(&written.text).unwrap();
        assert!(again.messages == matrix.messages, "{name}");
        assert!(again == matrix || !matrix.skipped.is_empty(), "{name}");
        let signals = |text: &str| SignalMatrix::read(text, ReadOptions::default()).unwrap();
        let (before, after) = (signals(&text), signals(&written.text));
        assert!(after.messages() == before.messages(), "{name}");
        // Without damage the statements are the same, too.
        let parsed = |text: &str| {
            Dbc::try_from(text).map(|dbc| Dbc {
                // It has no content here, and is there or not.
                bit_timing: None,
                ..dbc
            })
        };
        if let (Ok(before), Ok(after)) = (parsed(&text), parsed(&written.text)) {
            assert!(after == before, "{name}");
        }
        let again = rewrite(&written.text, ReadOptions::default()).unwrap();
        assert_eq!(again.text, written.text, "{name}");
        assert_eq!(again.losses, Vec::<String>::new(), "{name}");
        assert_eq!(decode(&encode(&written.text)), written.text, "{name}");
    }
}

#[test]
fn what_is_left_out_is_named() {
    let text = ALL.replacen("BO_ 292 ", "BO_ 3000 ", 1).replacen(
        "EV_ Whole: 0 [-3|1234]",
        "EV_ Whole: 1 [-3.5|1234]",
        1,
    ) + "SGTYPE_ t : 8@1+ (1,0) [0|1] \"\" 0, Switch;\n// a remark\n";
    let written = rewrite(&text, ReadOptions::default()).unwrap();
    let losses = written.losses.join("\n");
    for part in [
        "message Selected is skipped: 3000 is no identifier",
        "`EV_ Whole: 1",
        "`SGTYPE_ t",
        "1 comments behind // are left out",
    ] {
        assert!(losses.contains(part), "{part}\n{losses}");
    }
    assert!(!written.text.contains("Selected"), "{}", written.text);
    let again = import(&written.text).unwrap();
    assert_eq!(again.messages, import(&text).unwrap().messages);
}

/// Nothing names a message or a signal that is skipped: another reader would refuse the file.
#[test]
fn statements_about_what_is_skipped_are_left_out() {
    let text = "VERSION \"\"\nNS_ :\nBS_:\nBU_: A B\n\
        BO_ 1 Kept: 8 A\n SG_ s : 0|8@1+ (1,0) [0|0] \"\" B\n SG_ bad : x|8@1+ (1,0) [0|0] \"\" B\n\n\
        BO_ 2 Gone 8 A\n SG_ t : 0|8@1+ (1,0) [0|0] \"\" B\n\nBO_TX_BU_ 2 : A,B;\n\
        CM_ BO_ 1 \"kept\";\nCM_ BO_ 2 \"gone\";\nCM_ SG_ 1 s \"kept\";\nCM_ SG_ 1 bad \"gone\";\n\
        BA_DEF_ BO_ \"P\" INT 0 9;\nBA_DEF_ SG_ \"Q\" INT 0 9;\nBA_DEF_DEF_ \"P\" 0;\n\
        BA_DEF_DEF_ \"Q\" 0;\nBA_ \"P\" BO_ 1 1;\nBA_ \"P\" BO_ 2 7;\nBA_ \"Q\" SG_ 1 s 1;\n\
        BA_ \"Q\" SG_ 2 t 7;\nVAL_ 1 s 0 \"kept\" ;\nVAL_ 1 bad 0 \"gone\" ;\n\
        SIG_GROUP_ 1 G 1 : s bad;\nSIG_GROUP_ 2 H 1 : t;\nSIG_VALTYPE_ 2 t : 1;\n\
        SG_MUL_VAL_ 1 s bad 0-0;\n";
    let written = rewrite(text, ReadOptions::default()).unwrap();
    for part in ["gone", "bad", " 2 ", " 7;", "H 1"] {
        assert!(!written.text.contains(part), "{part}\n{}", written.text);
    }
    for part in [
        "CM_ BO_ 1 ",
        "CM_ SG_ 1 s",
        "BO_ 1 1;",
        "SG_ 1 s 1;",
        "VAL_ 1 s",
        "G 1 : s;",
    ] {
        assert!(written.text.contains(part), "{part}\n{}", written.text);
    }
    let losses = written.losses.join("\n");
    let count = "10 statements about messages and signals that are skipped, or not there, are";
    assert!(losses.contains(count), "{losses}");
}

/// Parts of files in any order and number: what is read is written, and read again the same.
#[test]
fn parts_of_files_are_written_as_they_are_read() {
    let mut random = Random::of_test("parts_of_files_are_written_as_they_are_read");
    let lines: Vec<&str> = ALL.lines().collect();
    for _ in 0..cases(200) {
        let mut own = lines.clone();
        for _ in 0..random.below(6) {
            let (at, to) = (random.index(own.len()), random.index(own.len()));
            match random.below(3) {
                0 => own.swap(at, to),
                1 => {
                    own.remove(at);
                }
                _ => own.insert(to, own[at]),
            }
        }
        let text = own.join("\n") + "\n";
        let Ok(written) = rewrite(&text, ReadOptions::default()) else {
            continue;
        };
        let messages = import(&text).unwrap().messages;
        let again = import(&written.text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(again.messages == messages, "{text}\n--\n{}", written.text);
        assert!(
            again.skipped.is_empty(),
            "{:?}\n{}",
            again.skipped,
            written.text
        );
        let twice = rewrite(&written.text, ReadOptions::default()).unwrap();
        assert!(twice.text == written.text, "{text}\n--\n{}", written.text);
    }
}

/// Bytes changed at random: whatever is read is written without damage, and read again the same.
#[test]
fn changed_bytes_are_written_as_they_are_read() {
    let mut random = Random::of_test("changed_bytes_are_written_as_they_are_read");
    for _ in 0..cases(200) {
        let mut bytes = ALL.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.index(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] = b"\";:/\\ \n09-M"[random.index(11)],
                2 => drop(bytes.drain(at..bytes.len().min(at + 60))),
                _ => {
                    let part = bytes[at..bytes.len().min(at + 60)].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        let text = decode(&bytes).into_owned();
        let Ok(written) = rewrite(&text, ReadOptions::default()) else {
            continue;
        };
        let messages = import(&text).unwrap().messages;
        let again = import(&written.text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(again.messages == messages, "{text}\n--\n{}", written.text);
        assert!(
            again.skipped.is_empty(),
            "{:?}\n{text}\n--\n{}",
            again.skipped,
            written.text
        );
    }
}

#[test]
fn letters_are_written_as_most_readers_take_them() {
    assert_eq!(encode("\u{20ac} \u{fc}").as_ref(), b"\x80 \xFC");
    let outside = "\u{3b1}";
    assert_eq!(encode(outside).as_ref(), outside.as_bytes());
    // In Windows-1252 it would be taken for UTF-8.
    let like_utf_8 = "\u{c3}\u{bc}";
    assert_eq!(encode(like_utf_8).as_ref(), like_utf_8.as_bytes());
}

#[test]
fn cantools_reads_what_is_written_as_what_was() {
    let Some(python) = python_with("cantools") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/write_oracle.py");
    for (name, text) in files() {
        // It takes no bit timing.
        let text = text.replacen("BS_: 500000 : 1,2", "BS_:", 1);
        let print = |text: &str, part: &str| {
            let path = folder.path().join(format!("{name}-{part}.dbc"));
            std::fs::write(&path, text).unwrap();
            output_of(Command::new(&python).arg(script).arg(&path))
        };
        let written = rewrite(&text, ReadOptions::default()).unwrap();
        let (before, after) = (print(&text, "read"), print(&written.text, "written"));
        assert!(before.lines().count() > 5, "{name}");
        let mut lines = before.lines().zip(after.lines());
        let other = lines.find(|(before, after)| before != after);
        assert_eq!(other, None, "{name}");
        assert_eq!(after.lines().count(), before.lines().count(), "{name}");
        println!("{name}: {} lines equal", before.lines().count());
    }
}
