//! Broken statements and messages: what is skipped, and that the rest does not notice.

use waywarden_can::Id;
use waywarden_can_dbc::{DbcError, ReadOptions, SignalMatrix, TEXT_MAX, import, import_with};
use waywarden_testkit::DBC;
use waywarden_work::Duration;

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

/// Keywords end with any blank, and signals stay with their message behind lines between.
#[test]
fn blanks_behind_keywords_hide_no_mistake() {
    let signal = "SG_ S : 0|8@1+ (1,0) [0|0] \"\" B";
    for (blank, between) in [
        (" ", ""),
        ("\t", ""),
        (" \t", "\n"),
        ("\t", "// x\n"),
        ("", ""),
    ] {
        let number = |raw: u32| format!("BO_{blank}{raw}");
        let own = signal.replace("SG_ ", &format!("SG_{blank}"));
        let text = format!(
            "VERSION \"\"\nNS_ :\nBS_:\nBU_: A B\n\
             {} First: 8 A\n SG_ Own : 0|8@1+ (1,0) [0|0] \"\" B\n\
             {} Second: 8 B\n{between}\t{own}\n\
             {} NoId: 8 A\n {own}\n{} Huge: 99999 A\n {own}\n{} X 8 A\n {own}\n",
            number(100),
            number(100),
            number(5000),
            number(101),
            number(102),
        );
        let matrix = import(&text).unwrap();
        let names: Vec<&str> = matrix
            .messages
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["First"], "{text}\n{:?}", matrix.skipped);
        let lines: Vec<_> = matrix.skipped.iter().map(|one| one.error.line()).collect();
        let more = between.lines().count();
        let expected = [7, 9 + more, 11 + more, 13 + more].map(Some);
        assert_eq!(lines, expected, "{text}\n{:?}", matrix.skipped);
        let signals = SignalMatrix::read(&text, ReadOptions::default()).unwrap();
        assert_eq!(signals.messages()[0].signals.len(), 1, "{text}");
    }
}
