//! The logs of BUSMASTER, read.
//!
//! Lines in asterisks tell the protocol, the base of numbers, the meaning of times and their start;
//! a row is `TIME Rx|Tx CHANNEL ID TYPE LENGTH BYTES`, the type s, x, sr or xr. A file may have
//! several sessions. SavvyCAN writes the form, too, with milliseconds of one to three digits and
//! channels from 0.

use waywarden_can::Frame;

use crate::error::{LineCause, LogCause, Quote, RowCause};
use crate::message::{id, read_all};
use crate::numbered::NumberedChannels;
use crate::record::{Channels, Direction, LogEntry, Record};
use crate::row::{Layout, Row};
use crate::text::{Date, Words, number};

const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;

const ROW: &str = "TIME Rx|Tx CHANNEL ID TYPE LENGTH BYTES, such as 11:49:12:9420 Rx 1 0x23 s 1 40";

/// The same where the rows below count from the broken one.
const LOST_TIME: &str = "TIME Rx|Tx CHANNEL ID TYPE LENGTH BYTES; times are relative, so that all \
                         rows below come too early by the time of this one";

const EARLIER_SESSION: &str = "a date after the start of the file's first session; the rows of \
                               this session are taken from the first session's start on, so put \
                               it into a file of its own";

#[derive(Debug)]
pub(crate) struct Rows {
    channels: NumberedChannels,
    /// True if the first channel that came is 0.
    from_zero: Option<bool>,
    base: u32,
    clock: Clock,
    /// True in a session of another protocol than CAN, whose rows are events.
    is_other: bool,
}

/// The meaning of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Time of day.
    System,
    /// Time since the start of the session.
    Absolute,
    /// Time since the row before.
    Relative,
}

/// The time of rows: that of the first session's start counts as zero.
#[derive(Debug)]
struct Clock {
    mode: Mode,
    /// Start of the session as its header tells it, since the Unix epoch.
    session: Option<u64>,
    /// The date that counts as zero.
    zero: Option<u64>,
    /// Time from zero to the session's start, or to the midnight before it, which may lie before
    /// zero.
    offset: i128,
    last: Option<u64>,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Rows {
            channels: NumberedChannels::new(),
            from_zero: None,
            base: 16,
            clock: Clock {
                mode: Mode::System,
                session: None,
                zero: None,
                offset: 0,
                last: None,
            },
            is_other: false,
        }
    }

    /// Reads a line in asterisks.
    fn header(&mut self, line: &[u8]) -> Result<Row, LogCause> {
        let text = line.trim_ascii_start();
        let inner = text
            .strip_prefix(b"***")
            .unwrap_or(text)
            .strip_suffix(b"***");
        let inner = inner.unwrap_or(text).trim_ascii();
        match inner {
            b"HEX" => self.base = 16,
            b"DEC" => self.base = 10,
            b"SYSTEM MODE" => self.clock.mode = Mode::System,
            b"ABSOLUTE MODE" => self.clock.mode = Mode::Absolute,
            b"RELATIVE MODE" => self.clock.mode = Mode::Relative,
            b"[START LOGGING SESSION]" => {
                self.is_other = false;
                self.clock.last = None;
            }
            _ => {}
        }
        if let Some(protocol) = inner.strip_prefix(b"PROTOCOL ") {
            self.is_other = protocol != b"CAN";
            if self.is_other {
                let right = "CAN; the rows of this protocol are skipped";
                return Err(RowCause::field("protocol", protocol, right).into());
            }
        }
        if let Some(date) = inner.strip_prefix(b"START DATE AND TIME ") {
            let right = "day:month:year hour:minute:second:fraction, such as 8:8:2014 11:49:7:965";
            let start = start_date(date).ok_or_else(|| RowCause::field("start", date, right))?;
            // No time lies before the log's zero; the rows are kept, from zero on.
            if let Some(zero) = self.clock.zero.filter(|zero| start < *zero) {
                self.clock.session = Some(zero);
                return Err(RowCause::field("start", date, EARLIER_SESSION).into());
            }
            self.clock.session = Some(start);
        }
        Ok(Row::Comment)
    }

    fn channel(&mut self, word: &[u8]) -> Result<crate::record::Channel, LogCause> {
        let wrong = || LineCause::AscChannel(Quote::new(word));
        let stated = number(word, 10).ok_or_else(wrong)?;
        let from_zero = *self.from_zero.get_or_insert(stated == 0);
        let number = stated.checked_add(u32::from(from_zero));
        let number = number.and_then(|number| number.try_into().ok());
        let channel = number.and_then(|number| self.channels.channel(number));
        Ok(channel.ok_or_else(wrong)?)
    }

    fn frame(&self, words: &mut Words<'_>) -> Result<Frame, LogCause> {
        let missing = |field| RowCause::Missing { field, right: ROW };
        let digits = words.next().ok_or(missing("the identifier"))?;
        let plain = digits.strip_prefix(b"0x").unwrap_or(digits);
        let raw = number(plain, self.base)
            .ok_or_else(|| RowCause::field("identifier", digits, "a number in the file's base"))?;
        let word = words.next().ok_or(missing("the type"))?;
        let (is_extended, is_remote) = match word {
            b"s" | b"S" => (false, false),
            b"x" | b"X" => (true, false),
            b"sr" | b"SR" => (false, true),
            b"xr" | b"XR" => (true, true),
            _ => return Err(RowCause::field("type", word, "s, x, sr or xr").into()),
        };
        let id = id(raw, is_extended).map_err(LineCause::IdRange)?;
        let word = words.next().ok_or(missing("the length"))?;
        let stated = number(word, 10)
            .filter(|&stated| stated <= 8)
            .ok_or_else(|| RowCause::field("length", word, "a number from 0 to 8"))?;
        if is_remote {
            return Ok(Frame::remote(id, stated as u8).map_err(LineCause::Frame)?);
        }
        let mut data = [0; 8];
        let data = &mut data[..stated as usize];
        read_all(words, data, self.base)?;
        Ok(Frame::classic(id, data).map_err(LineCause::Frame)?)
    }
}

impl Layout for Rows {
    fn read(&mut self, line: &[u8]) -> Result<Row, LogCause> {
        if line.starts_with(b"***") {
            return self.header(line);
        }
        if self.is_other {
            return Ok(Row::Event);
        }
        let mut words = Words::new(line);
        let stamp = words.next().unwrap_or_default();
        let stated = time_of_day(stamp).ok_or_else(|| {
            let right = match self.clock.mode {
                Mode::Relative => LOST_TIME,
                Mode::System | Mode::Absolute => ROW,
            };
            RowCause::line(line, right)
        })?;
        // The time of a broken row counts: those of the rows below may be counted from it.
        let at_ns = self.clock.at(stated, stamp)?;
        let word = words.next().unwrap_or_default();
        let direction = match () {
            () if word.eq_ignore_ascii_case(b"Rx") => Direction::Rx,
            () if word.eq_ignore_ascii_case(b"Tx") => Direction::Tx,
            () => return Err(RowCause::line(line, ROW).into()),
        };
        let number = words.next().ok_or_else(|| RowCause::line(line, ROW))?;
        let frame = self.frame(&mut words)?;
        let channel = self.channel(number)?;
        let direction = Some(direction);
        Ok(Row::Record(Record {
            at_ns,
            channel,
            entry: LogEntry::Frame { frame, direction },
        }))
    }

    fn channels(&self) -> &Channels {
        self.channels.channels()
    }

    fn start_ns(&self) -> Option<u64> {
        self.clock.zero
    }
}

impl Clock {
    /// Returns the time of a row since the log's zero.
    fn at(&mut self, stated: u64, stamp: &[u8]) -> Result<u64, RowCause> {
        let range = || RowCause::field("time", stamp, "from the log's start to 2^64 nanoseconds");
        if self.mode == Mode::System && stated >= DAY {
            return Err(RowCause::field(
                "time",
                stamp,
                "a time of day, below 24 hours",
            ));
        }
        if let Some(session) = self.session.take() {
            let start = match self.mode {
                Mode::System => session - session % DAY,
                Mode::Absolute | Mode::Relative => session,
            };
            let zero = *self.zero.get_or_insert(start);
            self.offset = i128::from(start) - i128::from(zero);
            self.last = None;
        }
        let time = match (self.mode, self.last) {
            (Mode::Relative, Some(last)) => last.checked_add(stated).ok_or_else(range)?,
            (Mode::System, Some(last)) => {
                // A time of day that falls by more than half a day is one of the next day.
                let days = last - last % DAY;
                let is_next = last % DAY > stated + DAY / 2;
                let day = if is_next { DAY } else { 0 };
                days.checked_add(stated + day).ok_or_else(range)?
            }
            _ => stated,
        };
        self.last = Some(time);
        u64::try_from(self.offset + i128::from(time)).map_err(|_| range())
    }
}

/// Returns true for a line that only BUSMASTER writes.
pub(crate) fn is_header(line: &[u8]) -> bool {
    let known: [&[u8]; 3] = [b"***BUSMASTER", b"***PROTOCOL ", b"***<Time><"];
    known.iter().any(|word| line.starts_with(word))
}

/// Reads `day:month:year hour:minute:second:fraction`.
fn start_date(text: &[u8]) -> Option<u64> {
    let mut words = Words::new(text);
    let mut parts = words.next()?.splitn(3, |&byte| byte == b':');
    let mut part = || number(parts.next()?, 10);
    let (day, month, year) = (part()?, part()?, part()?);
    let nanos = time_of_day(words.next()?).filter(|&nanos| nanos < DAY)?;
    Date {
        year: year.try_into().ok()?,
        month: month.try_into().ok()?,
        day: day.try_into().ok()?,
        nanos,
    }
    .unix_ns()
}

/// Reads `hour:minute:second:fraction`: four digits of 100 us, or milliseconds in fewer.
fn time_of_day(text: &[u8]) -> Option<u64> {
    let mut parts = text.splitn(4, |&byte| byte == b':');
    let mut part = || parts.next();
    let hours = u64::from(number(part()?, 10)?);
    let minutes = u64::from(number(part()?, 10).filter(|&minutes| minutes < 60)?);
    let seconds = u64::from(number(part()?, 10).filter(|&seconds| seconds < 60)?);
    let fraction = part()?;
    let unit = match fraction.len() {
        4 => 100_000,
        1..=3 => 1_000_000,
        _ => return None,
    };
    let fraction = u64::from(number(fraction, 10)?) * unit;
    (hours * 3_600 + minutes * 60 + seconds)
        .checked_mul(SECOND)?
        .checked_add(fraction)
}

#[cfg(test)]
mod tests;
