//! Broken files and messages: the line and the reason, and what is imported all the same.

use super::DBC;
use crate::VehicleFile;
use crate::dbc::*;

#[test]
fn what_is_broken_is_named_with_its_line() {
    let cases = [
        (
            "BO_ 416 Speed: 8",
            "BO_ x Speed: 8",
            12,
            "`BO_ <identifier>",
        ),
        (
            "BO_ 416 Speed: 8",
            "BO_ 416 Speed 8",
            12,
            "`BO_ <identifier>",
        ),
        (
            "BO_ 417",
            "BO_ 416",
            19,
            "belongs to the message of line 12",
        ),
        ("0|16@1+ (0.25,0)", "0|16@3+ (0.25,0)", 13, "not DBC"),
        ("BU_:", "BU_", 7, "not DBC"),
    ];
    for (right, wrong, line, remedy) in cases {
        let error = import(&DBC.replacen(right, wrong, 1)).expect_err(wrong);
        assert_eq!(error.line(), Some(line), "{wrong}: {error}");
        assert!(error.to_string().contains(remedy), "{wrong}: {error}");
    }
    assert!(matches!(
        import(&" ".repeat(TEXT_MAX + 1)),
        Err(DbcError::TextTooLong(_))
    ));
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
            (skipped.name.as_str(), skipped.error.line()),
            ("Speed", Some(12))
        );
        assert!(skipped.to_string().contains(remedy), "{skipped}");
        // Errors behind it keep their lines.
        let broken = text.replacen("0|16@1+ (1,0) [0|0] \"m\"", "0|16@3+ (1,0) [0|0] \"m\"", 1);
        assert_eq!(import(&broken).unwrap_err().line(), Some(20), "{wrong}");
        // The vehicle file says so, too.
        let written = matrix.to_vehicle_toml(&Options::default());
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
                let text = matrix.to_vehicle_toml(&Options::default());
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
