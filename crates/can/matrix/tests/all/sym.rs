//! Symbol files of PEAK's tools.

use super::{SYM, read};
use waywarden_can::Id;
use waywarden_can_matrix::{ByteOrder, MatrixFormat, MessageFormat};
use waywarden_work::Duration;

#[test]
fn symbols_and_signals_are_read() {
    let matrix = read(SYM);
    assert_eq!(matrix.format, MatrixFormat::Sym);
    assert!(matrix.skipped.is_empty(), "{:?}", matrix.skipped);
    let [cluster] = matrix.clusters.as_slice() else {
        panic!();
    };
    let speed = &cluster.messages[0];
    assert_eq!(
        (speed.name.as_str(), speed.id),
        ("Speed", Id::standard(0x100).unwrap())
    );
    assert_eq!((speed.length, speed.format), (8, MessageFormat::Classic));
    assert_eq!(speed.cycle_time, Some(Duration::from_millis(20)));
    assert_eq!(speed.minimum_distance, Some(Duration::from_millis(5)));
    assert_eq!(
        (speed.senders[0].as_str(), speed.receivers[0].as_str()),
        ("ECU", "Peripherals")
    );
    let wheel = &speed.signals[0];
    assert_eq!(
        (wheel.name.as_str(), wheel.start, wheel.length),
        ("Wheel speed", 15, 16)
    );
    assert_eq!(
        (wheel.byte_order, wheel.is_signed),
        (ByteOrder::BigEndian, true)
    );
    assert_eq!((wheel.factor, wheel.offset), (0.01, -40.0));
    assert_eq!((speed.signals[1].start, speed.signals[1].length), (24, 4));

    let camera = &cluster.messages[1];
    assert_eq!(camera.id, Id::extended(0x18FE_F100).unwrap());
    assert!(matches!(
        camera.format,
        MessageFormat::Fd {
            bit_rate_switch: true
        }
    ));
    assert_eq!(camera.senders, ["Peripherals"]);
    assert_eq!((camera.signals[0].start, camera.signals[0].length), (4, 1));
}

/// A range of identifiers is a message each; the parts of a multiplexed symbol are one.
#[test]
fn ranges_and_multiplexed_symbols_are_read() {
    let matrix = read(SYM);
    let own: Vec<_> = matrix
        .messages()
        .filter(|message| message.name == "Dia gnosis")
        .collect();
    let ids: Vec<u32> = own.iter().map(|message| message.id.raw()).collect();
    assert_eq!(ids, [0x7E0, 0x7E1, 0x7E2]);
    let names: Vec<&str> = own[0].signals.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["First", "A", "Second", "B"]);
}

#[test]
fn bad_statements_are_left_out_with_their_lines() {
    for (from, to, line, part) in [
        ("ID=100h", "ID=1000h", 13, "1000h is no identifier"),
        ("ID=100h", "ID=xh", 14, "an identifier is such as 123h"),
        ("Len=8", "Len=x", 15, "a length is a number of bytes"),
        ("Len=8", "Len=2000", 13, "2000 bytes cannot be sent"),
        (
            "Sig=Gear 24",
            "Sig=Clutch 24",
            19,
            "{SIGNALS} has no signal of that name",
        ),
        ("7E0h-7E2h", "0h-7FFh", 29, "or more than 1024"),
        ("{RECEIVE}", "{HEAR}", 21, "sections are {ENUMS}"),
        ("Var=Light bit 3,1", "Var=Light bit", 26, "a variable is"),
        ("CycleTime=20", "CycleTime=x", 16, "a time is a number of"),
        (
            "MinInterval=5",
            "MinInterval=-5",
            17,
            "a time is a number of",
        ),
        ("0,8 02h", "0,8 zz", 34, "a multiplexer is"),
        ("0,8 02h", "0,8", 35, "its multiplexer is left out"),
    ] {
        let text = SYM.replacen(from, to, 1);
        let matrix = read(&text);
        let found = matrix.skipped.iter().find(|one| one.reason.contains(part));
        let found = found.unwrap_or_else(|| panic!("{to}: {:?}", matrix.skipped));
        assert_eq!(found.line, Some(line), "{to}");
    }
}

#[test]
fn older_format_is_read_and_reported() {
    let text = "FormatVersion=5.0 // x\nTitle=\"T\"\n{ENUMS}\nenum E(0=\"a\",\n 1=\"b\")\n{SEND}\n\
                [M]\nID=009h\nDLC=4\nVar=With blanks signed 2,11 -m /f:2\n";
    let matrix = read(text);
    assert!(matrix.skipped.is_empty(), "{:?}", matrix.skipped);
    assert!(matrix.remarks[0].starts_with("FormatVersion 5.0 is read as far"));
    let message = matrix.messages().next().unwrap();
    assert_eq!(message.length, 4);
    assert_eq!(message.signals[0].name, "With blanks");
    assert_eq!(message.signals[0].factor, 2.0);
}

/// Each multiplexer may state a CycleTime: the shortest counts, and the message says so.
#[test]
fn shortest_cycle_time_of_multiplexers_counts() {
    let text = "FormatVersion=6.0\n{SEND}\n[M]\nID=10h\nCycleTime=100\nMux=A 0,8 1\n\
                Var=a unsigned 8,8\n[M]\nCycleTime=20\nMinInterval=5\nMux=B 0,8 2h\n\
                Var=b unsigned 8,8\n[N]\nID=11h\nCycleTime=30\n";
    let matrix = read(text);
    let messages: Vec<_> = matrix.messages().collect();
    let [message, other] = messages.as_slice() else {
        panic!("{messages:?}");
    };
    assert_eq!(message.cycle_time, Some(Duration::from_millis(20)));
    assert_eq!(message.minimum_distance, Some(Duration::from_millis(5)));
    let remark = "has 2 multiplexers with a CycleTime each; the shortest one, 20 ms, counts";
    assert!(
        message.remarks[0].starts_with(remark),
        "{:?}",
        message.remarks
    );
    assert!(other.remarks.is_empty());
    let selections: Vec<_> = message
        .signals
        .iter()
        .filter_map(|signal| signal.selected_by.as_ref())
        .map(|by| (by.multiplexer.as_str(), by.value))
        .collect();
    assert_eq!(selections, [("A", 1), ("B", 2)]);
}

#[test]
fn signals_before_an_unreadable_multiplexer_are_left_out() {
    let text = "FormatVersion=6.0\n{SEND}\n[M]\nID=10h\nMux=A 0,8 1\nVar=a unsigned 8,8\n\
                [M]\nVar=b unsigned 8,8\nMux=B 0,8 zz\n";
    let matrix = read(text);
    let message = matrix.messages().next().unwrap();
    let names: Vec<&str> = message
        .signals
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["A", "a"]);
    assert!(
        message.remarks[0].starts_with("line 7: 1 signals before a multiplexer"),
        "{:?}",
        message.remarks
    );
}

#[test]
fn unreadable_options_and_signals_behind_the_end_are_named() {
    let text = "FormatVersion=6.0\n{SIGNALS}\nSig=s unsigned 8 /f:x\n{SEND}\n[M]\nID=10h\n\
                Len=2\nSig=s 0\nVar=v unsigned 8,16 /o:1e999\n";
    let matrix = read(text);
    assert_eq!(
        matrix.remarks,
        ["line 3: signal s: /f:x cannot be read; 1 is taken"]
    );
    let remarks = &matrix.messages().next().unwrap().remarks;
    assert_eq!(
        remarks[0],
        "line 9: signal v: /o:1e999 cannot be read; 0 is taken"
    );
    assert!(
        remarks[1].starts_with("signal v ends at bit 24, behind its 2 bytes:"),
        "{remarks:?}"
    );
}
