//! Network definitions of Kayak.

use super::{KCD, matrix, read};
use waywarden_can::Id;
use waywarden_can_matrix::{ByteOrder, MatrixFormat, MessageFormat};
use waywarden_work::Duration;

#[test]
fn buses_messages_and_signals_are_read() {
    let matrix = read(KCD);
    assert_eq!(matrix.format, MatrixFormat::Kcd);
    let [drive, comfort] = matrix.clusters.as_slice() else {
        panic!("{} buses", matrix.clusters.len());
    };
    assert_eq!(drive.name.as_deref(), Some("Drive"));
    assert_eq!(drive.bit_rate.unwrap().bits_per_second(), 250_000);
    assert_eq!(
        comfort.bit_rate.unwrap().bits_per_second(),
        500_000,
        "the schema's default"
    );
    assert_eq!(drive.nodes, ["Brakes", "Engine"]);
    let [speed, cruise] = drive.messages.as_slice() else {
        panic!("{:?}", drive.messages);
    };
    assert_eq!(speed.id, Id::standard(0x100).unwrap());
    assert_eq!((speed.length, speed.format), (8, MessageFormat::Classic));
    assert_eq!(
        (speed.senders[0].as_str(), speed.receivers[0].as_str()),
        ("Brakes", "Engine")
    );
    assert_eq!(speed.cycle_time, Some(Duration::from_millis(20)));
    let wheel = &speed.signals[0];
    assert_eq!((wheel.start, wheel.length), (15, 16));
    assert_eq!(
        (wheel.byte_order, wheel.is_signed),
        (ByteOrder::BigEndian, true)
    );
    assert_eq!((wheel.factor, wheel.offset), (0.01, -40.0));
    assert_eq!(cruise.id, Id::extended(0x18FE_F100).unwrap());
    assert_eq!(cruise.length, 4, "up to the last bit of its signals");
    let names: Vec<&str> = cruise.signals.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Mode", "Set"]);
    assert!(matches!(
        comfort.messages[0].format,
        MessageFormat::Fd { .. }
    ));
    assert_eq!(comfort.messages[0].remarks.len(), 1, "CAN FD is not stated");
}

#[test]
fn what_no_bus_can_carry_is_left_out_with_its_line() {
    let matrix = read(KCD);
    let reported: Vec<String> = matrix.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(matrix.skipped.len(), 2, "{reported:?}");
    assert!(
        reported[0].contains("Message TooHigh is skipped: id 0x800 is no identifier"),
        "{reported:?}"
    );
    assert!(
        reported[1].contains("belongs to message Speed already"),
        "{reported:?}"
    );
    assert_eq!(matrix.skipped[0].line, Some(20));
    assert_eq!(matrix.remarks.len(), 1, "{:?}", matrix.remarks);
    assert!(matrix.remarks[0].contains("Radio"), "{:?}", matrix.remarks);
}

#[test]
fn file_without_a_bus_is_refused() {
    let error = matrix(b"<NetworkDefinition/>").expect_err("no bus");
    assert!(error.to_string().contains("no Bus"), "{error}");
    for length in ["-1", "x", "99999999999", "1786"] {
        let text = KCD.replacen("length=\"8\"", &format!("length=\"{length}\""), 1);
        let matrix = read(&text);
        assert_eq!(
            matrix.skipped.len(),
            2,
            "the second one of its identifier is the first now"
        );
        assert!(
            matrix.skipped[0].to_string().contains("is none; write"),
            "{length}"
        );
    }
}

/// A number that cannot be read costs its signal, or is named with the value that is taken.
#[test]
fn unreadable_numbers_of_signals_are_named() {
    let matrix = read(
        "<NetworkDefinition><Bus name=\"B\"><Message id=\"1\" name=\"M\" length=\"8\">\n\
         <Multiplex name=\"X\" offset=\"0\" length=\"8\">\n\
         <MuxGroup count=\"x\"><Signal name=\"G\" offset=\"8\"/></MuxGroup></Multiplex>\n\
         <Multiplex name=\"Y\" offset=\"-\">\n\
         <MuxGroup count=\"1\"><Signal name=\"H\" offset=\"8\"/></MuxGroup></Multiplex>\n\
         <Signal name=\"None\" length=\"4\"/>\n<Signal name=\"Bad\" offset=\"8\" length=\"zz\"/>\n\
         <Signal name=\"Far\" offset=\"4294967295\" length=\"4294967295\" endianess=\"big\"/>\n\
         <Signal offset=\"8\"/>\n<Signal name=\"Inf\" offset=\"24\" length=\"8\" \
         endianess=\"Big\"><Value slope=\"1e400\" intercept=\"nan\" type=\"int\"/></Signal>\n\
         <Signal name=\"Out\" offset=\"60\" length=\"16\"/></Message></Bus></NetworkDefinition>",
    );
    let skipped: Vec<String> = matrix
        .skipped
        .iter()
        .map(|one| format!("{}: {one}", one.line.unwrap()))
        .collect();
    let expected = [
        "3: a MuxGroup of message M is skipped: count x is no value of its multiplexer",
        "4: signal M.Y is skipped: offset - is no number of bits from 0 to 14280",
        "5: a MuxGroup of message M is skipped: its multiplexer is left out",
        "6: signal M.None is skipped: it has no offset",
        "7: signal M.Bad is skipped: length zz is no number of bits",
        "8: signal M.Far is skipped: offset 4294967295 is no number of bits",
        "9: signal M. is skipped: it has no name",
    ];
    assert_eq!(skipped.len(), expected.len(), "{skipped:#?}");
    for (found, expected) in skipped.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    let expected = [
        "line 10: signal M.Inf: slope 1e400 cannot be read; 1 is taken",
        "line 10: signal M.Inf: intercept nan cannot be read; 0 is taken",
        "line 10: signal M.Inf: endianess Big cannot be read; little is taken",
        "line 10: signal M.Inf: type int cannot be read; unsigned is taken",
    ];
    let message = &matrix.clusters[0].messages[0];
    assert_eq!(message.remarks[..4], expected);
    let names: Vec<&str> = message
        .signals
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["X", "Inf", "Out"]);
    assert!(
        message.remarks[4].starts_with("signal Out ends at bit 76, behind its 8 bytes:"),
        "{:?}",
        message.remarks
    );
}
