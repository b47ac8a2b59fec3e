//! Files of our own writer that were cut, or not completed; channels that have their names.

use std::io::Cursor;

use waywarden_can::{Frame, Id};

use super::{Builder, all};
use crate::mf4::{Channels, Reader, Record, Writer};
use crate::record::{Direction, LogEntry};

/// Records up to the cut are there, with their names, and the loss is said.
#[test]
fn file_that_is_cut_keeps_what_came_before() {
    let mut channels = Channels::default();
    let body = channels.intern(b"body").unwrap();
    let id = Id::standard(0x123).unwrap();
    let mut random = waywarden_testkit::Random::of_test("own_file_that_is_cut");
    let mut written = Vec::new();
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    for n in 0..60_000_u64 {
        let frame = match n % 2 {
            0 => Frame::classic(id, &random.bytes(8)),
            _ => Frame::fd(id, &random.bytes(16)),
        };
        let (frame, direction) = (frame.unwrap(), Some(Direction::Rx));
        let record = Record {
            at_ns: n * 1_000,
            channel: body,
            entry: LogEntry::Frame { frame, direction },
        };
        writer.write(&record, &channels).unwrap();
        written.push(record);
    }
    assert_eq!(writer.losses().order, 0);
    let bytes = writer.finish().unwrap().into_inner();
    for share in [20, 50, 90, 99] {
        let cut = &bytes[..bytes.len() * share / 100];
        let mut reader = Reader::new(Cursor::new(cut));
        let (mut records, mut faults) = (Vec::new(), Vec::new());
        for item in reader.by_ref() {
            match item {
                Ok(record) => records.push(record),
                Err(fault) => faults.push(fault.to_string()),
            }
        }
        let names: Vec<_> = reader.channels().iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["body"]);
        let read = records.len();
        assert!(read > 60_000 * share / 100 - 6_000, "{read} at {share} %");
        let place = |record: &Record| (record.at_ns / 1_000) as usize;
        assert!(
            records
                .iter()
                .all(|record| written[place(record)] == *record)
        );
        assert!((1..=2).contains(&faults.len()), "{faults:?}");
        assert!(faults[0].contains("copy is needed"), "{faults:?}");
    }
}

/// A file whose writing broke off has neither its mark nor the numbers of its records.
#[test]
fn file_that_is_not_completed_is_read() {
    let mut channels = Channels::default();
    let channel = channels.intern(b"can0").unwrap();
    let frame = Frame::fd(Id::standard(1).unwrap(), &[7; 64]).unwrap();
    let mut output = Cursor::new(Vec::new());
    let mut writer = Writer::new(&mut output);
    for at_ns in [3, 2, 1].into_iter().cycle().take(5_000) {
        let entry = LogEntry::Frame {
            frame,
            direction: Some(Direction::Tx),
        };
        let record = Record {
            at_ns,
            channel,
            entry,
        };
        writer.write(&record, &channels).unwrap();
    }
    assert_eq!(writer.losses().order, 3_333);
    drop(writer);
    let (records, errors, _) = all(&output.into_inner());
    assert_eq!((records.len(), errors.len()), (4_629, 0));
}

/// A source without a number of its bus channel gives its name, one with a number that.
#[test]
fn sources_name_their_channels() {
    let mut file = Builder::new(b"MDF     ", 0);
    let mut next = 0;
    let sources = [
        ("", "Power train", 1),
        ("CAN", "", 2),
        ("CAN5", "x", 3),
        ("", "Power train", 4),
    ];
    for (acquisition, name, at) in sources.into_iter().rev() {
        let bytes = file.channel("CAN_DataFrame.DataBytes", [0; 4], [0, 10, 12, 0, 8]);
        let id = file.channel("CAN_DataFrame.ID", [bytes, 0, 0, 0], [0, 0, 8, 0, 32]);
        let frame = file.channel("CAN_DataFrame", [0, id, 0, 0], [0, 10, 8, 0, 40]);
        let time = file.channel("t", [frame, 0, 0, 0], [2, 4, 0, 0, 64]);
        let group = file.group(0, time, [0, 1, 6, 13]);
        let text = file.text(acquisition);
        file.link(group, 2, text);
        let text = file.text(name);
        let source = file.add(b"SI", &[text, 0, 0], &[2, 2, 0, 0, 0, 0, 0, 0]);
        file.link(group, 3, source);
        let mut record = f64::from(at).to_le_bytes().to_vec();
        record.extend_from_slice(&[at as u8, 0, 0, 0, 7]);
        let data = file.add(b"DT", &[], &record);
        next = file.data_group(next, group, data, 0);
    }
    file.link(64, 0, next);
    let mut reader = Reader::new(Cursor::new(&file.0));
    let mut names = Vec::new();
    while let Some(record) = reader.next() {
        let channel = record.unwrap().channel;
        names.push(reader.channels().name(channel).to_owned());
    }
    assert_eq!(names, ["Power_train", "can0", "can5", "Power_train"]);
}
