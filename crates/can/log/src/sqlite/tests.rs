//! Databases built page by page.

use std::io::Cursor;

use super::*;
use crate::error::LogCause;
use crate::record::{ErrorFrame, LogEntry};
use waywarden_can::{FdFlags, Frame, Id};

const PAGE: usize = 512;
const SQL: &str = "CREATE TABLE messages (ts REAL, arbitration_id INTEGER, extended INTEGER, \
                   remote INTEGER, error INTEGER, dlc INTEGER, data BLOB)";

fn put(number: u64) -> Vec<u8> {
    match number {
        0..=127 => vec![number as u8],
        _ => vec![0x80 | (number >> 7) as u8, number as u8 & 0x7F],
    }
}

/// A row: kinds of values and their bytes.
fn row(values: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let kinds: Vec<u8> = values.iter().flat_map(|(kind, _)| put(*kind)).collect();
    let mut row = vec![kinds.len() as u8 + 1];
    row.extend(kinds);
    row.extend(values.iter().flat_map(|(_, bytes)| bytes.clone()));
    row
}

fn frame_row(ts: f64, id: u32, flags: [u8; 3], data: &[u8]) -> Vec<u8> {
    let flag = |flag: u8| (8 + u64::from(flag), Vec::new());
    row(&[
        (7, ts.to_be_bytes().to_vec()),
        (4, id.to_be_bytes().to_vec()),
        flag(flags[0]),
        flag(flags[1]),
        flag(flags[2]),
        (1, vec![data.len() as u8]),
        (12 + 2 * data.len() as u64, data.to_vec()),
    ])
}

/// A leaf of rows, the first page with room for the header of the file.
fn leaf(header: usize, rows: &[Vec<u8>]) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    page[header] = 13;
    page[header + 3..header + 5].copy_from_slice(&(rows.len() as u16).to_be_bytes());
    let mut end = PAGE;
    for (index, row) in rows.iter().enumerate() {
        let mut cell = put(row.len() as u64);
        cell.extend(put(index as u64 + 1));
        cell.extend(row);
        end -= cell.len();
        page[end..end + cell.len()].copy_from_slice(&cell);
        let pointer = header + 8 + 2 * index;
        page[pointer..pointer + 2].copy_from_slice(&(end as u16).to_be_bytes());
    }
    page
}

/// The table has two leaves under one page.
fn database(sql: &str, leaves: [&[Vec<u8>]; 2]) -> Vec<u8> {
    let text = |text: &str| (13 + 2 * text.len() as u64, text.as_bytes().to_vec());
    let messages = text("messages");
    let schema = [
        text("table"),
        messages.clone(),
        messages,
        (1, vec![2]),
        text(sql),
    ];
    let mut first = leaf(100, &[row(&schema)]);
    first[..16].copy_from_slice(MARK);
    first[16..18].copy_from_slice(&(PAGE as u16).to_be_bytes());
    let mut root = vec![0; PAGE];
    root[0] = 5;
    root[4] = 1;
    root[11] = 4;
    root[12..14].copy_from_slice(&500_u16.to_be_bytes());
    root[503] = 3;
    [first, root, leaf(0, leaves[0]), leaf(0, leaves[1])].concat()
}

fn all(bytes: &[u8]) -> (Vec<Record>, Vec<LogError>) {
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    for item in Reader::new(Cursor::new(bytes)) {
        match item {
            Ok(record) => records.push(record),
            Err(error) => errors.push(error),
        }
    }
    (records, errors)
}

#[test]
fn rows_are_frames_in_their_order() {
    let first = [
        frame_row(1.5, 0x123, [0, 0, 0], &[1, 2, 3]),
        frame_row(2.5, 0x1234_5678, [1, 0, 0], &[9; 64]),
        frame_row(3.0, 0, [0, 0, 1], &[]),
    ];
    let second = [
        frame_row(4.0, 0x7FF, [0, 1, 0], &[]),
        frame_row(5.0, 0x800, [0, 0, 0], &[]),
    ];
    let (records, errors) = all(&database(SQL, [&first, &second]));
    let frame = |frame| LogEntry::Frame {
        frame,
        direction: None,
    };
    let extended = Id::extended(0x1234_5678).unwrap();
    let expected = [
        frame(Frame::classic(Id::standard(0x123).unwrap(), &[1, 2, 3]).unwrap()),
        frame(Frame::fd_with(extended, &[9; 64], FdFlags::default()).unwrap()),
        LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR),
        frame(Frame::remote(Id::standard(0x7FF).unwrap(), 0).unwrap()),
    ];
    assert!(records.iter().map(|record| record.entry).eq(expected));
    let times: Vec<u64> = records.iter().map(|record| record.at_ns).collect();
    assert_eq!(
        times,
        [1_500_000_000, 2_500_000_000, 3_000_000_000, 4_000_000_000]
    );
    assert!(matches!(
        errors[0].cause,
        LogCause::Sqlite(SqliteCause::IdRange { row: 2, .. })
    ));
    assert_eq!(errors.len(), 1);
}

#[test]
fn faults_are_named() {
    let rows = [frame_row(1.5, 0x123, [0, 0, 0], &[1])];
    let good = database(SQL, [&rows, &rows]);
    let cause = |bytes: &[u8]| all(bytes).1.first().map(ToString::to_string);
    assert_eq!(cause(&good), None);
    let other = database(
        "CREATE TABLE messages (ts REAL, id INTEGER)",
        [&rows, &rows],
    );
    assert!(cause(&other).unwrap().contains("no column arbitration_id"));
    // The second leaf is the page above it.
    let mut circle = good.clone();
    circle[PAGE + 11] = 2;
    assert!(cause(&circle).unwrap().contains("in a circle"));
    assert!(
        cause(&good[..3 * PAGE])
            .unwrap()
            .contains("page 4 lies behind the end")
    );
    let mut other_kind = good.clone();
    other_kind[2 * PAGE] = 10;
    assert!(cause(&other_kind).unwrap().contains("page 3 is of kind 10"));
    let mut no_table = good;
    no_table[100] = 5;
    assert!(cause(&no_table).unwrap().contains("behind the end"));
}

#[test]
fn error_frames_keep_their_class_and_other_lengths_are_padded() {
    let rows = [
        frame_row(
            1_620_692_699.796_9,
            0x88,
            [1, 0, 1],
            &[0, 0, 0x80, 0x19, 0, 0, 0, 0],
        ),
        frame_row(2.0, 0, [0, 0, 1], &[]),
        frame_row(3.0, 0x123, [0, 0, 0], &[9; 11]),
    ];
    let bytes = database(SQL, [&rows, &[]]);
    let mut reader = Reader::new(Cursor::new(bytes));
    let records: Vec<Record> = reader.by_ref().map(Result::unwrap).collect();
    let error = ErrorFrame {
        class: 0x88,
        data: [0, 0, 0x80, 0x19, 0, 0, 0, 0],
    };
    assert_eq!(records[0].entry, LogEntry::ErrorFrame(error));
    assert_eq!(records[0].at_ns, 1_620_692_699_796_900_000);
    assert_eq!(
        records[1].entry,
        LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR)
    );
    assert_eq!(records[2].entry.frame().unwrap().data_len(), 12);
    assert_eq!(reader.padded(), 1);
}
