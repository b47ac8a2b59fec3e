//! Known lines of both forms, each kind of broken line, and round trips.

use super::*;
use crate::record::ChannelError;
use waywarden_can::FdFlags;

fn read(text: &str) -> Vec<Result<Record, LogError>> {
    Reader::new(text.as_bytes()).collect()
}

fn one(line: &str) -> Record {
    let mut records = read(line);
    assert_eq!(records.len(), 1, "{line}");
    records
        .pop()
        .unwrap()
        .unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn frame(record: &Record) -> Frame {
    *record.entry.frame().unwrap()
}

fn cause(line: &str) -> LineCause {
    let mut records = read(line);
    assert_eq!(records.len(), 1, "{line}");
    let error = records.pop().unwrap().expect_err(line);
    assert_eq!(error.place, LogLocation::Line(1), "{line}");
    match error.cause {
        LogCause::Line(cause) => cause,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn log_lines_read_as_they_were_sent() {
    let standard = |raw| Id::standard(raw).unwrap();
    let extended = |raw| Id::extended(raw).unwrap();
    let bytes = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88];
    let known = [
        ("123#", Frame::classic(standard(0x123), &[])),
        ("7ff#1122", Frame::classic(standard(0x7FF), &bytes[..2])),
        (
            "00000123#11.22.33",
            Frame::classic(extended(0x123), &bytes[..3]),
        ),
        (
            "1FFFFFFF#1122334455667788",
            Frame::classic(extended(0x1FFF_FFFF), &bytes),
        ),
        (
            "123#1122334455667788_E",
            Frame::classic(standard(0x123), &bytes)
                .unwrap()
                .with_raw_dlc(14),
        ),
        ("123#R", Frame::remote(standard(0x123), 0)),
        ("123#R8", Frame::remote(standard(0x123), 8)),
        ("123#R8_B", Frame::remote(standard(0x123), 11)),
        ("123#RB", Frame::remote(standard(0x123), 11)),
        ("12345678#r4", Frame::remote(extended(0x1234_5678), 4)),
        (
            "123##0",
            Frame::fd_with(
                standard(0x123),
                &[],
                FdFlags {
                    bit_rate_switch: false,
                    error_state_indicator: false,
                },
            ),
        ),
        (
            "123##11122",
            Frame::fd_with(
                standard(0x123),
                &bytes[..2],
                FdFlags {
                    bit_rate_switch: true,
                    error_state_indicator: false,
                },
            ),
        ),
        ("123##6112233445566778811223344", {
            let data = [bytes.as_slice(), &bytes[..4]].concat();
            Frame::fd_with(
                standard(0x123),
                &data,
                FdFlags {
                    bit_rate_switch: false,
                    error_state_indicator: true,
                },
            )
        }),
    ];
    for (text, expected) in known {
        let record = one(&format!("(1620692699.796900) can2 {text}\r\n"));
        assert_eq!(frame(&record), expected.unwrap(), "{text}");
        assert_eq!(record.at_ns, 1_620_692_699_796_900_000);
    }
}

#[test]
fn directions_and_error_frames_are_kept() {
    let direction = |text: &str| match one(text).entry {
        LogEntry::Frame { direction, .. } => direction,
        LogEntry::ErrorFrame(_) => panic!("{text}"),
    };
    assert_eq!(direction("(0.0) can0 123#11"), None);
    assert_eq!(direction("(0.0) can0 123#11 R"), Some(Direction::Rx));
    assert_eq!(direction("(0.0) can0 123#11 T\n"), Some(Direction::Tx));
    assert_eq!(
        direction("can0  TX - -  123   [1]  11"),
        Some(Direction::Tx)
    );
    let expected = ErrorFrame {
        class: 0x88,
        data: [0, 0, 0x80, 0x19, 0, 0, 1, 2],
    };
    for text in [
        "(0.0) can0 20000088#0000801900000102",
        "  can0  20000088   [8]  00 00 80 19 00 00 01 02   ERRORFRAME",
    ] {
        assert_eq!(one(text).entry, LogEntry::ErrorFrame(expected), "{text}");
    }
    assert_eq!(
        one("(0) can0 20000080#").entry,
        LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR)
    );
}

#[test]
fn screen_lines_read_as_they_were_sent() {
    let known = [
        ("  can0  123   [3]  11 22 33", "123#112233"),
        ("  can0  12345678   [0] ", "12345678#"),
        (
            "  can0  123   [8]  31 32 33 34 35 36 37 38   '12345 78'",
            "123#3132333435363738",
        ),
        (
            "  can0  123   {A}  11 22 33 44 55 66 77 88",
            "123#1122334455667788_A",
        ),
        ("  can0  123   [4]  remote request", "123#R4"),
        (
            "  can0  RX B -  123  [08]  11 22 33 44 55 66 77 88",
            "123##11122334455667788",
        ),
        (
            "  can0  123  [12]  11 22 33 44 55 66 77 88 99 AA BB CC",
            "123##0112233445566778899AABBCC",
        ),
    ];
    for (screen, log) in known {
        let record = one(&format!(" (166.000001) {screen}"));
        assert_eq!(frame(&record).to_string(), log, "{screen}");
        assert_eq!(record.at_ns, 166_000_001_000);
    }
    let dated = one(" (2021-05-11 00:24:59.796900)  can0  123   [1]  11");
    assert_eq!(dated.at_ns, 1_620_692_699_796_900_000);
}

#[test]
fn lines_without_stamp_are_counted_and_keep_the_time() {
    let mut reader = Reader::new(&b"can0 1F0#\n(2.5) can1 1F0#\n\n  can0  1F0  [0]\n"[..]);
    let records: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    let times: Vec<_> = records.iter().map(|record| record.at_ns).collect();
    assert_eq!(times, [0, 2_500_000_000, 2_500_000_000]);
    assert_eq!(reader.untimed(), 2);
    let names: Vec<_> = reader.channels().iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["can0", "can1"]);
    assert_eq!(records[0].channel, records[2].channel);
}

#[test]
fn explanations_below_error_frames_are_skipped_and_only_those() {
    let text = "can0 20000080 [8] 00 00 00 00 00 00 00 00 ERRORFRAME\n\tbus-error\n\tmore\n\
                can0 123 [0]\n\tstray\n";
    let results = read(text);
    assert_eq!(results.len(), 3);
    assert_eq!(results[2].as_ref().unwrap_err().place, LogLocation::Line(5));
}

#[test]
fn each_kind_of_broken_line_has_its_cause() {
    use LineCause as C;
    let quote = |text: &str| Quote::new(text.as_bytes());
    let channel = |text, cause| C::Channel {
        quote: quote(text),
        cause,
    };
    let id_range = |error: waywarden_can::IdError| C::IdRange(error);
    let known = [
        ("(1.0 can0 123#11", C::Missing(MissingPart::TimeStampEnd)),
        ("(1.x) can0 123#11", C::TimeStamp(quote("1.x"))),
        (
            "(2021-02-30 00:00:00) can0 123#11",
            C::TimeStamp(quote("2021-02-30 00:00:00")),
        ),
        (
            "(99999999999) can0 123#11",
            C::TimeStampRange(quote("99999999999")),
        ),
        ("(1.0)", C::Missing(MissingPart::Channel)),
        ("(1.0) can0", C::Missing(MissingPart::Frame)),
        (
            "(1.0) can\u{e9} 123#11",
            channel("can\u{e9}", ChannelError::Name),
        ),
        ("(1.0) can0 hello", C::NoFrame(quote("hello"))),
        ("(1.0) can0 12G#11", C::CandumpId(quote("12G"))),
        ("(1.0) can0 1234#11", C::CandumpId(quote("1234"))),
        ("(1.0) can0 #11", C::CandumpId(quote(""))),
        (
            "(1.0) can0 800#11",
            id_range(waywarden_can::IdError::AboveStandard(0x800)),
        ),
        (
            "(1.0) can0 80000123#",
            id_range(waywarden_can::IdError::AboveExtended(0x8000_0123)),
        ),
        ("(1.0) can0 123#1", C::Data(quote("1"))),
        ("(1.0) can0 123#11.", C::Data(quote("."))),
        ("(1.0) can0 123#11GG", C::Data(quote("GG"))),
        (
            "(1.0) can0 123#112233445566778899",
            C::Frame(FrameError::ClassicLength(9)),
        ),
        ("(1.0) can0 123##", C::Missing(MissingPart::FdFlags)),
        ("(1.0) can0 123##8", C::FdFlags(quote("8"))),
        ("(1.0) can0 123##1_9", C::Data(quote("_9"))),
        ("(1.0) can0 123#R9x", C::Length(quote("9x"))),
        ("(1.0) can0 123#1122_9", C::RawLengthCode(quote("_9"))),
        (
            "(1.0) can0 123#1122334455667788_8",
            C::RawLengthCode(quote("_8")),
        ),
        ("(1.0) can0 123#80:00:12345678#11", C::CanXl),
        ("(1.0) can0 123#11 X", C::Direction(quote("X"))),
        ("(1.0) can0 123#11 R more", C::Trailing(quote("more"))),
    ];
    for (line, expected) in known {
        assert_eq!(cause(line), expected, "{line}");
    }
}

/// SocketCAN hands out what the program sent, and the controller sends a whole length.
#[test]
fn can_fd_frames_of_other_lengths_are_padded_and_counted() {
    let bytes = "01 00 0A 0D 20 CD CC 4C BF 0D 29 00 00 C0 40 11 00 11 0B";
    let log = format!("(1.0) can1 00008001##0{}\n", bytes.replace(' ', ""));
    let text =
        format!("  can1  00008001  [19]  {bytes}\n{log}  can1  100  [06]  21 00 0A 21 0B 01\n");
    let mut reader = Reader::new(text.as_bytes());
    let records: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    let data = frame(&records[0]).data().to_vec();
    assert_eq!((data.len(), &data[17..]), (20, &[0x11, 0x0B, 0][..]));
    assert_eq!(records[0].entry, records[1].entry);
    assert_eq!(reader.padded(), 2);
    let most = "00".repeat(65);
    assert_eq!(
        cause(&format!("can0 123##0{most}")),
        LineCause::Frame(FrameError::FdLength(65))
    );
    assert!(parse_frame(b"123##1112233445566778899").is_err());
}

#[test]
fn each_kind_of_broken_screen_line_has_its_cause() {
    use LineCause as C;
    let quote = |text: &str| Quote::new(text.as_bytes());
    let count = |stated, found| C::ByteCount { stated, found };
    let known = [
        ("can0 123 [9] 11", C::Length(quote("[9]"))),
        ("can0 123 [65] 11", C::Frame(FrameError::FdLength(65))),
        ("can0 123 [0001] 11", C::CanXl),
        ("can0 123 [3] 11 22", count(3, 2)),
        ("can0 123 [1] 11 22 33", count(1, 3)),
        ("can0 123 [1] 111", C::Data(quote("111"))),
        ("can0 RX", C::Missing(MissingPart::FdFlags)),
        ("can0 RX - -", C::Missing(MissingPart::Id)),
        ("can0 RX - B 123 [01] 11", C::FdFlags(quote("B"))),
    ];
    for (line, expected) in known {
        assert_eq!(cause(line), expected, "{line}");
    }
}

#[test]
fn an_error_tells_its_line_and_reading_goes_on_behind_it() {
    let results = read("(1.0) can0 123#11\n(2.0) can0 12G#22\n(3.0) can0 123#33\n");
    let message = results[1].as_ref().unwrap_err().to_string();
    assert_eq!(
        message,
        "line 2: identifier \"12G\"; right would be 3 hexadecimal digits (11 bits) or 8 \
         (29 bits, error frames)"
    );
    assert_eq!(results[2].as_ref().unwrap().at_ns, 3_000_000_000);
}

#[test]
fn what_is_written_is_read_back_the_same() {
    let text = "(1620692699.796900) can2 009#F9FB8F4AFF093080\n\
                (1620692699.796901002) can1 09FD0269#00A400D9EBFAFFFF_C R\n\
                (1620692700.000000) can2 123##3112233 T\n\
                (1620692700.000000) can2 123#R8_F\n\
                (1620692700.000000) can2 123#R\n\
                (1620692700.100000) vcan0 20000088#0000801900000102\n";
    let mut reader = Reader::new(text.as_bytes());
    let mut writer = Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    let written = writer.finish().unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text);
}

#[test]
fn times_in_microseconds_have_six_digits_and_rounded_ones_are_counted() {
    let text = "(1.000001999) can0 123#\n(1.000002000) can0 123#\n(0.999999999) can0 123#\n";
    let mut reader = Reader::new(text.as_bytes());
    let mut writer = Writer::new(Vec::new()).in_microseconds();
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    assert_eq!(writer.rounded(), 2);
    assert_eq!(
        String::from_utf8(writer.finish().unwrap()).unwrap(),
        "(1.000002) can0 123#\n(1.000002) can0 123#\n(1.000000) can0 123#\n"
    );
}

/// Half a microsecond goes up, and times keep their order.
#[test]
fn times_are_rounded_to_microseconds() {
    let text = "(1620692699.796899796) can0 123#\n(1.000000499) can0 123#\n(1.0000005) can0 1F0#\n\
                (2.000001) can0 123#\n";
    let mut reader = Reader::new(text.as_bytes());
    let mut writer = Writer::new(Vec::new()).in_microseconds();
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    assert_eq!(writer.rounded(), 3);
    let expected = "(1620692699.796900) can0 123#\n(1.000000) can0 123#\n(1.000001) can0 1F0#\n\
                    (2.000001) can0 123#\n";
    assert_eq!(writer.finish().unwrap(), expected.as_bytes());
}
