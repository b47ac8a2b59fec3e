//! Real logs: every frame of them read, and written back to the same frames.

use std::collections::HashSet;

use waywarden_can_log::{LogFormat, Record, candump, open};
use waywarden_testkit::corpus_bytes;

/// The corpus logs with the figures their description states: frames, identifiers, channels.
const LOGS: [(&str, usize, usize, &[&str]); 2] = [
    (
        "can/logs/css-94c49784.log.gz",
        84_730,
        89,
        &["can2", "can1"],
    ),
    ("can/logs/savvycan-candump.log.gz", 12_974, 180, &["vcan0"]),
];

#[test]
fn corpus_logs_have_the_stated_frames_and_identifiers() {
    for (name, frames, ids, channels) in LOGS {
        let Some(bytes) = corpus_bytes(name) else {
            return;
        };
        let mut reader = open(bytes.as_slice()).unwrap();
        assert_eq!(reader.format(), LogFormat::Candump);
        assert!(reader.is_gzip());
        let records: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
        assert_eq!(records.len(), frames, "{name}");
        let seen: HashSet<_> = records
            .iter()
            .map(|r| r.entry.frame().unwrap().id())
            .collect();
        assert_eq!(seen.len(), ids, "{name}");
        let names: Vec<_> = reader.channels().iter().map(|(_, name)| name).collect();
        assert_eq!(names, channels);
        assert_eq!(reader.untimed(), 0);
    }
}

#[test]
fn corpus_logs_written_and_read_again_are_the_same() {
    for (name, frames, ..) in LOGS {
        let Some(bytes) = corpus_bytes(name) else {
            return;
        };
        let mut reader = open(bytes.as_slice()).unwrap();
        let mut writer = candump::Writer::new(Vec::new());
        let mut records: Vec<Record> = Vec::new();
        while let Some(record) = reader.next() {
            let record = record.unwrap();
            writer.write(&record, reader.channels()).unwrap();
            records.push(record);
        }
        let text = writer.finish().unwrap();
        let again: Vec<_> = open(text.as_slice()).unwrap().map(Result::unwrap).collect();
        assert_eq!(again.len(), frames);
        assert!(again == records, "{name}");
    }
}
