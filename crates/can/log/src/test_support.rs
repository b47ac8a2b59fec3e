//! Logs read for the tests of the formats.

use crate::open::{LogReader, open};
use crate::{candump, record::Record};

/// Reads a log without faults and writes it as candump does.
pub(crate) fn lines_of(bytes: &[u8]) -> (String, LogReader<&[u8]>) {
    let mut reader = open(bytes).unwrap();
    let mut writer = candump::Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        let record: Record = record.unwrap_or_else(|error| panic!("{error}"));
        writer.write(&record, reader.channels()).unwrap();
    }
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    (text, reader)
}

/// Reads a log and compares the beginnings of its faults.
pub(crate) fn faults(bytes: &[u8], expected: &[&str]) {
    let reader = open(bytes).unwrap();
    let found: Vec<_> = reader
        .filter_map(Result::err)
        .map(|fault| fault.to_string())
        .collect();
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\nnot {expected}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}
