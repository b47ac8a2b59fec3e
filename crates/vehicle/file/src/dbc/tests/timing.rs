//! Attributes about time: their results, and the remarks on those without one.

use crate::VehicleFile;
use crate::dbc::*;
use waywarden_can::Id;
use waywarden_can::timing::BitRate;
use waywarden_testkit::DBC;
use waywarden_work::Duration;

const HEAD: &str = "VERSION \"\"\n\nNS_ :\n\nBS_:\n\nBU_: A B\n\n";

/// A matrix of messages 100, 101 and so on, and these attributes.
fn matrix(lengths: &[usize], attributes: &str) -> Matrix {
    let mut text = HEAD.to_owned();
    for (at, length) in lengths.iter().enumerate() {
        let id = 100 + at;
        text += &format!("BO_ {id} M{at}: {length} A\n SG_ x : 0|8@1+ (1,0) [0|0] \"\" B\n\n");
    }
    let matrix = import(&(text + attributes)).unwrap();
    assert_eq!(matrix.skipped, [], "{attributes}");
    matrix
}

fn file(matrix: &Matrix, options: &DbcOptions) -> VehicleFile {
    let text = to_vehicle_toml(matrix, options);
    VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

fn millis(times: u64) -> Option<Duration> {
    Some(Duration::from_millis(times))
}

/// The default cycle time is one of messages that are periodic at all.
#[test]
fn send_types_decide_what_a_cycle_time_means() {
    let attributes = r#"BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_ BO_ "GenMsgDelayTime" INT 0 65535;
BA_DEF_ BO_ "GenMsgSendType" ENUM "Cyclic","Event","IfActive","NoMsgSendType","cyclicAndSpontan","x";
BA_DEF_DEF_ "GenMsgCycleTime" 200;
BA_DEF_DEF_ "GenMsgDelayTime" 0;
BA_DEF_DEF_ "GenMsgSendType" "Cyclic";
BA_ "GenMsgCycleTime" BO_ 100 10;
BA_ "GenMsgSendType" BO_ 101 1;
BA_ "GenMsgCycleTime" BO_ 102 0;
BA_ "GenMsgSendType" BO_ 104 3;
BA_ "GenMsgSendType" BO_ 105 3;
BA_ "GenMsgCycleTime" BO_ 105 50;
BA_ "GenMsgSendType" BO_ 106 1;
BA_ "GenMsgCycleTime" BO_ 106 50;
BA_ "GenMsgDelayTime" BO_ 106 20;
BA_ "GenMsgSendType" BO_ 107 4;
BA_ "GenMsgSendType" BO_ 108 2;
BA_ "GenMsgSendType" BO_ 109 5;
"#;
    let matrix = matrix(&[8; 10], attributes);
    let found: Vec<_> = matrix
        .messages
        .iter()
        .map(|one| (one.send_type, one.cycle_time, one.remarks.len()))
        .collect();
    use SendType::{Cyclic, CyclicAndEvent, Event, Unstated, WhileActive};
    let expected = [
        (Cyclic, millis(10), 0),
        (Event, None, 0),
        (Cyclic, None, 0),
        (Cyclic, millis(200), 0),
        (Unstated, None, 0),
        (Unstated, millis(50), 0),
        (Event, None, 1),
        (CyclicAndEvent, millis(200), 1),
        (WhileActive, millis(200), 0),
        (Cyclic, millis(200), 1),
    ];
    assert_eq!(found, expected);
    let file = file(&matrix, &DbcOptions::default());
    let streams: Vec<_> = file
        .streams
        .iter()
        .map(|stream| {
            (
                stream.name.value.as_str(),
                stream.period.as_nanos() / 1_000_000,
            )
        })
        .collect();
    let written = [
        ("M0", 10),
        ("M3", 200),
        ("M5", 50),
        ("M6", 20),
        ("M7", 200),
        ("M8", 200),
        ("M9", 200),
    ];
    assert_eq!(
        streams, written,
        "M6 on events, no more often than its delay time"
    );
}

#[test]
fn bit_rates_of_the_file_count_and_options_before_them() {
    let attributes = r#"BA_DEF_ "Baudrate" INT 0 1000000;
BA_DEF_ "BaudrateCANFD" INT 1 16000000;
BA_DEF_DEF_ "Baudrate" 500000;
BA_DEF_DEF_ "BaudrateCANFD" 4000000;
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_DEF_ "GenMsgCycleTime" 100;
BA_ "Baudrate" 125000;
"#;
    let stated = matrix(&[8, 12], attributes);
    let bus = |matrix: &Matrix, options: &DbcOptions| {
        let bus = &file(matrix, options).buses[0];
        let text = to_vehicle_toml(matrix, options);
        assert_eq!(
            text.contains("assumed"),
            matrix.bit_rate.is_none(),
            "{text}"
        );
        (bus.nominal.bit_rate, bus.fd.is_some())
    };
    assert_eq!(bus(&stated, &DbcOptions::default()), (125_000, true));
    assert_eq!(stated.data_bit_rate, Some(BitRate::constant(4_000_000)));
    let options = DbcOptions {
        bit_rate: Some(BitRate::constant(250_000)),
        ..DbcOptions::default()
    };
    assert_eq!(bus(&stated, &options).0, 250_000);
    let in_kilobits = matrix(&[8], &attributes.replace("125000", "125"));
    assert_eq!(in_kilobits.bit_rate, Some(BitRate::constant(125_000)));
    assert_eq!(in_kilobits.remarks.len(), 1, "{:?}", in_kilobits.remarks);
    let none = matrix(&[8], &attributes.replace("\"Baudrate", "\"Other"));
    assert_eq!(none.bit_rate, None);
    assert_eq!(bus(&none, &DbcOptions::default()).0, 500_000);
}

/// The words of the file count, not their order in another's.
#[test]
fn frame_formats_are_those_of_the_own_enumeration() {
    let fd = |bit_rate_switch| MessageFormat::Fd { bit_rate_switch };
    let of = |definition: &str, value: &str, length| {
        let text = format!(
            "BA_DEF_ BO_ \"VFrameFormat\" {definition};\n\
             BA_DEF_ BO_ \"CANFD_BRS\" ENUM \"0\",\"1\";\n\
             BA_DEF_DEF_ \"CANFD_BRS\" \"1\";\n\
             BA_ \"CANFD_BRS\" BO_ 101 0;\n\
             BA_ \"VFrameFormat\" BO_ 100 {value};\nBA_ \"VFrameFormat\" BO_ 101 {value};\n"
        );
        matrix(&[length, length], &text).messages
    };
    let own = r#"ENUM "StandardCAN_FD","J1939PG","StandardCAN""#;
    let found = of(own, "0", 8);
    assert_eq!((found[0].format, found[1].format), (fd(true), fd(false)));
    assert!(!found[0].is_j1939 && found[0].remarks.is_empty());
    let found = of(own, "1", 20);
    assert_eq!(
        found[0].format,
        MessageFormat::Classic,
        "its transport protocol carries it"
    );
    assert!(found[0].is_j1939);
    let found = of(own, "2", 8);
    assert_eq!(
        (found[0].format, found[0].is_j1939),
        (MessageFormat::Classic, false)
    );
    let found = of(own, "7", 8);
    assert_eq!(found[0].remarks.len(), 1, "{:?}", found[0].remarks);
    let found = of("INT 0 15", "3", 20);
    assert!(found[0].is_j1939);
    let found = of(own, "2", 20);
    assert_eq!(found[0].format, fd(true));
    assert!(found[0].remarks[0].contains("fit no classic frame"));
}

#[test]
fn fast_cycles_and_start_delays_are_taken_or_reported() {
    let attributes = r#"BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_ BO_ "GenMsgCycleTimeFast" INT 0 65535;
BA_DEF_ BO_ "GenMsgStartDelayTime" INT 0 65535;
BA_DEF_DEF_ "GenMsgCycleTime" 100;
BA_DEF_DEF_ "GenMsgCycleTimeFast" 0;
BA_DEF_DEF_ "GenMsgStartDelayTime" 0;
BA_ "GenMsgCycleTimeFast" BO_ 100 20;
BA_ "GenMsgStartDelayTime" BO_ 100 7;
BA_ "GenMsgStartDelayTime" BO_ 101 0;
"#;
    let matrix = matrix(&[8; 3], attributes);
    let delays: Vec<_> = matrix.messages.iter().map(|one| one.start_delay).collect();
    assert_eq!(delays, [millis(7), Some(Duration::ZERO), None]);
    assert_eq!(matrix.messages[0].remarks.len(), 1);
    let text = to_vehicle_toml(&matrix, &DbcOptions::default());
    assert!(
        text.contains("# is sent each 20 ms while it is active"),
        "{text}"
    );
    assert!(text.contains("offset = \"7ms\""), "{text}");
    assert_eq!(text.matches("offset = \"unknown\"").count(), 1, "{text}");
    let options = DbcOptions {
        fast_cycles: true,
        ..DbcOptions::default()
    };
    assert_eq!(
        file(&matrix, &options).streams[0].period,
        Duration::from_millis(20)
    );
}

#[test]
fn long_names_replace_short_ones() {
    let attributes = r#"BA_DEF_ BU_ "SystemNodeLongSymbol" STRING ;
BA_DEF_ BO_ "SystemMessageLongSymbol" STRING ;
BA_DEF_DEF_ "SystemNodeLongSymbol" "";
BA_DEF_DEF_ "SystemMessageLongSymbol" "";
BA_ "SystemNodeLongSymbol" BU_ A "AVeryLongNodeName";
BA_ "SystemMessageLongSymbol" BO_ 100 "AVeryLongMessageName";
"#;
    let matrix = matrix(&[8, 8], attributes);
    assert_eq!(matrix.nodes, ["AVeryLongNodeName", "B"]);
    assert_eq!(matrix.messages[0].name, "AVeryLongMessageName");
    assert_eq!(matrix.messages[1].name, "M1");
    assert_eq!(matrix.messages[1].senders, ["AVeryLongNodeName"]);
}

#[test]
fn attributes_that_touch_timing_and_are_unknown_are_reported() {
    let attributes = r#"BA_DEF_ SG_ "GenSigSendType" ENUM "Cyclic","OnChange","NoSigSendType";
BA_DEF_ SG_ "Colour" ENUM "red","green";
BA_DEF_ BO_ "TxMode" ENUM "none","periodic";
BA_DEF_ BO_ "GenMsgNrOfRepetition" INT 0 100;
BA_DEF_ BU_ "NmBaseTimeout" INT 0 100;
BA_DEF_ BU_ "NodeLayerModules" STRING ;
BA_DEF_DEF_ "GenSigSendType" "NoSigSendType";
BA_DEF_DEF_ "TxMode" "none";
BA_DEF_DEF_ "GenMsgNrOfRepetition" 3;
BA_DEF_DEF_ "NmBaseTimeout" 0;
BA_DEF_DEF_ "NodeLayerModules" "CANoeILNLVector.dll";
BA_ "GenSigSendType" SG_ 100 x 1;
BA_ "Colour" SG_ 100 x 1;
BA_ "TxMode" BO_ 100 1;
"#;
    let matrix = matrix(&[8], attributes);
    let found: Vec<_> = matrix
        .not_understood
        .iter()
        .map(|one| (one.name.as_str(), one.values))
        .collect();
    assert_eq!(
        found,
        [
            ("GenSigSendType", 1),
            ("TxMode", 1),
            ("GenMsgNrOfRepetition", 0)
        ],
        "not what has neither values nor a default that says something"
    );
    let text = to_vehicle_toml(&matrix, &DbcOptions::default());
    assert!(text.contains("# attribute TxMode touches timing"), "{text}");
}

/// A matrix has messages by parameter groups; a log has them from addresses.
#[test]
fn periods_of_j1939_are_observed_whatever_the_address() {
    let text =
        DBC.to_owned() + "BA_DEF_ \"ProtocolType\" STRING ;\nBA_ \"ProtocolType\" \"J1939\";\n";
    let matrix = import(&text).unwrap();
    let mut options = DbcOptions::default();
    // Diagnosis is 18FEF1FE.
    for (raw, millis) in [(0x0CFE_F127, 50), (0x18FE_F103, 40), (0x18FE_F203, 10)] {
        let id = Id::extended(raw).unwrap();
        options.observed.insert(id, Duration::from_millis(millis));
    }
    let file = file(&matrix, &options);
    let found = file
        .streams
        .iter()
        .find(|one| one.name.value == "Diagnosis");
    assert_eq!(found.unwrap().period, Duration::from_millis(40));
    // Another group is no period of it.
    options.observed.clear();
    options.observed.insert(
        Id::extended(0x18FE_F203).unwrap(),
        Duration::from_millis(10),
    );
    let text = to_vehicle_toml(&matrix, &options);
    assert!(text.contains("# name = \"Diagnosis\""), "{text}");
    assert!(text.contains("FE stands for that of each sender"), "{text}");
}

/// A time that is none is said, so that its message is not one without a time.
#[test]
fn times_that_are_none_are_reported() {
    let attributes = r#"BA_DEF_ BO_ "GenMsgCycleTime" INT -65535 65535;
BA_DEF_ BO_ "GenMsgDelayTime" INT -65535 65535;
BA_DEF_DEF_ "GenMsgCycleTime" -1;
BA_ "GenMsgCycleTime" BO_ 100 -10;
BA_ "GenMsgDelayTime" BO_ 100 99999999;
BA_ "GenMsgCycleTime" BO_ 101 0;
"#;
    let matrix = matrix(&[8; 3], attributes);
    let found = matrix.messages.iter().map(|one| one.cycle_time);
    assert!(found.eq([None; 3]));
    assert_eq!(
        matrix.messages[0].remarks,
        [
            "GenMsgCycleTime -10 is no time in ms and is ignored",
            "GenMsgDelayTime 99999999 is no time in ms and is ignored"
        ]
    );
    assert_eq!(
        matrix.messages[1].remarks.len() + matrix.messages[2].remarks.len(),
        0
    );
}

/// Whatever format a file claims for a length, its vehicle file can be read: what no frame carries
/// is a comment.
#[test]
fn every_length_of_every_format_is_a_stream_or_a_comment() {
    let lengths: Vec<usize> = (0..=70).collect();
    for format in 0..=17 {
        for id in [100_u32, 0x98FE_F100] {
            let attributes = format!(
                "BA_DEF_ BO_ \"VFrameFormat\" INT 0 20;\nBA_DEF_DEF_ \"VFrameFormat\" {format};\n"
            );
            let mut text = HEAD.to_owned();
            for length in &lengths {
                let raw = id + *length as u32;
                text += &format!("BO_ {raw} M{length}: {length} A\n\n");
            }
            let matrix = import(&(text + &attributes)).unwrap();
            let options = DbcOptions {
                assumed: millis(100),
                ..DbcOptions::default()
            };
            let text = to_vehicle_toml(&matrix, &options);
            let file = VehicleFile::parse("made.toml", &text);
            let file = file.unwrap_or_else(|errors| panic!("{format}, {id}: {errors}\n{text}"));
            let commented = text.matches("need a transport protocol").count();
            assert_eq!(file.streams.len() + commented, 71, "{format}, {id}");
        }
    }
}

#[test]
fn obsolete_bit_timing_is_reported_unless_another_attribute_states_the_rate() {
    for (stated, reported) in [
        ("BS_: 250000 : 1,2", true),
        ("BS_:125000:3,4", true),
        ("BS_:", false),
        ("BS_ :", false),
    ] {
        let text = HEAD.replace("BS_:", stated) + "BO_ 1 M: 8 A\n\n";
        let matrix = import(&text).unwrap();
        assert_eq!(matrix.bit_rate, None);
        assert_eq!(matrix.remarks.len(), usize::from(reported), "{stated}");
        let rate = "BA_DEF_ \"Baudrate\" INT 0 1000000;\nBA_ \"Baudrate\" 250000;\n";
        let matrix = import(&(text + rate)).unwrap();
        assert_eq!(
            (matrix.remarks.len(), matrix.bit_rate.is_some()),
            (0, true),
            "{stated}"
        );
    }
}
