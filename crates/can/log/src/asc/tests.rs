//! Known lines in both bases, skipped lines, each kind of broken line, and round trips.

use waywarden_can::FrameError;

use super::*;
use crate::candump;
use crate::error::LogLocation;
use crate::record::ErrorFrame;

fn read(text: &str) -> Vec<Result<Record, LogError>> {
    Reader::new(text.as_bytes()).collect()
}

/// Reads a log without faults and returns it as candump lines, times from the log's zero.
fn lines(text: &str) -> String {
    let mut reader = Reader::new(text.as_bytes());
    let mut writer = candump::Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

fn cause(line: &str) -> LineCause {
    let results = read(&format!(
        "base hex  timestamps absolute\n0.0 Start of measurement\n{line}\n"
    ));
    assert_eq!(results.len(), 1, "{line}");
    let error = results[0].as_ref().expect_err(line);
    assert_eq!(error.place, LogLocation::Line(3), "{line}");
    match &error.cause {
        LogCause::Line(cause) => cause.clone(),
        other => panic!("{line}: {other:?}"),
    }
}

const HEX: &str = "\
date Tue May 11 12:24:59.796 am 2021\r
base hex  timestamps absolute\r
internal events logged\r
// version 9.0.0\r
Begin Triggerblock Tue May 11 00:25:00.000 2021\r
   0.000000 Start of measurement\r
   0.001000 1  123             Rx   d 2 11 FF  Length = 180015 BitCount = 93 ID = 291\r
   0.001500 CAN 1 Status:chip status error active\r
   0.002000 2  1ABCDEFFx       Tx   d 8 00 11 22 33 44 55 66 77\r
   0.002100 2  123             TxRq d 1 00\r
   0.002200 1  Statistic: D 0 R 0 XD 0 XR 0 E 0 O 0 B 0.00%\r
   0.003000 1  7FF             Rx   r 4\r
   0.003100 1  7FF             Rx   r\r
   0.003200 1  7FF             Rx   r Length = 0 BitCount = 4 ID = 2047\r
   0.004000 1  123             Rx   d e 00 11 22 33 44 55 66 77\r
   0.005000 1  ErrorFrame\tECC: 10100010\r
   0.006 CANFD   1 Rx        123                1 0 9 12 00 01 02 03 04 05 06 07 08 09 0A 0B \
    130000  130   303000 76000a 46500250 4b140250 20011736 20010205\r
   0.007 CANFD   2 Tx  1ABCDEFFx  Engine_Status    0 1 0  0   130000  130     5000 0 0 0 0 0\r
   0.008 CANFD   1 Rx        123            0 0 8  0   130000  130       10 0 0 0 0 0\r
   0.009 CANFD   1 Rx        123            0 0 2  2 11 22   130000  130        0 0 0 0 0 0\r
   0.010 CANFD   1 Rx ErrorFrame Not Acknowledge error, dominant error flag fffe c7\r
   0.011 CANFD   1 TxRq      123                                   0 0 2  2 11 22\r
   0.012 CANFD   1 Rx        123                                   0 0 2  2 11 22\r
End TriggerBlock\r
";

#[test]
fn each_kind_of_event_reads_as_it_was_sent() {
    let expected = "\
(0.001000) can0 123#11FF R
(0.002000) can1 1ABCDEFF#0011223344556677 T
(0.003000) can0 7FF#R4 R
(0.003100) can0 7FF#R R
(0.003200) can0 7FF#R R
(0.004000) can0 123#0011223344556677_E R
(0.005000) can0 20000080#0000000000000000
(0.006000) can0 123##1000102030405060708090A0B R
(0.007000) can1 1ABCDEFF##2 T
(0.008000) can0 123#R8 R
(0.009000) can0 123#1122 R
(0.010000) can0 20000080#0000000000000000
(0.012000) can0 123##01122 R
";
    assert_eq!(lines(HEX), expected);
    let mut reader = Reader::new(HEX.as_bytes());
    assert_eq!(reader.by_ref().filter(Result::is_err).count(), 0);
    // Start of measurement, chip status, two transmit requests, statistic.
    assert_eq!(reader.skipped(), 5);
    assert_eq!(reader.start_ns(), Some(1_620_692_700_000_000_000));
}

#[test]
fn base_dec_and_relative_times_are_followed() {
    let text = "\
date Tue May 11 00:24:59 2021
base dec  timestamps relative
no internal events logged
0.5 1  291             Rx   d 2 17 255
0.25 Start of something
0.25 1  2047x           Rx   d 15 0 1 2 3 4 5 6 255
0.0 CANFD 1 Rx 291 0 0 9 12 0 1 2 3 4 5 6 7 8 9 10 255
";
    let expected = "\
(0.500000) can0 123#11FF R
(1.000000) can0 000007FF#00010203040506FF_F R
(1.000000) can0 123##0000102030405060708090AFF R
";
    assert_eq!(lines(text), expected);
    let mut reader = Reader::new(text.as_bytes());
    assert!(reader.by_ref().all(|result| result.is_ok()));
    assert_eq!(reader.start_ns(), Some(1_620_692_699_000_000_000));
}

#[test]
fn each_kind_of_broken_line_has_its_cause() {
    use LineCause as C;
    let quote = |text: &str| Quote::new(text.as_bytes());
    let known = [
        ("0.x 1 123 Rx d 1 11", C::TimeStamp(quote("0.x"))),
        ("0.1 0 123 Rx d 1 11", C::AscChannel(quote("0"))),
        ("0.1 257 123 Rx d 1 11", C::AscChannel(quote("257"))),
        ("0.1 1 12G Rx d 1 11", C::AscId(quote("12G"))),
        ("0.1 1 x Rx d 1 11", C::AscId(quote("x"))),
        (
            "0.1 1 800 Rx d 1 11",
            C::IdRange(waywarden_can::IdError::AboveStandard(0x800)),
        ),
        (
            "0.1 1 20000000x Rx d 1 11",
            C::IdRange(waywarden_can::IdError::AboveExtended(0x2000_0000)),
        ),
        ("0.1 1 123 Rx", C::Missing(MissingPart::Kind)),
        ("0.1 1 123 Rx q 1 11", C::Kind(quote("q"))),
        ("0.1 1 123 Rx d", C::Missing(MissingPart::Length)),
        ("0.1 1 123 Rx d g 11", C::Length(quote("g"))),
        ("0.1 1 123 Rx d 16 11", C::Length(quote("16"))),
        (
            "0.1 1 123 Rx d 2 11",
            C::ByteCount {
                stated: 2,
                found: 1,
            },
        ),
        ("0.1 1 123 Rx d 1 100", C::Data(quote("100"))),
        ("0.1 1 123 Rx d 1 GG", C::Data(quote("GG"))),
        ("0.1 CANFD", C::Missing(MissingPart::Channel)),
        ("0.1 CANFD 1", C::Missing(MissingPart::Direction)),
        ("0.1 CANFD 1 123 Rx", C::Direction(quote("123"))),
        ("0.1 CANFD 1 Rx", C::Missing(MissingPart::Id)),
        ("0.1 CANFD 1 Rx 123", C::Missing(MissingPart::FdFlags)),
        ("0.1 CANFD 1 Rx 123 2 0 1 1 11", C::FdFlags(quote("2"))),
        ("0.1 CANFD 1 Rx 123 0 0 9", C::Missing(MissingPart::Length)),
        ("0.1 CANFD 1 Rx 123 0 0 9 65", C::Length(quote("65"))),
        (
            "0.1 CANFD 1 Rx 123 0 0 9 9 1 2 3 4 5 6 7 8 9",
            C::Frame(FrameError::FdLength(9)),
        ),
        (
            "0.1 CANFD 1 Rx 123 0 0 a 12 1 2 3 4 5 6 7 8 9 a b c",
            C::ByteCount {
                stated: 16,
                found: 12,
            },
        ),
        (
            "0.1 CANFD 1 Rx 123 0 0 1 1 11 0 0 zz",
            C::FdFlags(quote("zz")),
        ),
        ("base oct", C::AscBase(quote("base oct"))),
        (
            "base hex timestamps never",
            C::AscTimestamps(quote("base hex timestamps never")),
        ),
        ("rubbish", C::AscLine(quote("rubbish"))),
    ];
    for (line, expected) in known {
        assert_eq!(cause(line), expected, "{line}");
    }
}

#[test]
fn a_log_of_any_format_written_as_asc_is_read_back_the_same() {
    let text = "\
(1620692699.796900) can2 009#F9FB8F4AFF093080 R
(1620692699.796901002) can1 09FD0269#00A400D9EBFAFFFF_C R
(1620692700.000000) can2 123##3112233 T
(1620692700.000000) can0 123##1 T
(1620692700.000000) can2 123#R8_F R
(1620692700.000000) can2 123#R R
(1620692700.100000) can2 20000080#0000000000000000
(1620692700.200000) can2 1FFFFFFF##0000102030405060708090A0B0C0D0E0F R
";
    let mut reader = candump::Reader::new(text.as_bytes());
    let mut writer = Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    let written = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert!(written.contains("// channel 3 is can2\n"));

    let mut reader = Reader::new(written.as_bytes());
    let mut again = candump::Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        let mut record = record.unwrap();
        record.at_ns += reader.start_ns().unwrap();
        again.write(&record, reader.channels()).unwrap();
    }
    assert_eq!(String::from_utf8(again.finish().unwrap()).unwrap(), text);
}

/// Dates to the millisecond from 1970 to 2106, and records from their start on.
#[test]
fn a_start_that_is_set_is_read_back_and_the_records_count_from_it() {
    let seed = waywarden_testkit::first_seed(0xDA7E);
    println!("WAYWARDEN_SEED={seed}");
    let mut random = waywarden_testkit::Random::new(seed);
    let mut channels = Channels::default();
    let channel = channels.intern(b"can0").unwrap();
    for _ in 0..waywarden_testkit::cases(200) {
        let date_ns = random.below(1 << 32) * 1_000_000_000 + random.below(1_000) * 1_000_000;
        let mut times = [0; 3].map(|_| random.below(1 << 40));
        times.sort_unstable();
        let mut writer = Writer::new(Vec::new());
        writer.set_start(date_ns);
        for at_ns in times {
            let entry = LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR);
            let record = Record {
                at_ns,
                channel,
                entry,
            };
            writer.write(&record, &channels).unwrap();
        }
        let written = writer.finish().unwrap();
        let mut reader = Reader::new(written.as_slice());
        let back: Vec<u64> = reader
            .by_ref()
            .map(|record| record.unwrap().at_ns)
            .collect();
        assert_eq!((reader.start_ns(), &back[..]), (Some(date_ns), &times[..]));
    }
}

#[test]
fn a_record_before_the_start_is_refused_and_an_empty_log_is_whole() {
    let mut channels = Channels::default();
    let channel = channels.intern(b"can0").unwrap();
    let record = |at_ns| Record {
        at_ns,
        channel,
        entry: LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR),
    };
    let (late, early) = (record(5_300_000_000), record(4_999_999_999));
    let mut writer = Writer::new(Vec::new());
    writer.write(&late, &channels).unwrap();
    writer.write(&record(5_000_000_000), &channels).unwrap();
    let error = writer.write(&early, &channels).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);

    let empty = Writer::new(Vec::new()).finish().unwrap();
    assert_eq!(crate::detect(&empty), Some(crate::LogFormat::Asc));
    assert_eq!(Reader::new(empty.as_slice()).count(), 0);
}

mod vendor;

/// A `base` line without a word on times costs itself alone.
#[test]
fn base_line_without_timestamps_is_reported_and_absolute() {
    let text = "date Mon Feb 3 11:21:13 am 2025\nbase hex  of some kind\n\
                1.5 1 122 Rx d 2 E3 0C\n2.5 1 122 Rx d 1 E3\n";
    let results: Vec<_> = Reader::new(text.as_bytes()).collect();
    let [Err(error), Ok(first), Ok(second)] = results.as_slice() else {
        panic!("{results:?}");
    };
    assert!(error.is_skippable(), "{error}");
    assert_eq!(second.at_ns - first.at_ns, 1_000_000_000);
    let unknown = Reader::new(&b"base oct\n"[..]).next();
    assert!(matches!(unknown, Some(Err(error)) if !error.is_skippable()));
}

#[test]
fn busmaster_counts_from_midnight_and_says_nothing_about_it() {
    let text = "date Mon Feb 3 11:21:13 am 2025\nbase hex  no internal events logged\n\
                // version 7.1.0\n40874.808200 1 122 Rx d 2 E3 0C\n40874.811300 1 0AE Rx r\n";
    let mut reader = Reader::new(text.as_bytes());
    let records: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    assert_eq!(records[0].at_ns, 40_874_808_200_000);
    // 2025-02-03 00:00, to which the time of the first event is 11:21:14.
    assert_eq!(reader.start_ns(), Some(1_738_540_800_000_000_000));
    let early = text.replace("40874", "0");
    let mut reader = Reader::new(early.as_bytes());
    assert_eq!(reader.by_ref().map(Result::unwrap).count(), 2);
    assert_eq!(reader.start_ns(), Some(1_738_581_673_000_000_000));
}

#[test]
fn events_of_can_fd_without_channel_are_skipped() {
    let text = "base hex  timestamps absolute\n0.0 CANFD   Start of measurement\n\
                0.1 CANFD   1 Rx 123 1 0 1 1 11\n";
    let mut reader = Reader::new(text.as_bytes());
    assert_eq!(reader.by_ref().map(Result::unwrap).count(), 1);
    assert_eq!(reader.skipped(), 1);
}

#[test]
fn comments_of_the_writer_keep_the_names_of_channels() {
    let text = "base hex  timestamps absolute\n// channel 1 is body\n0.0 1 123 Rx d 0\n\
                0.0 2 123 Rx d 0\n";
    let mut reader = Reader::new(text.as_bytes());
    assert_eq!(reader.by_ref().map(Result::unwrap).count(), 2);
    let names: Vec<_> = reader.channels().iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["body", "can1"]);
}

/// More bytes than the length says are a fault, not cut.
#[test]
fn bytes_behind_the_length_are_a_fault() {
    let count = |stated, found| LineCause::ByteCount { stated, found };
    let known = [
        ("0.1 1 123 Rx d 4 1 2 3 4 5 6", count(4, 6)),
        ("0.1 1 123 Rx d 0 1 Length = 0", count(0, 1)),
        ("0.1 CANFD 1 Rx 123 0 0 2 2 11 22 33", count(2, 3)),
        (
            "0.1 CANFD 1 Rx 123 0 0 2 2 11 22 33 44 1 1 1000 0 0 0 0 0",
            count(2, 4),
        ),
    ];
    for (line, expected) in known {
        assert_eq!(cause(line), expected, "{line}");
    }
}
