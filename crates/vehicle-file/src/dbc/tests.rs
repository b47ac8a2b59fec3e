//! Tests of DBC import: what each part becomes, what is refused with which line, and that what is
//! written reads back.

use super::*;
use crate::{FrameFormat, VehicleFile};

const DBC: &str = r#"VERSION ""

NS_ :

BS_:

BU_: engine gearbox cluster

BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX
 SG_ orphan : 0|8@1+ (1,0) [0|0] "" Vector__XXX

BO_ 416 Speed: 8 engine
 SG_ rpm : 0|16@1+ (0.25,0) [0|16383] "1/min" gearbox,cluster
 SG_ load : 16|8@1+ (0.5,0) [0|100] "%" gearbox

BO_ 2566844926 Diagnosis: 8 Vector__XXX
 SG_ service : 0|8@1+ (1,0) [0|255] "" engine

BO_ 417 Camera: 24 gearbox
 SG_ distance : 0|16@1+ (1,0) [0|0] "m" Vector__XXX

BO_ 418 Odd: 10 gearbox
 SG_ value : 0|16@1+ (1,0) [0|0] "" engine

BO_ 2566844672 Transfer: 200 engine
 SG_ part : 0|16@1+ (1,0) [0|0] "" cluster

BO_TX_BU_ 416 : engine,gearbox;

CM_ BO_ 416 "A comment that begins a line with
BO_ 5000 not a message
and ends \" here.";
BA_DEF_ BO_  "GenMsgCycleTime" INT 0 100000;
BA_DEF_ BO_  "VFrameFormat" ENUM  "StandardCAN","ExtendedCAN","StandardCAN_FD";
BA_DEF_DEF_  "GenMsgCycleTime" 0;
BA_DEF_DEF_  "VFrameFormat" "StandardCAN";
BA_ "GenMsgCycleTime" BO_ 416 10;
BA_ "VFrameFormat" BO_ 418 2;
"#;

fn by_name<'a>(matrix: &'a Matrix, name: &str) -> &'a Message {
    let found = matrix.messages.iter().find(|message| message.name == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_part_of_a_message_is_imported() {
    let matrix = import(DBC).unwrap();
    assert_eq!(matrix.nodes, ["engine", "gearbox", "cluster"]);
    assert_eq!(matrix.messages.len(), 5, "the pseudo message is left out");
    let speed = by_name(&matrix, "Speed");
    assert_eq!(
        *speed,
        Message {
            name: "Speed".to_owned(),
            id: Id::standard(0x1A0).unwrap(),
            length: 8,
            is_fd: false,
            senders: vec!["engine".to_owned(), "gearbox".to_owned()],
            receivers: vec!["gearbox".to_owned(), "cluster".to_owned()],
            cycle_time: Some(Duration::from_millis(10)),
        }
    );
    let diagnosis = by_name(&matrix, "Diagnosis");
    assert_eq!(diagnosis.id, Id::extended(0x18FE_F1FE).unwrap());
    assert_eq!((diagnosis.senders.len(), diagnosis.cycle_time), (0, None));
    assert!(by_name(&matrix, "Camera").is_fd, "longer than 8 bytes");
    assert!(by_name(&matrix, "Odd").is_fd, "by its attribute");
    assert!(!by_name(&matrix, "Transfer").is_fd, "longer than 64 bytes");
}

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

/// The attribute as an integer has Vector's numbers for the frame formats: 14 and 15 are CAN FD.
#[test]
fn frame_format_as_integer_means_can_fd() {
    let definition = r#"ENUM  "StandardCAN","ExtendedCAN","StandardCAN_FD""#;
    for (kind, default, value, is_fd) in [
        ("INT 0 15", "0", "14", true),
        ("INT 0 15", "0", "15", true),
        ("INT 0 0", "0", "14", true),
        ("FLOAT 0 15", "0", "14", true),
        ("STRING", "\"\"", "\"StandardCAN_FD\"", true),
        ("INT 0 15", "0", "2", false),
        ("INT 0 15", "0", "3", false),
        ("INT 0 15", "0", "1", false),
    ] {
        let text = DBC
            .replace(definition, kind)
            .replace(
                "\"VFrameFormat\" \"StandardCAN\"",
                &format!("\"VFrameFormat\" {default}"),
            )
            .replace("BO_ 418 2;", &format!("BO_ 418 {value};"))
            .replace("418 Odd: 10", "418 Odd: 8");
        let matrix = import(&text).unwrap();
        assert_eq!(by_name(&matrix, "Odd").is_fd, is_fd, "{kind}: {value}");
        assert!(!by_name(&matrix, "Speed").is_fd, "{kind}: by default");
    }
    let all_fd = DBC
        .replace(definition, "INT 0 15")
        .replace("\"VFrameFormat\" \"StandardCAN\"", "\"VFrameFormat\" 14");
    assert!(
        by_name(&import(&all_fd).unwrap(), "Speed").is_fd,
        "by default"
    );
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

#[test]
fn old_files_are_windows_1252() {
    assert_eq!(decode(b"\xEF\xBB\xBF\xC2\xB0C"), "\u{b0}C");
    assert_eq!(decode(b"\xB0C"), "\u{b0}C");
    let bytes: Vec<u8> = DBC
        .replace("1/min", "\u{b0}")
        .chars()
        .map(|c| c as u8)
        .collect();
    assert_eq!(import(&decode(&bytes)).unwrap().messages.len(), 5);
}

#[test]
fn what_is_written_reads_back() {
    let matrix = import(DBC).unwrap();
    let mut options = Options {
        vehicle: "my car!".to_owned(),
        ..Options::default()
    };
    options
        .observed
        .insert(Id::standard(417).unwrap(), Duration::from_millis(40));
    let text = matrix.to_vehicle_toml(&options);
    let file = VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(file.name, "mycar");
    // The others have no period, or need a transport protocol.
    let names: Vec<&str> = file
        .streams
        .iter()
        .map(|stream| stream.name.value.as_str())
        .collect();
    assert_eq!(names, ["Speed", "Camera"]);
    assert_eq!(file.streams[0].period, Duration::from_millis(10));
    assert_eq!(file.streams[0].format, FrameFormat::Classic);
    assert_eq!(file.ecu(file.streams[0].sender).name.value, "engine");
    assert_eq!(file.streams[1].period, Duration::from_millis(40));
    assert_eq!(
        file.streams[1].format,
        FrameFormat::Fd {
            bit_rate_switch: true
        }
    );
    assert!(
        text.contains("# [[stream]]\n# name = \"Diagnosis\""),
        "{text}"
    );
    assert!(
        text.contains("200 bytes need a transport protocol"),
        "{text}"
    );

    options.assumed = Some(Duration::from_millis(100));
    let text = matrix.to_vehicle_toml(&options);
    let file = VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(file.streams.len(), 4);
    let odd = file
        .streams
        .iter()
        .find(|stream| stream.name.value == "Odd")
        .unwrap();
    assert_eq!(odd.length, 12, "padded to the next length CAN FD has");
    let diagnosis = &file.streams[1];
    assert_eq!(file.ecu(diagnosis.sender).name.value, "unknown-sender");
}

#[test]
fn names_that_a_vehicle_file_cannot_have_are_changed() {
    let text = DBC
        .replace("gearbox", "default")
        .replace("Camera", &"x".repeat(100));
    let matrix = import(&text).unwrap();
    let options = Options {
        assumed: Some(Duration::from_millis(5)),
        ..Options::default()
    };
    let text = matrix.to_vehicle_toml(&options);
    let file = VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(file.ecus.iter().any(|ecu| ecu.name.value == "default_"));
}

#[test]
fn periods_are_the_usual_ones_near_the_median_gap() {
    let id = |raw| Id::standard(raw).unwrap();
    let every = |raw: u16, micros: u64, jitter: u64| {
        (0..101_u64).map(move |at| {
            let late = at * 7 % 11 * jitter;
            (id(raw), Duration::from_micros(at * micros + late))
        })
    };
    let sightings: Vec<(Id, Duration)> = every(1, 10_000, 20)
        .chain(every(2, 96_000, 0))
        .chain(every(3, 333_333, 0))
        .chain([(id(4), Duration::ZERO), (id(4), Duration::from_millis(10))])
        .chain(std::iter::repeat_n((id(5), Duration::ZERO), 9))
        .collect();
    let periods = observed_periods(sightings);
    assert_eq!(periods.get(&id(1)), Some(&Duration::from_millis(10)));
    assert_eq!(periods.get(&id(2)), Some(&Duration::from_millis(100)));
    assert_eq!(periods.get(&id(3)), Some(&Duration::from_micros(333_300)));
    assert_eq!(periods.get(&id(4)), None, "two sightings are one gap");
    assert_eq!(periods.get(&id(5)), None, "all at once is no period");
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
