//! Recognition by content, first bytes, logs that cannot be opened.

use std::io::Write as _;

use super::*;
use crate::error::LogCause;

/// Editors put a mark in front, and end lines in their own way.
#[test]
fn byte_order_mark_and_line_ends_change_nothing() {
    let candump = "(1.0) can0 123#11\n(2.0) can0 123#22\n";
    let asc = "date Sat Nov 21 05:35:39.956 2026\nbase hex  timestamps absolute\n\
               0.0 1 123 Rx d 1 11\n1.0 1 123 Rx d 1 22\n";
    for text in [candump, asc] {
        let plain: Vec<_> = open(text.as_bytes()).unwrap().map(Result::unwrap).collect();
        assert_eq!(plain.len(), 2);
        let windows = text.replace('\n', "\r\n");
        let mixed = text.replacen('\n', "\r\n", 1);
        for ends in [text, &windows, &mixed] {
            let marked = format!("\u{feff}{ends}");
            let read = open(marked.as_bytes()).unwrap().map(Result::unwrap);
            assert!(read.eq(plain.iter().copied()), "{marked:?}");
        }
    }
}

#[test]
fn formats_are_recognized_by_content() {
    let known: [(&[u8], _); 9] = [
        (b"LOGG", Some(LogFormat::Blf)),
        (
            b"date Sat Nov 21 05:35:39.956 2026\r\n",
            Some(LogFormat::Asc),
        ),
        (
            b"// a comment\nBASE HEX  timestamps absolute",
            Some(LogFormat::Asc),
        ),
        (b"(1.0) can0 123#11\n", Some(LogFormat::Candump)),
        (b"\n  can0  123   [1]  11\n", Some(LogFormat::Candump)),
        (b"rubbish\n(1.0) can0 123#11\n", Some(LogFormat::Candump)),
        (b"(1.0) can0 12G#11\n", Some(LogFormat::Candump)),
        (b"VERSION \"\"\n\nNS_ :\n", None),
        (b"", None),
    ];
    for (head, expected) in known {
        assert_eq!(detect(head), expected, "{}", head.escape_ascii());
    }
}

/// A pipe whose writer waits for an answer to this line.
struct Waiting(&'static [u8]);

impl Read for Waiting {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        assert!(!self.0.is_empty(), "a read before the line is used");
        let count = self.0.len().min(bytes.len()).min(5);
        let (now, left) = self.0.split_at(count);
        bytes[..count].copy_from_slice(now);
        self.0 = left;
        Ok(count)
    }
}

#[test]
fn first_record_needs_no_more_than_its_line() {
    let lines: [&[u8]; 2] = [b"(1.0) can0 123#11\n", b"  can0  123   [1]  11\n"];
    for line in lines {
        let mut reader = open(Waiting(line)).unwrap();
        assert!(reader.next().unwrap().is_ok());
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let refused = |bytes: &[u8]| open(bytes).expect_err("refused");
    let error = refused(b"");
    assert_eq!(
        (error.place, error.cause),
        (LogLocation::Offset(0), LogCause::Input(InputCause::Empty))
    );
    let error = refused(b"PK\x03\x04 no log");
    assert_eq!(error.cause, LogCause::Input(InputCause::UnknownFormat));
    let error = refused(b"\x1F\x8B\x08\0\0");
    assert_eq!(error.place, LogLocation::Offset(5));
    assert_eq!(error.cause, LogCause::Input(InputCause::GzipTruncated));
}

#[test]
fn gzip_that_breaks_within_the_first_bytes_still_gives_the_records_before() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    gzip.write_all(b"(1.0) can0 123#11\n(2.0) can0 123#22\n(3.0) can0 123#33\n")
        .unwrap();
    let packed = gzip.finish().unwrap();
    let cut = &packed[..packed.len() - 15];
    let mut reader = open(cut).unwrap();
    assert!(reader.next().unwrap().is_ok());
    let error = reader.find_map(Result::err).unwrap();
    assert_eq!(error.place, LogLocation::Offset(cut.len() as u64));
    assert_eq!(error.cause, LogCause::Input(InputCause::GzipTruncated));
}
