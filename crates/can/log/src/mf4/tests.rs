//! Known files, built block by block, and files of our own writer.

mod builder;
mod own;

use std::io::Cursor;

use super::*;
use crate::error::LogCause;
use crate::record::{Direction, ErrorFrame, LogEntry};
use builder::Builder;
use waywarden_can::{FdFlags, Frame, Id};

/// The channels of a logger that writes as records come: bits, microseconds of five bytes, data
/// bytes in a channel group of their own.
fn logger_channels(file: &mut Builder, values: u64) -> u64 {
    let conversion = file.conversion(0.5, 1e-6);
    let mut parts = 0;
    for (name, shape, data) in [
        ("CAN_DataFrame.DataBytes", [1, 10, 11, 0, 32], values),
        ("CAN_DataFrame.ESI", [0, 0, 10, 3, 1], 0),
        ("CAN_DataFrame.BRS", [0, 0, 10, 2, 1], 0),
        ("CAN_DataFrame.EDL", [0, 0, 10, 1, 1], 0),
        ("CAN_DataFrame.Dir", [0, 0, 10, 0, 1], 0),
        ("CAN_DataFrame.DataLength", [0, 0, 9, 1, 7], 0),
        ("CAN_DataFrame.DLC", [0, 0, 10, 4, 4], 0),
        ("CAN_DataFrame.IDE", [0, 0, 9, 0, 1], 0),
        ("CAN_DataFrame.ID", [0, 0, 5, 2, 29], 0),
        ("CAN_DataFrame.BusChannel", [0, 0, 5, 0, 2], 0),
    ] {
        parts = file.channel(name, [parts, 0, 0, data], shape);
    }
    let frame = file.channel("CAN_DataFrame", [0, parts, 0, 0], [0, 10, 5, 0, 80]);
    file.channel("Timestamp", [frame, 0, conversion, 0], [2, 0, 0, 0, 40])
}

/// A record of [`logger_channels`].
fn logger_record(micros: u64, (channel, id): (u64, u64), flags: [u8; 2], offset: u32) -> Vec<u8> {
    let mut record = micros.to_le_bytes()[..5].to_vec();
    record.extend_from_slice(&(channel | id << 2).to_le_bytes()[..4]);
    record.extend_from_slice(&flags);
    record.extend_from_slice(&offset.to_le_bytes());
    record
}

/// A file of a logger: records as they come, not completed.
fn logger_file(are_values_first: bool, extra: &[u8]) -> Vec<u8> {
    let mut file = Builder::new(b"UnFinMF ", 0b101);
    let values = file.group(0, 0, [2, 0, 1, 0]);
    let other = file.group(values, 0, [3, 0, 0, 3]);
    let channels = logger_channels(&mut file, values);
    let frames = file.group(other, channels, [1, 0, 6, 15]);
    let group = file.data_group(0, frames, 0, 1);
    file.link(64, 0, group);
    let data = file.add(b"DT", &[], &[]);
    file.link(group, 2, data);
    let frames = [
        logger_record(1, (1, 0x123), [3 << 1, 3 << 4], 0),
        logger_record(2, (2, 0x1234_5678), [1 | 12 << 1, 0b1111 | 9 << 4], 7),
        logger_record(9, (1, 0x7FF), [0, 0], 23),
    ];
    let data = [&[1_u8, 2, 3][..], &[7; 12], &[]];
    for (frame, data) in frames.iter().zip(data) {
        let mut value = vec![2];
        value.extend_from_slice(&(data.len() as u32).to_le_bytes());
        value.extend_from_slice(data);
        let mut record = vec![1];
        record.extend_from_slice(frame);
        let mut both = [record, value];
        if are_values_first {
            both.reverse();
        }
        file.0.extend(both.concat());
        file.0.extend_from_slice(&[3, 9, 9, 9]);
    }
    file.0.extend_from_slice(extra);
    file.0
}

fn all(bytes: &[u8]) -> (Vec<Record>, Vec<LogError>, u64) {
    let mut reader = Reader::new(Cursor::new(bytes));
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    for item in reader.by_ref() {
        match item {
            Ok(record) => records.push(record),
            Err(error) => errors.push(error),
        }
    }
    (records, errors, reader.skipped())
}

const fn flags(bit_rate_switch: bool, error_state_indicator: bool) -> FdFlags {
    FdFlags {
        bit_rate_switch,
        error_state_indicator,
    }
}

fn logger_frames() -> Vec<(u64, LogEntry)> {
    let start = 1_700_000_000_500_000_000;
    let entry = |frame, direction| LogEntry::Frame {
        frame,
        direction: Some(direction),
    };
    let first = Frame::classic(Id::standard(0x123).unwrap(), &[1, 2, 3]).unwrap();
    let second = Id::extended(0x1234_5678).unwrap();
    let second = Frame::fd_with(second, &[7; 12], flags(true, true)).unwrap();
    let third = Frame::classic(Id::standard(0x7FF).unwrap(), &[]).unwrap();
    vec![
        (start + 1_000, entry(first, Direction::Rx)),
        (start + 2_000, entry(second, Direction::Tx)),
        (start + 9_000, entry(third, Direction::Rx)),
    ]
}

#[test]
fn records_as_a_logger_writes_them_find_their_data_bytes() {
    for are_values_first in [false, true] {
        let (records, errors, skipped) = all(&logger_file(are_values_first, &[]));
        assert_eq!(errors, []);
        let read: Vec<_> = records
            .iter()
            .map(|record| (record.at_ns, record.entry))
            .collect();
        assert_eq!(read, logger_frames());
        assert_eq!(skipped, 3);
    }
}

#[test]
fn file_cut_short_keeps_the_records_before() {
    let whole = logger_file(false, &[]);
    let data = whole.len() - (16 + 8 + 4 + 16 + 17 + 4 + 16 + 5 + 4);
    for end in data..whole.len() {
        let (records, errors, _) = all(&whole[..end]);
        let expected = logger_frames();
        assert!(
            expected
                .iter()
                .zip(&records)
                .all(|(e, r)| (r.at_ns, r.entry) == *e)
        );
        assert!(records.len() + errors.len() <= 5, "{end}");
    }
    let (records, errors, _) = all(&logger_file(false, &[77, 0, 0]));
    assert_eq!(records.len(), 3);
    assert_eq!(errors[0].cause, LogCause::Mf4(Mf4Cause::RecordId(77)));
}

/// A sorted group whose data bytes lie in signal data, in lists of blocks, some of them packed.
fn sorted_file(packed: bool) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut file = Builder::new(b"MDF     ", 0);
    let (mut records, mut values, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..100_u8 {
        let data = vec![n; usize::from(n) % 9];
        records.extend(f64::from(n).to_le_bytes());
        records.extend([n, 1, 0, 0, data.len() as u8]);
        records.extend((values.len() as u64).to_le_bytes());
        values.extend((data.len() as u32).to_le_bytes());
        values.extend(&data);
        all.push(data);
    }
    let list = |file: &mut Builder, kind: &[u8; 2], bytes: &[u8], width: usize| {
        let parts: Vec<u64> = bytes
            .chunks(width)
            .enumerate()
            .map(|(n, part)| match packed && n % 2 == 0 {
                true => packed_block(file, *kind, part, if n % 4 == 0 { 0 } else { 21 }),
                false => file.add(kind, &[], part),
            })
            .collect();
        let (first, second) = parts.split_at(parts.len() / 2);
        let size = |links: &[u64]| [&[0; 4][..], &(links.len() as u32).to_le_bytes()].concat();
        let second = file.add(b"DL", &[&[0], second].concat(), &size(second));
        let first = file.add(b"DL", &[&[second], first].concat(), &size(first));
        file.add(b"HL", &[first], &[0; 8])
    };
    let records = list(&mut file, b"DT", &records, 100);
    let values = list(&mut file, b"SD", &values, 37);
    let mut parts = 0;
    for (name, shape, data) in [
        ("CAN_DataFrame.DataBytes", [1, 10, 13, 0, 64], values),
        ("CAN_DataFrame.DataLength", [0, 0, 12, 0, 8], 0),
        ("CAN_DataFrame.ID", [0, 0, 8, 0, 32], 0),
    ] {
        parts = file.channel(name, [parts, 0, 0, data], shape);
    }
    let frame = file.channel("CAN_DataFrame", [0, parts, 0, 0], [0, 10, 8, 0, 104]);
    let time = file.channel("t", [frame, 0, 0, 0], [2, 4, 0, 0, 64]);
    let channels = file.group(0, time, [0, 100, 6, 21]);
    let group = file.data_group(0, channels, records, 0);
    file.link(64, 0, group);
    (file.0, all)
}

fn packed_block(file: &mut Builder, kind: [u8; 2], part: &[u8], width: usize) -> u64 {
    use std::io::Write as _;
    let mut columns = part.to_vec();
    let height = part.len().checked_div(width).unwrap_or(0);
    for (at, byte) in part.iter().enumerate().take(height * width) {
        columns[at % width * height + at / width] = *byte;
    }
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&columns).unwrap();
    let body = encoder.finish().unwrap();
    let mut data = kind.to_vec();
    data.extend([u8::from(width > 0), 0]);
    data.extend((width as u32).to_le_bytes());
    data.extend((part.len() as u64).to_le_bytes());
    data.extend((body.len() as u64).to_le_bytes());
    data.extend(body);
    file.add(b"DZ", &[], &data)
}

#[test]
fn split_and_packed_data_is_one_stream() {
    for packed in [false, true] {
        let (bytes, expected) = sorted_file(packed);
        let (records, errors, _) = all(&bytes);
        assert_eq!(errors, []);
        let data = records
            .iter()
            .filter_map(|record| record.entry.frame())
            .map(Frame::data);
        assert!(
            data.eq(expected.iter().map(Vec::as_slice)),
            "packed: {packed}"
        );
        assert_eq!(records[99].at_ns, 1_700_000_099_000_000_000);
    }
}

#[test]
fn written_file_is_read_as_it_was() {
    let mut channels = Channels::default();
    let body = channels.intern(b"body").unwrap();
    let can2 = channels.intern(b"can2").unwrap();
    let (standard, extended) = (Id::standard(0x123).unwrap(), Id::extended(0x1234).unwrap());
    let frames = [
        Frame::classic(standard, &[1, 2, 3]).unwrap(),
        Frame::classic(extended, &[1; 8])
            .unwrap()
            .with_raw_dlc(14)
            .unwrap(),
        Frame::fd_with(standard, &[9; 64], flags(true, false)).unwrap(),
        Frame::fd_with(extended, &[], flags(false, true)).unwrap(),
        Frame::remote(standard, 5).unwrap(),
        Frame::remote(extended, 0).unwrap(),
    ];
    let record = |n: u64, entry| Record {
        at_ns: 1_700_000_000_123_456_789 + n * 3,
        channel: if n.is_multiple_of(2) { body } else { can2 },
        entry,
    };
    let mut written: Vec<Record> = Vec::new();
    for n in 0..60_000 {
        let frame = frames[n as usize % frames.len()];
        let direction = Some(if n % 5 == 0 {
            Direction::Tx
        } else {
            Direction::Rx
        });
        written.push(record(n, LogEntry::Frame { frame, direction }));
    }
    written.push(record(60_000, LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR)));
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    for record in &written {
        writer.write(record, &channels).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    let mut reader = Reader::new(Cursor::new(&bytes));
    for expected in &written {
        let read = reader.next().unwrap().unwrap();
        assert_eq!((read.at_ns, read.entry), (expected.at_ns, expected.entry));
        let name = channels.name(expected.channel);
        assert_eq!(reader.channels().name(read.channel), name);
    }
    assert!(reader.next().is_none());
}

#[test]
fn faults_are_named() {
    let causes =
        |bytes: &[u8]| -> Vec<String> { all(bytes).1.iter().map(ToString::to_string).collect() };
    let mut empty = Builder::new(b"MDF     ", 0);
    assert!(causes(&empty.0)[0].contains("no channel group has CAN_DataFrame"));
    let group = empty.data_group(0, 0, 0, 0);
    empty.link(64, 0, group);
    empty.link(group, 0, group);
    assert!(causes(&empty.0)[0].contains("do its links form a circle?"));
    empty.link(64, 0, 1 << 40);
    assert!(causes(&empty.0)[0].contains("behind the end of the file"));
    empty.0[28] = 0;
    empty.0[29] = 0;
    assert!(causes(&empty.0)[0].contains("MDF version \"4.11\""));
}

/// A list whose blocks are itself, and a packed block that is not what it says.
#[test]
fn hostile_data_blocks_end() {
    let (bytes, _) = sorted_file(true);
    let lists = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, mark)| *mark == b"##DL");
    for (at, _) in lists {
        let mut bytes = bytes.clone();
        for link in 0..3 {
            let place = at + 24 + 8 * link;
            bytes[place..place + 8].copy_from_slice(&(at as u64).to_le_bytes());
        }
        let (_, errors, _) = all(&bytes);
        assert!(!errors.is_empty());
    }
    let packed = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, mark)| *mark == b"##DZ");
    for (at, _) in packed {
        for (place, value) in [
            (32, u64::MAX),
            (32, 1 << 24),
            (32, 3),
            (40, u64::MAX),
            (26, 7),
        ] {
            let mut bytes = bytes.clone();
            bytes[at + place..at + place + 8].copy_from_slice(&value.to_le_bytes());
            let (records, _, _) = all(&bytes);
            assert!(records.len() <= 100);
        }
    }
}
