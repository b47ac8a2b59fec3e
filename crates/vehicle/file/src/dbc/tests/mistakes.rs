//! Broken files and messages: the line and the reason, and the parts that are imported all the
//! same.

use crate::VehicleFile;
use crate::dbc::*;
use waywarden_testkit::DBC;

/// The names of the messages, apart by commas.
fn names(matrix: &Matrix) -> String {
    let names: Vec<_> = matrix.messages.iter().map(|one| &*one.name).collect();
    names.join(",")
}

/// Messages of [`DBC`], all and without the first.
const ALL: &str = "Speed,Diagnosis,Camera,Odd,Transfer";
const WITHOUT: &str = "Diagnosis,Camera,Odd,Transfer";

/// A part of [`DBC`], damage in its place, the line, the remedy, and the messages left.
const BROKEN: [(&str, &str, usize, &str, &str); 10] = [
    (
        "BO_ 416 Speed: 8",
        "BO_ x Speed: 8",
        12,
        "`BO_ <identifier>",
        WITHOUT,
    ),
    (
        "BO_ 416 Speed: 8",
        "BO_ 416 Speed 8",
        12,
        "`BO_ <identifier>",
        WITHOUT,
    ),
    (
        "BO_ 417",
        "BO_ 416",
        19,
        "belongs to the message of line 12",
        "Speed,Diagnosis,Odd,Transfer",
    ),
    (
        "0|16@1+ (0.25,0)",
        "0|16@3+ (0.25,0)",
        13,
        "the statement is `SG_ <name>",
        ALL,
    ),
    ("BU_:", "BU_", 7, "`BU_: <nodes>`", ALL),
    ("BS_:", "BS_ <<", 5, "`BS_:`", ALL),
    (
        "BO_TX_BU_ 416 : engine,gearbox;",
        "BO_TX_BU_ 416 : engine,gearbox;;",
        28,
        "`BO_TX_BU_",
        ALL,
    ),
    (
        "and ends \\\" here.\";",
        "and ends here.\";;",
        30,
        "`CM_ [BU_",
        ALL,
    ),
    (
        "BA_ \"VFrameFormat\" BO_ 418 2;",
        "BA_ VFrameFormat BO_ 418 2;",
        38,
        "`BA_ \"<attribute>",
        ALL,
    ),
    (
        "BA_ \"VFrameFormat\" BO_ 418 2;",
        "what is this?",
        38,
        "begins so",
        ALL,
    ),
];

/// One broken line costs itself, or the message that it declares.
#[test]
fn broken_statements_are_skipped_with_their_lines() {
    for (right, wrong, line, remedy, left) in BROKEN {
        let broken = DBC.replacen(right, wrong, 1);
        assert_ne!(broken, DBC, "{wrong}");
        let matrix = import(&broken).unwrap_or_else(|error| panic!("{wrong}: {error}"));
        assert_eq!(names(&matrix), left, "{wrong}");
        let [skipped] = matrix.skipped.as_slice() else {
            panic!("{wrong}: {:?}", matrix.skipped);
        };
        assert_eq!(skipped.error.line(), Some(line), "{wrong}: {skipped}");
        assert!(skipped.to_string().contains(remedy), "{wrong}: {skipped}");
        let text = to_vehicle_toml(&matrix, &DbcOptions::default());
        VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    }
}

/// One message that cannot be on a bus does not cost the others, whatever else names it.
#[test]
fn message_that_cannot_be_sent_is_skipped_with_its_line_and_reason() {
    for (right, wrong, remedy) in [
        ("BO_ 416 Speed: 8", "BO_ 4096 Speed: 8", "2147483648"),
        (
            "BO_ 416 Speed: 8",
            "BO_ 3000000000 Speed: 8",
            "is no identifier",
        ),
        (
            "BO_ 416 Speed: 8",
            "BO_ 99999999999 Speed: 8",
            "is no identifier",
        ),
        ("BO_ 416 Speed: 8", "BO_ 416 Speed: 2000", "cannot be sent"),
    ] {
        let raw = wrong.split(' ').nth(1).unwrap();
        let text = DBC
            .replacen(right, wrong, 1)
            .replace(" 416 ", &format!(" {raw} "));
        let matrix = import(&text).unwrap_or_else(|error| panic!("{wrong}: {error}"));
        let names: Vec<_> = matrix
            .messages
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["Diagnosis", "Camera", "Odd", "Transfer"], "{wrong}");
        let [skipped] = matrix.skipped.as_slice() else {
            panic!("{wrong}: {:?}", matrix.skipped);
        };
        assert_eq!(
            (skipped.what.as_str(), skipped.error.line()),
            ("message Speed", Some(12))
        );
        assert!(skipped.to_string().contains(remedy), "{skipped}");
        // Damage behind it keeps its line.
        let broken = text.replacen("0|16@1+ (1,0) [0|0] \"m\"", "0|16@3+ (1,0) [0|0] \"m\"", 1);
        let more = import(&broken).unwrap().skipped;
        assert_eq!(more[1].error.line(), Some(20), "{wrong}");
        // The vehicle file says so, too.
        let written = to_vehicle_toml(&matrix, &DbcOptions::default());
        assert!(
            written.contains("# Skipped: line 12, message Speed"),
            "{written}"
        );
        VehicleFile::parse("made.toml", &written).unwrap_or_else(|errors| panic!("{errors}"));
    }
}

/// Random damage to a good file: an answer every time, and no panic.
#[test]
fn damaged_files_never_panic() {
    let seed = 0x5EED_u64;
    let mut state = seed;
    let mut next = move || {
        // Knuth's linear congruential generator; only its upper bits are used.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let (mut good, mut bad) = (0, 0);
    for _ in 0..1_000 {
        let mut damaged: Vec<char> = DBC.chars().collect();
        for _ in 0..=next() % 4 {
            let (at, from) = (next() % damaged.len(), next() % damaged.len());
            match next() % 3 {
                0 => damaged[at] = damaged[from],
                1 if damaged.len() > 1 => drop(damaged.remove(at)),
                _ => damaged.truncate(at + 1),
            }
        }
        let text: String = damaged.into_iter().collect();
        match import(&text) {
            Ok(matrix) => {
                let text = to_vehicle_toml(&matrix, &DbcOptions::default());
                VehicleFile::parse("made.toml", &text)
                    .unwrap_or_else(|errors| panic!("seed {seed:#x}: {errors}\n{text}"));
                good += 1;
            }
            Err(_) => bad += 1,
        }
    }
    assert!(
        good > 0 && bad > 0,
        "seed {seed:#x}: {good} good, {bad} bad"
    );
}
