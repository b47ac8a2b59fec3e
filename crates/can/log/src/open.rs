//! Opening of logs of any format: detects the format by content, and unpacks gzip.

use std::io::Read;

use crate::error::{InputCause, LogError, Place};
use crate::input::{BYTE_ORDER_MARK, Input, Whole};
use crate::record::{Channels, Record};
use crate::{asc, blf, candump};

/// A log format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogFormat {
    /// candump's log form or screen form.
    Candump,
    /// Vector's text logs.
    Asc,
    /// Vector's binary logs.
    Blf,
}

/// A log of any format, read record by record.
///
/// Each item is a record or the fault of one place; after a fault the caller may go on to the
/// next item. The iterator ends for good at the end of the log or where no sense can be made of
/// what follows.
#[derive(Debug)]
pub struct LogReader<R: Read> {
    is_gzip: bool,
    inner: Inner<R>,
}

#[derive(Debug)]
enum Inner<R: Read> {
    Candump(Box<candump::Reader<Whole<R>>>),
    Asc(Box<asc::Reader<Whole<R>>>),
    Blf(Box<blf::Reader<Whole<R>>>),
}

/// Opens a log, plain or gzip, and detects its format by its first 4096 bytes.
///
/// # Errors
/// [`InputCause`]: the bytes do not arrive, there are none, or they fit no format.
pub fn open<R: Read>(reader: R) -> Result<LogReader<R>, LogError> {
    let input = Input::new(reader)?;
    let is_gzip = input.is_gzip();
    let (head, mut whole) = input.with_head(is_decided);
    let cause = match detect(&head) {
        Some(format) => return Ok(LogReader::new(whole, is_gzip, format)),
        None if head.is_empty() => InputCause::Empty,
        None => InputCause::UnknownFormat,
    };
    // Where the first bytes break off, the break is the news, not the unknown format.
    Err(match whole.get_mut().1.take_fault() {
        Some(fault) => fault,
        None => LogError {
            place: Place::Offset(0),
            cause: cause.into(),
        },
    })
}

/// Opens a log, plain or gzip, of a known format.
///
/// # Errors
/// [`InputCause::Read`] if the first bytes do not arrive.
pub fn open_as<R: Read>(reader: R, format: LogFormat) -> Result<LogReader<R>, LogError> {
    let input = Input::new(reader)?;
    let is_gzip = input.is_gzip();
    Ok(LogReader::new(input.with_head(|_| true).1, is_gzip, format))
}

/// Returns true if no further bytes can change the result of [`detect`]: a whole line decides it.
fn is_decided(head: &[u8]) -> bool {
    let whole = head.iter().rposition(|&byte| byte == b'\n');
    let lines = whole.map_or(&[][..], |end| &head[..end]);
    head.starts_with(b"LOGG") || of_lines(lines).is_ok()
}

/// Tells the format from the first bytes (unpacked) of a log; 4096 are enough.
#[must_use]
pub fn detect(head: &[u8]) -> Option<LogFormat> {
    if head.starts_with(b"LOGG") {
        return Some(LogFormat::Blf);
    }
    // A log whose first lines are all broken is still better named by its brackets than not at all.
    match of_lines(head) {
        Ok(format) => Some(format),
        Err(bracket) => bracket.then_some(LogFormat::Candump),
    }
}

/// Tells the format by the first line that has one; else returns true if a line has a bracket.
fn of_lines(head: &[u8]) -> Result<LogFormat, bool> {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut bracket = false;
    for line in lines.filter(|line| !line.is_empty()) {
        if candump::is_line(line) {
            return Ok(LogFormat::Candump);
        }
        if asc::is_header_line(line) {
            return Ok(LogFormat::Asc);
        }
        bracket |= line.starts_with(b"(");
    }
    Err(bracket)
}

impl<R: Read> LogReader<R> {
    fn new(whole: Whole<R>, is_gzip: bool, format: LogFormat) -> Self {
        let inner = match format {
            LogFormat::Candump => Inner::Candump(Box::new(candump::Reader::new(whole))),
            LogFormat::Asc => Inner::Asc(Box::new(asc::Reader::new(whole))),
            LogFormat::Blf => Inner::Blf(Box::new(blf::Reader::new(whole))),
        };
        LogReader { is_gzip, inner }
    }

    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> LogFormat {
        match self.inner {
            Inner::Candump(_) => LogFormat::Candump,
            Inner::Asc(_) => LogFormat::Asc,
            Inner::Blf(_) => LogFormat::Blf,
        }
    }

    /// Returns true if the log came as gzip.
    #[must_use]
    pub fn is_gzip(&self) -> bool {
        self.is_gzip
    }

    /// Returns the channels seen so far.
    #[must_use]
    pub fn channels(&self) -> &Channels {
        match &self.inner {
            Inner::Candump(reader) => reader.channels(),
            Inner::Asc(reader) => reader.channels(),
            Inner::Blf(reader) => reader.channels(),
        }
    }

    /// Returns the time of the log's zero in nanoseconds since the Unix epoch, where a date in
    /// the log's header tells it (ASC, BLF; taken as UTC). Known once the first item is read.
    #[must_use]
    pub fn start_ns(&self) -> Option<u64> {
        match &self.inner {
            Inner::Candump(_) => None,
            Inner::Asc(reader) => reader.start_ns(),
            Inner::Blf(reader) => reader.start_ns(),
        }
    }

    /// Returns the number of the line that the last item was read from, counted from 1; none of
    /// BLF, which has no lines.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match &self.inner {
            Inner::Candump(reader) => Some(reader.line()),
            Inner::Asc(reader) => Some(reader.line()),
            Inner::Blf(_) => None,
        }
    }

    /// Returns how many records so far had no time stamp; they have the time of the one before.
    /// Only candump's screen form leaves it out.
    #[must_use]
    pub fn untimed(&self) -> u64 {
        match &self.inner {
            Inner::Candump(reader) => reader.untimed(),
            Inner::Asc(_) | Inner::Blf(_) => 0,
        }
    }

    /// Returns how many events or objects so far were no frames on the bus and so left out.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        match &self.inner {
            Inner::Candump(_) => 0,
            Inner::Asc(reader) => reader.skipped(),
            Inner::Blf(reader) => reader.skipped(),
        }
    }

    /// Returns how many objects of which type so far were left out, see
    /// [`blf::Reader::skipped_types`]; none of formats without types.
    #[must_use]
    pub fn skipped_types(&self) -> &[(u32, u64)] {
        match &self.inner {
            Inner::Candump(_) | Inner::Asc(_) => &[],
            Inner::Blf(reader) => reader.skipped_types(),
        }
    }
}

impl<R: Read> Iterator for LogReader<R> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.inner {
            Inner::Candump(reader) => reader.next(),
            Inner::Asc(reader) => reader.next(),
            Inner::Blf(reader) => reader.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::error::Cause;

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
            (Place::Offset(0), Cause::Input(InputCause::Empty))
        );
        let error = refused(b"PK\x03\x04 no log");
        assert_eq!(error.cause, Cause::Input(InputCause::UnknownFormat));
        let error = refused(b"\x1F\x8B\x08\0\0");
        assert_eq!(error.place, Place::Offset(5));
        assert_eq!(error.cause, Cause::Input(InputCause::GzipTruncated));
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
        assert_eq!(error.place, Place::Offset(cut.len() as u64));
        assert_eq!(error.cause, Cause::Input(InputCause::GzipTruncated));
    }
}
