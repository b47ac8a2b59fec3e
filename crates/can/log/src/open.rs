//! Opening of logs of any format: detects the format by content, and unpacks gzip.

use std::io::Read;

use crate::error::{InputCause, LogError, LogLocation};
use crate::input::{BYTE_ORDER_MARK, LogInput, Whole};
use crate::record::{Channels, Record};
use crate::seekable::ReadSeek;
use crate::{asc, blf, candump, capture, mf4, row, sqlite};

mod at_any_place;
mod rows;

pub use at_any_place::open_at_any_place;

/// A log format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogFormat {
    /// candump's log form or screen form.
    Candump,
    /// Vector's text logs.
    Asc,
    /// Vector's binary logs.
    Blf,
    /// PEAK's text logs, versions 1.0 to 2.1.
    Trc,
    /// The CSV files of GVRET and SavvyCAN.
    Gvret,
    /// The CSV files of python-can.
    PythonCanCsv,
    /// BUSMASTER's text logs.
    Busmaster,
    /// Text logs of the Open Vehicle Monitoring System.
    Crtd,
    /// Packet captures of SocketCAN, pcap and pcapng.
    Capture,
    /// ASAM MDF 4 bus logs.
    Mf4,
    /// SQLite databases of python-can.
    Sqlite,
}

impl LogFormat {
    /// Returns true for text, which is read line by line as it comes.
    #[must_use]
    pub const fn is_text(self) -> bool {
        !matches!(
            self,
            LogFormat::Blf | LogFormat::Capture | LogFormat::Mf4 | LogFormat::Sqlite
        )
    }
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
    Rows(LogFormat, Box<row::Reader<Whole<R>, Box<dyn row::Layout>>>),
    Capture(Box<capture::Reader<Whole<R>>>),
    Mf4(Box<mf4::Reader<Box<dyn ReadSeek>>>),
    Sqlite(Box<sqlite::Reader<Box<dyn ReadSeek>>>),
}

/// Opens a log, plain or gzip, and detects its format by its first 4096 bytes.
///
/// # Errors
/// [`InputCause`]: the bytes do not arrive, there are none, or they fit no format.
pub fn open<R: Read>(reader: R) -> Result<LogReader<R>, LogError> {
    let input = LogInput::new(reader)?;
    let is_gzip = input.is_gzip();
    let (head, mut whole) = input.with_head(is_decided);
    let cause = match detect(&head) {
        Some(format) => return LogReader::new(whole, is_gzip, format),
        None if head.is_empty() => InputCause::Empty,
        None => InputCause::UnknownFormat,
    };
    // Where the first bytes break off, the break is the news, not the unknown format.
    Err(match whole.get_mut().1.take_fault() {
        Some(fault) => fault,
        None => LogError {
            place: LogLocation::Offset(0),
            cause: cause.into(),
        },
    })
}

/// Opens a log, plain or gzip, of a known format.
///
/// # Errors
/// [`InputCause::Read`] if the first bytes do not arrive; [`InputCause::NotSeekable`] for a format
/// that [`open_at_any_place`] alone opens.
pub fn open_as<R: Read>(reader: R, format: LogFormat) -> Result<LogReader<R>, LogError> {
    let input = LogInput::new(reader)?;
    let is_gzip = input.is_gzip();
    LogReader::new(input.with_head(|_| true).1, is_gzip, format)
}

/// Returns true if no further bytes can change the result of [`detect`]: a whole line decides it.
fn is_decided(head: &[u8]) -> bool {
    if capture::is_capture(head) {
        return capture::is_decided(head);
    }
    let whole = head.iter().rposition(|&byte| byte == b'\n');
    let lines = whole.map_or(&[][..], |end| &head[..end]);
    of_magic(head).is_some() || of_lines(lines).is_ok()
}

/// Tells the format from the first bytes (unpacked) of a log; 4096 are enough.
#[must_use]
pub fn detect(head: &[u8]) -> Option<LogFormat> {
    if let Some(format) = of_magic(head) {
        return Some(format);
    }
    if capture::is_capture(head) {
        return capture::is_log(head).then_some(LogFormat::Capture);
    }
    // A log whose first lines are all broken is still better named by its brackets than not at all.
    match of_lines(head) {
        Ok(format) => Some(format),
        Err(bracket) => bracket.then_some(LogFormat::Candump),
    }
}

/// Tells the format by first bytes that stand for it.
fn of_magic(head: &[u8]) -> Option<LogFormat> {
    let is_mf4 = || mf4::MARKS.iter().any(|mark| head.starts_with(mark));
    match head {
        _ if head.starts_with(b"LOGG") => Some(LogFormat::Blf),
        _ if head.starts_with(sqlite::MARK) => Some(LogFormat::Sqlite),
        _ => is_mf4().then_some(LogFormat::Mf4),
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
        if let Some(format) = rows::format_of(line) {
            return Ok(format);
        }
        bracket |= line.starts_with(b"(");
    }
    Err(bracket)
}

impl<R: Read> LogReader<R> {
    fn new(whole: Whole<R>, is_gzip: bool, format: LogFormat) -> Result<Self, LogError> {
        if let Some(layout) = rows::layout(format) {
            let inner = Inner::Rows(format, Box::new(row::Reader::new(whole, layout)));
            return Ok(LogReader { is_gzip, inner });
        }
        let inner = match format {
            LogFormat::Asc => Inner::Asc(Box::new(asc::Reader::new(whole))),
            LogFormat::Blf => Inner::Blf(Box::new(blf::Reader::new(whole))),
            LogFormat::Capture => Inner::Capture(Box::new(capture::Reader::new(whole))),
            LogFormat::Mf4 | LogFormat::Sqlite => return Err(at_any_place::refusal(format)),
            _ => Inner::Candump(Box::new(candump::Reader::new(whole))),
        };
        Ok(LogReader { is_gzip, inner })
    }

    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> LogFormat {
        match &self.inner {
            Inner::Rows(format, _) => *format,
            Inner::Capture(_) => LogFormat::Capture,
            Inner::Candump(_) => LogFormat::Candump,
            Inner::Asc(_) => LogFormat::Asc,
            Inner::Blf(_) => LogFormat::Blf,
            Inner::Mf4(_) => LogFormat::Mf4,
            Inner::Sqlite(_) => LogFormat::Sqlite,
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
            Inner::Rows(_, reader) => reader.layout().channels(),
            Inner::Capture(reader) => reader.channels(),
            Inner::Mf4(reader) => reader.channels(),
            Inner::Sqlite(reader) => reader.channels(),
        }
    }

    /// Returns the time of the log's zero in nanoseconds since the Unix epoch, where a date in
    /// the log's header tells it (ASC, BLF; taken as UTC). Known once the first item is read.
    #[must_use]
    pub fn start_ns(&self) -> Option<u64> {
        match &self.inner {
            Inner::Candump(_) | Inner::Capture(_) | Inner::Mf4(_) | Inner::Sqlite(_) => None,
            Inner::Asc(reader) => reader.start_ns(),
            Inner::Blf(reader) => reader.start_ns(),
            Inner::Rows(_, reader) => reader.layout().start_ns(),
        }
    }

    /// Returns the number of the line that the last item was read from, counted from 1; none of
    /// formats without lines.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match &self.inner {
            Inner::Candump(reader) => Some(reader.line()),
            Inner::Asc(reader) => Some(reader.line()),
            Inner::Rows(_, reader) => Some(reader.line()),
            Inner::Blf(_) | Inner::Capture(_) | Inner::Mf4(_) | Inner::Sqlite(_) => None,
        }
    }

    /// Returns how many records so far had no time stamp; they have the time of the one before.
    /// Only candump's screen form and simple packets of pcapng leave it out.
    #[must_use]
    pub fn untimed(&self) -> u64 {
        match &self.inner {
            Inner::Candump(reader) => reader.untimed(),
            Inner::Capture(reader) => reader.untimed(),
            _ => 0,
        }
    }

    /// Returns how many events or objects so far were no frames on the bus and so left out.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        match &self.inner {
            Inner::Candump(_) | Inner::Sqlite(_) => 0,
            Inner::Asc(reader) => reader.skipped(),
            Inner::Blf(reader) => reader.skipped(),
            Inner::Rows(_, reader) => reader.skipped(),
            Inner::Capture(reader) => reader.skipped(),
            Inner::Mf4(reader) => reader.skipped(),
        }
    }

    /// Returns how many CAN FD frames so far had a count of bytes that no such frame has, and were
    /// padded with zeros to the next one, as a controller pads them.
    #[must_use]
    pub fn padded(&self) -> u64 {
        match &self.inner {
            Inner::Candump(reader) => reader.padded(),
            Inner::Rows(_, reader) => reader.layout().padded(),
            Inner::Capture(reader) => reader.padded(),
            Inner::Mf4(reader) => reader.padded(),
            Inner::Sqlite(reader) => reader.padded(),
            Inner::Asc(_) | Inner::Blf(_) => 0,
        }
    }

    /// Returns how many objects of which type so far were left out, see
    /// [`blf::Reader::skipped_types`]; none of formats without types.
    #[must_use]
    pub fn skipped_types(&self) -> &[(u32, u64)] {
        match &self.inner {
            Inner::Blf(reader) => reader.skipped_types(),
            _ => &[],
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
            Inner::Rows(_, reader) => reader.next(),
            Inner::Capture(reader) => reader.next(),
            Inner::Mf4(reader) => reader.next(),
            Inner::Sqlite(reader) => reader.next(),
        }
    }
}

#[cfg(test)]
mod tests;
