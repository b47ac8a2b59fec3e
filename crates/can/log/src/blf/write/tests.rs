//! Logs that are written and read back, and their headers.

use super::*;
use crate::record::{Channels, ErrorFrame};
use crate::test_support::lines_of;
use crate::{LogFormat, open};

fn written(log: &str) -> FinishedLog<Vec<u8>> {
    let mut reader = open(log.as_bytes()).unwrap();
    let mut writer = Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn what_is_written_is_read_back_with_names_and_date() {
    let log = "(1620692699.796900001) body 123#1122 T\n(1620692699.8) can0 00000123#R4 R\n\
               (1620692699.8) can3 123#1122334455667788_C R\n\
               (1620692699.9) body 20000080#0000000000000000\n\
               (1620692700.0) can3 123##3AABB R\n(1620692700.0) can0 00000001##0 T\n";
    let FinishedLog { mut output, header } = written(log);
    output[..HEADER_SIZE].copy_from_slice(&header);
    let (text, reader) = lines_of(&output);
    let expected = "\
(0.796900001) body 123#1122 T
(0.800000) can0 00000123#R4 R
(0.800000) can3 123#1122334455667788_C R
(0.900000) body 20000080#0000000000000000
(1.000000) can3 123##3AABB R
(1.000000) can0 00000001##0 T
";
    assert_eq!(text, expected);
    assert_eq!(reader.format(), LogFormat::Blf);
    // A text that only names a channel is no event.
    assert_eq!(reader.skipped(), 0);
    assert_eq!(reader.start_ns(), Some(1_620_692_699_000_000_000));
    assert_eq!(header[16..24], (output.len() as u64).to_le_bytes());
    // The texts of two names beside six frames.
    assert_eq!(header[32..36], 8_u32.to_le_bytes());
    assert_eq!(header[56..72], system_time(1_620_692_700_000_000_000));
}

#[test]
fn logs_without_date_or_records_are_whole_files() {
    let (text, reader) = lines_of_finished(&written("(1.5) can0 123#11\n"));
    assert_eq!(
        (text.as_str(), reader),
        ("(1.500000) can0 123#11 R\n", None)
    );
    let empty = Writer::new(Vec::new()).finish().unwrap();
    assert_eq!(empty.output, empty.header);
    assert_eq!(open(empty.output.as_slice()).unwrap().count(), 0);
}

fn lines_of_finished(finished: &FinishedLog<Vec<u8>>) -> (String, Option<u64>) {
    let (text, reader) = lines_of(&finished.output);
    let start = reader.start_ns();
    (text, start)
}

#[test]
fn lost_details_are_counted() {
    let mut channels = Channels::default();
    let channel = channels.intern(b"can0").unwrap();
    let mut writer = Writer::new(Vec::new());
    for class in [0x80, 0x88] {
        let error = ErrorFrame {
            class,
            data: [0; 8],
        };
        let entry = LogEntry::ErrorFrame(error);
        let record = Record {
            at_ns: 5,
            channel,
            entry,
        };
        writer.write(&record, &channels).unwrap();
    }
    assert_eq!(writer.losses().error_details, 1);
}
