//! candump's log form (`candump -l`, `-L`), read and written, and its screen form, read.
//!
//! Read first: candump(1), and `parse_canframe` and `snprintf_canframe` in lib.h of can-utils. Not
//! read: CAN XL, `-b` binary, `-S` swapped bytes and coloured output.

use std::io::BufRead;

use memchr::memchr;
use waywarden_can::{FdFlags, Frame, FrameError, Id};

use crate::digits::hex_bytes;
use crate::error::{LineCause, LogCause, LogError, LogLocation, MissingPart, Quote};
use crate::input::Lines;
use crate::message::padded_fd;
use crate::record::{Channel, Channels, Direction, ErrorFrame, LogEntry, Record};
use crate::text::{Date, Words, hex_byte, hex_digit, number, scaled, seconds, time_of_day};

mod screen;
mod write;

pub use self::write::Writer;

/// The bit of candump's 8-digit identifiers that marks an error frame.
const ERROR_FLAG: u32 = 0x2000_0000;

const DATA_MAX: usize = waywarden_can::frame::DATA_MAX;

/// Reads a candump text record by record; both forms may be mixed.
///
/// A broken line is an error of its own; the caller may go on behind it. Blank lines are skipped,
/// and so are the explanations `candump -e` prints below an error frame.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    state: State,
}

#[derive(Debug, Default)]
struct State {
    channels: Channels,
    /// Names repeat in runs; this saves the look-up.
    last_channel: Option<Channel>,
    at_ns: u64,
    untimed: u64,
    padded: u64,
    after_error_frame: bool,
}

impl<R: BufRead> Reader<R> {
    /// Makes a reader of a plain text; see [`crate::open()`] for gzip and unknown formats.
    pub fn new(input: R) -> Self {
        Reader {
            lines: Lines::new(input),
            state: State::default(),
        }
    }

    /// Returns the channels seen so far.
    #[must_use]
    pub fn channels(&self) -> &Channels {
        &self.state.channels
    }

    /// Returns the number of the line that the last item was read from, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.lines.number()
    }

    /// Returns how many records so far had no time stamp; they have the time of the one before.
    #[must_use]
    pub fn untimed(&self) -> u64 {
        self.state.untimed
    }

    /// Returns how many CAN FD frames so far had a count of bytes that no such frame has, and were
    /// padded with zeros to the next one: SocketCAN hands out the bytes that a program sent.
    #[must_use]
    pub fn padded(&self) -> u64 {
        self.state.padded
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            let explains = line.first() == Some(&b'\t') && self.state.after_error_frame;
            let text = line.trim_ascii();
            if text.is_empty() || explains {
                continue;
            }
            let parsed = self.state.parse(text);
            self.state.after_error_frame =
                matches!(&parsed, Ok(record) if record.entry.frame().is_none());
            return Some(parsed.map_err(|cause| LogError {
                place: LogLocation::Line(self.lines.number()),
                cause: LogCause::Line(cause),
            }));
        }
    }
}

impl State {
    /// Reads one line, `[(TIME)] CHANNEL` and a frame in either form.
    fn parse(&mut self, line: &[u8]) -> Result<Record, LineCause> {
        let (stamp, rest) = split_stamp(line)?;
        let at_ns = stamp.map(parse_stamp).transpose()?;
        let mut words = Words::of_columns(rest);
        let name = words.next();
        let name = name.ok_or_else(|| LineCause::Missing(MissingPart::Channel))?;
        let mut behind = words.clone();
        let first = behind.next();
        let first = first.ok_or_else(|| LineCause::Missing(MissingPart::Frame))?;
        let (entry, length) = match memchr(b'#', first) {
            Some(hash) => {
                let (entry, length) = parse_frame_at(first, hash)?;
                (with_direction(entry, &mut behind)?, length)
            }
            None => screen::parse(&mut words)?,
        };
        // Only a line that is sound throughout may add a channel or move the time.
        let channel = self.channel(name)?;
        match at_ns {
            Some(at_ns) => self.at_ns = at_ns,
            None => self.untimed += 1,
        }
        let is_padded = entry.frame().is_some_and(|frame| frame.data_len() > length);
        self.padded += u64::from(is_padded);
        Ok(Record {
            at_ns: self.at_ns,
            channel,
            entry,
        })
    }

    fn channel(&mut self, name: &[u8]) -> Result<Channel, LineCause> {
        if let Some(channel) = self.last_channel
            && self.channels.name(channel).as_bytes() == name
        {
            return Ok(channel);
        }
        let channel = self
            .channels
            .intern(name)
            .map_err(|cause| LineCause::Channel {
                quote: Quote::new(name),
                cause,
            })?;
        self.last_channel = Some(channel);
        Ok(channel)
    }
}

/// Returns true if a line can be read as candump's.
pub(crate) fn is_line(line: &[u8]) -> bool {
    State::default().parse(line).is_ok()
}

/// Takes the time stamp in brackets off the front of a line, if it has one.
fn split_stamp(line: &[u8]) -> Result<(Option<&[u8]>, &[u8]), LineCause> {
    let Some(inner) = line.strip_prefix(b"(") else {
        return Ok((None, line));
    };
    let end = memchr(b')', inner).ok_or_else(|| LineCause::Missing(MissingPart::TimeStampEnd))?;
    Ok((Some(&inner[..end]), &inner[end + 1..]))
}

/// Reads seconds, or the date and time of `candump -t A` (taken as UTC).
fn parse_stamp(text: &[u8]) -> Result<u64, LineCause> {
    let text = text.trim_ascii();
    if let Ok(nanos) = scaled(text, 9) {
        return Ok(nanos);
    }
    let mut words = Words::new(text);
    match (words.next(), words.next(), words.next()) {
        (Some(date), Some(time), None) => calendar(date, time)
            .and_then(Date::unix_ns)
            .ok_or_else(|| LineCause::TimeStamp(Quote::new(text))),
        _ => seconds(text),
    }
}

fn calendar(date: &[u8], time: &[u8]) -> Option<Date> {
    let mut parts = date.splitn(3, |&byte| byte == b'-');
    Some(Date {
        year: number(parts.next()?, 10)?.try_into().ok()?,
        month: number(parts.next()?, 10)?.try_into().ok()?,
        day: number(parts.next()?, 10)?.try_into().ok()?,
        nanos: time_of_day(time)?,
    })
}

/// Reads the `R` or `T` that `candump -x` puts behind a log line.
fn with_direction(entry: LogEntry, words: &mut Words<'_>) -> Result<LogEntry, LineCause> {
    let Some(word) = words.next() else {
        return Ok(entry);
    };
    let direction = match word {
        b"R" | b"r" => Direction::Rx,
        b"T" | b"t" => Direction::Tx,
        _ => return Err(LineCause::Direction(Quote::new(word))),
    };
    nothing_behind(words)?;
    Ok(match entry {
        LogEntry::Frame { frame, .. } => LogEntry::Frame {
            frame,
            direction: Some(direction),
        },
        error => error,
    })
}

fn nothing_behind(words: &Words<'_>) -> Result<(), LineCause> {
    match words.rest() {
        [] => Ok(()),
        rest => Err(LineCause::Trailing(Quote::new(rest))),
    }
}

/// Reads one frame in candump's log form, such as `123#1122`, `12345678##3AABB`, `123#R4`,
/// `123#1122334455667788_E` or the error frame `20000080#0000000000000000`.
///
/// # Errors
/// [`LineCause`] by what is wrong: no `#`, identifier, flags, data, length code, or a count of
/// bytes that no frame has.
pub fn parse_frame(text: &[u8]) -> Result<LogEntry, LineCause> {
    match parse_sized_frame(text)? {
        (LogEntry::Frame { frame, .. }, length) if frame.data_len() > length => {
            Err(FrameError::FdLength(length).into())
        }
        (entry, _) => Ok(entry),
    }
}

/// Reads one frame and the count of bytes that stand there: fewer than those of the frame if it had
/// to be padded.
fn parse_sized_frame(text: &[u8]) -> Result<(LogEntry, usize), LineCause> {
    let hash = memchr(b'#', text).ok_or_else(|| LineCause::NoFrame(Quote::new(text)))?;
    parse_frame_at(text, hash)
}

/// The same of a text whose first `#` is known.
fn parse_frame_at(text: &[u8], hash: usize) -> Result<(LogEntry, usize), LineCause> {
    let (digits, body) = (&text[..hash], &text[hash + 1..]);
    let frame = match parse_id(digits)? {
        ParsedId::Error(class) => return Ok((error_frame(class, body)?, 0)),
        ParsedId::Frame(id) => match *body {
            [b'#', ref body @ ..] => parse_fd(id, body)?,
            [b'R' | b'r', ref body @ ..] => (parse_remote(id, body)?, 0),
            _ => (parse_classic(id, body)?, DATA_MAX),
        },
    };
    let (frame, length) = frame;
    let direction = None;
    Ok((LogEntry::Frame { frame, direction }, length))
}

/// Meaning of candump's identifier digits.
enum ParsedId {
    Frame(Id),
    Error(u32),
}

fn parse_id(digits: &[u8]) -> Result<ParsedId, LineCause> {
    let wrong = || LineCause::CandumpId(Quote::new(digits));
    let raw = number(digits, 16).ok_or_else(wrong)?;
    match digits.len() {
        3 => Ok(ParsedId::Frame(Id::standard(raw as u16)?)),
        8 if raw & !(ERROR_FLAG - 1) == ERROR_FLAG => Ok(ParsedId::Error(raw & (ERROR_FLAG - 1))),
        8 => Ok(ParsedId::Frame(Id::extended(raw)?)),
        _ => Err(wrong()),
    }
}

fn parse_fd(id: Id, body: &[u8]) -> Result<(Frame, usize), LineCause> {
    let (&flag, body) = body
        .split_first()
        .ok_or_else(|| LineCause::Missing(MissingPart::FdFlags))?;
    let flags = hex_digit(flag)
        .filter(|&flags| flags < 8)
        .ok_or_else(|| LineCause::FdFlags(Quote::new(&[flag])))?;
    let mut data = [0; 64];
    let (length, rest) = parse_data(body, &mut data).map_err(|cause| match cause {
        LineCause::Frame(FrameError::ClassicLength(n)) => FrameError::FdLength(n).into(),
        other => other,
    })?;
    if !rest.is_empty() {
        return Err(LineCause::Data(Quote::new(rest)));
    }
    let flags = FdFlags {
        bit_rate_switch: flags & 1 != 0,
        error_state_indicator: flags & 2 != 0,
    };
    let frame = padded_fd(id, &data[..length], flags, &mut 0)?;
    Ok((frame, length))
}

fn parse_remote(id: Id, body: &[u8]) -> Result<Frame, LineCause> {
    let wrong = || LineCause::Length(Quote::new(body));
    let dlc = match *body {
        [] => 0,
        [digit] => hex_digit(digit).ok_or_else(wrong)?,
        [b'8', ref raw @ ..] => parse_raw_dlc(raw)?,
        _ => return Err(wrong()),
    };
    Ok(Frame::remote(id, dlc)?)
}

fn parse_classic(id: Id, body: &[u8]) -> Result<Frame, LineCause> {
    let mut data = [0; 8];
    let length = body.len() / 2;
    if let Some(read) = data.get_mut(..length)
        && hex_bytes(body, read)
    {
        return Ok(Frame::classic_of_eight(id, length as u8, data));
    }
    if body.contains(&b':') {
        return Err(LineCause::CanXl);
    }
    let (length, rest) = parse_data(body, &mut data)?;
    let frame = Frame::classic(id, &data[..length])?;
    match rest {
        [] => Ok(frame),
        raw if length == 8 => Ok(frame.with_raw_dlc(parse_raw_dlc(raw)?)?),
        raw => Err(LineCause::RawLengthCode(Quote::new(raw))),
    }
}

fn error_frame(class: u32, body: &[u8]) -> Result<LogEntry, LineCause> {
    let mut data = [0; 8];
    match parse_data(body, &mut data)?.1 {
        [] => Ok(LogEntry::ErrorFrame(ErrorFrame { class, data })),
        rest => Err(LineCause::Data(Quote::new(rest))),
    }
}

/// Reads `_9` to `_F`.
fn parse_raw_dlc(text: &[u8]) -> Result<u8, LineCause> {
    match *text {
        [b'_', digit] => hex_digit(digit).filter(|&dlc| dlc > 8),
        _ => None,
    }
    .ok_or_else(|| LineCause::RawLengthCode(Quote::new(text)))
}

/// Reads hexadecimal bytes, single dots between them allowed, up to the end or a `_`; returns how
/// many there are and the rest.
fn parse_data<'a>(body: &'a [u8], data: &mut [u8]) -> Result<(usize, &'a [u8]), LineCause> {
    let length = body.len() / 2;
    if let Some(data) = data.get_mut(..length)
        && hex_bytes(body, data)
    {
        return Ok((length, &[]));
    }
    let end = memchr(b'_', body).unwrap_or(body.len());
    let (mut digits, rest) = body.split_at(end);
    let mut length = 0;
    while let [high, low, after @ ..] = digits {
        let byte = hex_byte(&[*high, *low]).ok_or_else(|| LineCause::Data(Quote::new(digits)))?;
        if length == data.len() {
            let found = length + digits.len().div_ceil(2);
            return Err(FrameError::ClassicLength(found).into());
        }
        data[length] = byte;
        length += 1;
        digits = match after {
            [b'.', more @ ..] if !more.is_empty() => more,
            _ => after,
        };
    }
    match digits {
        [] => Ok((length, rest)),
        odd => Err(LineCause::Data(Quote::new(odd))),
    }
}

#[cfg(test)]
mod tests;
