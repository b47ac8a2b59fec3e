//! Broken files and messages: the line and the reason, and the parts that are imported all the
//! same.

use super::DBC;
use crate::VehicleFile;
use crate::dbc::*;
use waywarden_can::Id;
use waywarden_work::Duration;

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
        let text = to_vehicle_toml(&matrix, &Options::default());
        VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    }
}

#[test]
fn text_that_is_no_dbc_is_refused() {
    for text in ["<html></html>\n", "(1.0) can0 123#00\n", "\u{0}\u{1}"] {
        let error = import(text).expect_err(text);
        assert!(
            error.to_string().contains("begins with `VERSION`"),
            "{error}"
        );
    }
    assert!(matches!(
        import(&" ".repeat(TEXT_MAX + 1)),
        Err(DbcError::TextTooLong(_))
    ));
}

/// A quotation without an end costs its statement, not the file behind it.
#[test]
fn quotation_without_an_end_costs_its_statement() {
    let text = DBC.replacen("BO_TX_BU_ 416", "CM_ \"begins and\nBO_TX_BU_ 416", 1);
    let matrix = import(&text).unwrap();
    assert_eq!(matrix.messages.len(), 5, "{:?}", matrix.skipped);
    let speed = &matrix.messages[0];
    assert_eq!(speed.cycle_time, Some(Duration::from_millis(10)));
    assert!(!matrix.skipped.is_empty());
}

/// Damage in statements that a bus does not need changes no message, wherever it stands.
#[test]
fn damage_elsewhere_changes_no_message() {
    let seed = 0xDBC_0DD;
    println!("seed {seed:#x}");
    let mut random = waywarden_testkit::Random::new(seed);
    let damage = [
        "CM_ SG_ 416 rpm \"x\";;",
        "VAL_ 416 rpm 1 on;",
        ";",
        "VAL_TABLE_ t 1 \"a\" x ;",
        "SIG_GROUP_ 416;",
        "hello, world",
        "BA_DEF_ BO_ GenMsg INT;",
        "BA_ \"GenMsgCycleTime\" BO_ 417;",
        "SG_MUL_VAL_ 416 a;",
        "EV_ x;",
    ];
    let whole = import(DBC).unwrap();
    let lines: Vec<&str> = DBC.lines().collect();
    // Not within a message, the symbols, or a comment of several lines.
    let comment = lines.iter().position(|line| line.starts_with("and ends"));
    let behind = comment.expect("a comment") + 1;
    let places: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].is_empty() && *at > 6 || *at >= behind)
        .collect();
    for _ in 0..200 {
        let mut damaged: Vec<&str> = lines.clone();
        let mut count = 0;
        for place in places.iter().rev() {
            if random.below(4) == 0 {
                count += 1;
                damaged.insert(*place, damage[random.below(damage.len() as u64) as usize]);
            }
        }
        let text = damaged.join("\n") + "\n";
        let matrix =
            import(&text).unwrap_or_else(|error| panic!("seed {seed:#x}: {error}\n{text}"));
        assert_eq!(matrix.messages, whole.messages, "seed {seed:#x}\n{text}");
        assert_eq!(
            matrix.skipped.len(),
            count,
            "seed {seed:#x}\n{text}\n{:?}",
            matrix.skipped
        );
    }
}

#[test]
fn unflagged_identifiers_may_be_taken_as_29_bits() {
    let text = DBC
        .replace(" 416 ", " 3000 ")
        .replace(" 417 ", " 1075054137 ");
    let matrix = import(&text).unwrap();
    assert_eq!(matrix.skipped.len(), 2);
    assert!(matrix.skipped[0].error.may_be_extended());
    assert!(!matrix.skipped[1].error.may_be_extended());
    let options = ReadOptions {
        unflagged_are_extended: true,
    };
    let matrix = import_with(&text, options).unwrap();
    assert_eq!(matrix.skipped.len(), 1, "30 bits are no identifier");
    let speed = &matrix.messages[0];
    assert_eq!(speed.id, Id::extended(3000).unwrap());
    assert_eq!(speed.cycle_time, Some(Duration::from_millis(10)));
    assert_eq!(speed.senders, ["engine", "gearbox"]);
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
        let written = to_vehicle_toml(&matrix, &Options::default());
        assert!(
            written.contains("# Skipped: line 12, message Speed"),
            "{written}"
        );
        VehicleFile::parse("made.toml", &written).unwrap_or_else(|errors| panic!("{errors}"));
    }
}

/// Attributes of a skipped message go to no other: cut to 16 bits its number may be another's.
#[test]
fn attributes_of_a_skipped_message_reach_no_other_message() {
    // 4294967296 + 418 has the low 32 bits of 418, 65536 + 418 the low 16.
    for raw in [4_294_967_296_u64 + 418, 65_536 + 418] {
        let more = format!(
            "BO_ {raw} Wide: 8 engine\n SG_ a : 0|8@1+ (1,0) [0|0] \"\" cluster\n\nBO_ 417 Camera"
        );
        let text = DBC.replacen("BO_ 417 Camera", &more, 1)
            + &format!("BA_ \"GenMsgCycleTime\" BO_ {raw} 77;\n");
        let named = format!(
            "BO_TX_BU_ {raw} : cluster,engine;\nCM_ SG_ {raw} a \"BO_ {raw}\";\n\
             VAL_ {raw} a 1 \"on\" ;\nCM_ BO_"
        );
        let text = text.replacen("CM_ BO_", &named, 1);
        let matrix = import(&text).unwrap_or_else(|error| panic!("{raw}: {error}"));
        assert_eq!(matrix.skipped.len(), 1, "{raw}");
        let without = import(DBC).unwrap();
        assert_eq!(matrix.messages, without.messages, "{raw}");
        // Nor do attributes of a message that is not in the file at all.
        let dangling = format!("{DBC}BA_ \"GenMsgCycleTime\" BO_ {raw} 77;\n");
        assert_eq!(import(&dangling).unwrap(), without, "{raw}");
    }
}

/// Whatever bad messages stand among them, the good ones are those of the file without the bad.
#[test]
fn good_messages_do_not_depend_on_bad_ones_among_them() {
    let seed = 0xDBC_BAD;
    println!("seed {seed:#x}");
    let mut random = waywarden_testkit::Random::new(seed);
    for _ in 0..300 {
        let (mut good, mut all) = (String::new(), String::new());
        let (mut good_named, mut all_named) = (String::new(), String::new());
        for at in 0..1 + random.below(12) {
            let is_bad = random.below(3) == 0;
            let low = 100 + at;
            let raw = match (is_bad, random.below(3)) {
                (true, 0) => low + 65_536,
                (true, 1) => low + (1 << 32),
                (true, _) => low + (1 << 31) + (1 << 29),
                (false, 0) => low + (1 << 31),
                (false, _) => low,
            };
            let message = format!(
                "BO_ {raw} m{at}: {} A\n SG_ s : 0|8@1+ (1,0) [0|0] \"\" B\n\n",
                1 + random.below(8)
            );
            let named = format!(
                "CM_ BO_ {raw} \"of BO_ {raw}\";\nBA_ \"GenMsgCycleTime\" BO_ {raw} {};\n",
                1 + random.below(1_000)
            );
            all += &message;
            all_named += &named;
            if !is_bad {
                good += &message;
                good_named += &named;
            }
        }
        let file = |messages: &str, named: &str| {
            let text = format!(
                "VERSION \"\"\nNS_ :\nBS_:\nBU_: A B\n{messages}\n\
                 BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 1000;\n{named}"
            );
            let matrix = import(&text);
            matrix.unwrap_or_else(|error| panic!("seed {seed:#x}: {error}\n{text}"))
        };
        let (all, good) = (file(&all, &all_named), file(&good, &good_named));
        assert_eq!(all.messages, good.messages, "seed {seed:#x}");
        assert!(good.skipped.is_empty(), "seed {seed:#x}");
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
                let text = to_vehicle_toml(&matrix, &Options::default());
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
