//! Vector's ASC text logs, read; [`Writer`] writes them.
//!
//! Read: classic and CANFD messages, remote frames, error frames; base hex or dec, times absolute
//! or relative. Events that are no frames on the bus (statistics, transmit requests, comments,
//! J1939 and the rest) are skipped and counted. There is no public standard; "CAN Log Trigger ASC
//! Format" from Vector describes the lines.

use std::io::BufRead;

use waywarden_can::{Frame, Id};

use crate::error::{LineCause, LogCause, LogError, MissingPart, Quote};
use crate::message::id as message_id;
use crate::numbered::NumberedChannels;
use crate::record::{Channel, Channels, Direction, ErrorFrame, LogEntry, Record};
use crate::row::{self, Layout, Row};
use crate::text::{Words, number, seconds};

mod date;
mod message;
mod write;

pub use write::Writer;

const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;

/// The bits of the flags word behind a CANFD message.
mod flag {
    pub(super) const REMOTE: u32 = 1 << 4;
    pub(super) const FD: u32 = 1 << 12;
    pub(super) const BIT_RATE_SWITCH: u32 = 1 << 13;
    pub(super) const ERROR_STATE_INDICATOR: u32 = 1 << 14;
}

/// Reads an ASC text record by record. A broken line is an error of its own; the caller may go on.
#[derive(Debug)]
pub struct Reader<R> {
    rows: row::Reader<R, State>,
}

#[derive(Debug)]
struct State {
    channels: NumberedChannels,
    base: u32,
    relative: bool,
    at_ns: u64,
    start: Start,
    in_header: bool,
    /// True in a file that counts from midnight, if its date allows that.
    is_time_of_day: bool,
}

/// Start of the measurement, as far as it is known.
#[derive(Debug)]
enum Start {
    Unknown,
    /// From the `date` line, which a writer may have filled with the time of writing.
    Date(u64),
    /// From the first trigger block.
    Trigger(Option<u64>),
}

impl<R: BufRead> Reader<R> {
    /// Makes a reader of a plain text; see [`crate::open()`] for gzip and unknown formats.
    pub fn new(input: R) -> Self {
        let state = State {
            channels: NumberedChannels::new(),
            base: 16,
            relative: false,
            at_ns: 0,
            start: Start::Unknown,
            in_header: true,
            is_time_of_day: false,
        };
        Reader {
            rows: row::Reader::new(input, state),
        }
    }

    /// Returns the channels seen so far: channel 1 as `can0`, 2 as `can1` and so on.
    #[must_use]
    pub fn channels(&self) -> &Channels {
        self.rows.layout().channels()
    }

    /// Returns the start of the measurement in nanoseconds since the Unix epoch, where a date is
    /// stated that can be read; it is taken as UTC, for the file does not tell its time zone.
    #[must_use]
    pub fn start_ns(&self) -> Option<u64> {
        self.rows.layout().start_ns()
    }

    /// Returns the number of the line that the last item was read from, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.rows.line()
    }

    /// Returns how many events so far were no frames on the bus and so left out.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.rows.skipped()
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

impl Layout for State {
    fn read(&mut self, line: &[u8]) -> Result<Row, LogCause> {
        if line.first().is_some_and(u8::is_ascii_digit) {
            let event = self.event(line);
            if std::mem::take(&mut self.in_header) {
                self.count_from_midnight();
            }
            return Ok(event?);
        }
        self.other_line(line)?;
        Ok(Row::Comment)
    }

    fn channels(&self) -> &Channels {
        self.channels.channels()
    }

    fn start_ns(&self) -> Option<u64> {
        match self.start {
            Start::Unknown => None,
            Start::Date(start) => Some(start),
            Start::Trigger(start) => start,
        }
    }
}

/// Returns true if a line is one that only ASC files start with.
pub(crate) fn is_header_line(line: &[u8]) -> bool {
    let known: [&[u8]; 5] = [
        b"date ",
        b"base ",
        b"internal events logged",
        b"no internal events logged",
        b"begin triggerblock",
    ];
    known.iter().any(|word| starts_with(line, word))
}

impl State {
    /// Reads a line that does not begin with a time.
    fn other_line(&mut self, line: &[u8]) -> Result<(), LineCause> {
        if let Some(comment) = line.strip_prefix(b"//") {
            let _ = self.channels.read_note(comment);
        } else if starts_with(line, b"base ") {
            self.base_line(line)?;
        } else if starts_with(line, b"date ") {
            if let (Start::Unknown, Some(start)) = (&self.start, date::parse(&line[5..])) {
                self.start = Start::Date(start);
            }
        } else if starts_with(line, b"begin triggerblock") {
            if !matches!(self.start, Start::Trigger(_)) {
                self.start = Start::Trigger(date::parse(&line[18..]).or(match self.start {
                    Start::Date(start) => Some(start),
                    _ => None,
                }));
            }
        } else if !(self.in_header
            || starts_with(line, b"end triggerblock")
            || is_header_line(line))
        {
            return Err(LineCause::AscLine(Quote::new(line)));
        }
        Ok(())
    }

    /// Moves the start of a file with times of day to midnight, unless its first event is earlier
    /// in the day than its date.
    fn count_from_midnight(&mut self) {
        if let (Start::Date(date), true) = (&self.start, self.is_time_of_day)
            && self.at_ns.saturating_add(SECOND) > date % DAY
        {
            self.start = Start::Date(date - date % DAY);
        }
    }

    fn base_line(&mut self, line: &[u8]) -> Result<(), LineCause> {
        let mut words = Words::new(line).skip(1);
        let wrong = || LineCause::AscBase(Quote::new(line));
        let word = words.next().ok_or_else(wrong)?;
        self.base = match () {
            () if word.eq_ignore_ascii_case(b"hex") => 16,
            () if word.eq_ignore_ascii_case(b"dec") => 10,
            () => return Err(wrong()),
        };
        self.relative = false;
        match (words.next(), words.next()) {
            // BUSMASTER leaves the meaning of times out, and gives the time of day.
            (Some(first), Some(second))
                if [first, second]
                    .iter()
                    .any(|word| word.eq_ignore_ascii_case(b"internal")) =>
            {
                self.is_time_of_day = true;
            }
            (Some(_), Some(word)) if word.eq_ignore_ascii_case(b"relative") => self.relative = true,
            (Some(_), Some(word)) if word.eq_ignore_ascii_case(b"absolute") => {}
            (None, None) => {}
            _ => return Err(LineCause::AscTimestamps(Quote::new(line))),
        }
        Ok(())
    }

    /// Reads `TIME` and the rest: `CHANNEL ID ...`, `CHANNEL ErrorFrame`, `CANFD ...`, others.
    fn event(&mut self, line: &[u8]) -> Result<Row, LineCause> {
        let mut words = Words::of_columns(line);
        let stamp = words.next().unwrap_or_default();
        let stated = seconds(stamp)?;
        self.at_ns = if self.relative {
            self.at_ns
                .checked_add(stated)
                .ok_or_else(|| LineCause::TimeStampRange(Quote::new(stamp)))?
        } else {
            stated
        };
        let seen = match words.next() {
            Some(word) if word.eq_ignore_ascii_case(b"CANFD") => self.fd_event(&mut words)?,
            Some(word) if word.iter().all(u8::is_ascii_digit) => self.event_on(word, &mut words)?,
            _ => None,
        };
        Ok(match seen {
            Some((channel, entry)) => Row::Record(Record {
                at_ns: self.at_ns,
                channel,
                entry,
            }),
            None => Row::Event,
        })
    }

    fn channel(&mut self, word: &[u8]) -> Result<Channel, LineCause> {
        number(word, 10)
            .and_then(|number| self.channels.channel(number.try_into().ok()?))
            .ok_or_else(|| LineCause::AscChannel(Quote::new(word)))
    }

    /// Reads the rest behind a channel number: `ErrorFrame`, or `ID DIRECTION d|r DLC BYTES`.
    fn event_on(
        &mut self,
        channel: &[u8],
        words: &mut Words<'_>,
    ) -> Result<Option<(Channel, LogEntry)>, LineCause> {
        let id = match words.next() {
            Some(word) if word.eq_ignore_ascii_case(b"ErrorFrame") => {
                let entry = LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR);
                return Ok(Some((self.channel(channel)?, entry)));
            }
            Some(word) => word,
            None => return Ok(None),
        };
        // Only a message has its direction here; statistics and requests (TxRq) are other events.
        let Some(direction) = words.next().and_then(parse_direction) else {
            return Ok(None);
        };
        let id = self.id(id)?;
        let kind = words
            .next()
            .ok_or_else(|| LineCause::Missing(MissingPart::Kind))?;
        let frame = if kind.eq_ignore_ascii_case(b"r") {
            // The length code came late to this format; more words may follow without one.
            Frame::remote(id, words.next().and_then(message::length_code).unwrap_or(0))?
        } else if kind.eq_ignore_ascii_case(b"d") {
            message::data(id, words, self.base)?
        } else {
            return Err(LineCause::Kind(Quote::new(kind)));
        };
        let direction = Some(direction);
        let entry = LogEntry::Frame { frame, direction };
        Ok(Some((self.channel(channel)?, entry)))
    }

    /// Reads the rest behind `CANFD`: channel, direction, identifier and the message, or
    /// `ErrorFrame`.
    fn fd_event(
        &mut self,
        words: &mut Words<'_>,
    ) -> Result<Option<(Channel, LogEntry)>, LineCause> {
        let channel = words
            .next()
            .ok_or_else(|| LineCause::Missing(MissingPart::Channel))?;
        // As in `CANFD   Start of measurement`.
        if channel.iter().any(u8::is_ascii_alphabetic) {
            return Ok(None);
        }
        let word = words
            .next()
            .ok_or_else(|| LineCause::Missing(MissingPart::Direction))?;
        let Some(direction) = parse_direction(word) else {
            // TxRq asks for a transmission; only what was on the bus counts.
            if starts_with(word, b"TxRq") {
                return Ok(None);
            }
            return Err(LineCause::Direction(Quote::new(word)));
        };
        let word = words
            .next()
            .ok_or_else(|| LineCause::Missing(MissingPart::Id))?;
        let entry = if word.eq_ignore_ascii_case(b"ErrorFrame") {
            LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR)
        } else {
            LogEntry::Frame {
                frame: message::fd(self.id(word)?, words, self.base)?,
                direction: Some(direction),
            }
        };
        Ok(Some((self.channel(channel)?, entry)))
    }

    /// Reads a number in the file's base, `x` behind it for 29 bits.
    fn id(&self, word: &[u8]) -> Result<Id, LineCause> {
        let wrong = || LineCause::AscId(Quote::new(word));
        let digits = word.strip_suffix(b"x").or(word.strip_suffix(b"X"));
        let raw = number(digits.unwrap_or(word), self.base).ok_or_else(wrong)?;
        Ok(message_id(raw, digits.is_some())?)
    }
}

fn starts_with(line: &[u8], word: &[u8]) -> bool {
    line.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn parse_direction(word: &[u8]) -> Option<Direction> {
    match () {
        () if word.eq_ignore_ascii_case(b"Rx") => Some(Direction::Rx),
        () if word.eq_ignore_ascii_case(b"Tx") => Some(Direction::Tx),
        () => None,
    }
}

#[cfg(test)]
mod tests;
