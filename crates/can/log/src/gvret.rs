//! GVRET logs, the CSV files that SavvyCAN writes as its own form, read.
//!
//! `Time Stamp,ID,Extended,Dir,Bus,LEN,D1,...`: microseconds, identifier in hexadecimal, true or
//! false, Rx or Tx, number of the bus from 0, count of bytes, bytes. The header names the columns;
//! older files have no `Dir`.

use waywarden_can::{FdFlags, Frame};

use crate::error::{LineCause, LogCause, Quote, RowCause};
use crate::message::{byte, id, padded_fd};
use crate::numbered::NumberedChannels;
use crate::record::{Channels, Direction, LogEntry, Record};
use crate::row::{Layout, Row, time};
use crate::text::number;

/// The most columns: those before the data, 64 bytes, and the blank behind the last comma.
const COLUMNS_MAX: usize = 80;

const DATA_MAX: usize = waywarden_can::frame::DATA_MAX;
const SECOND: i128 = 1_000_000_000;

/// The nanoseconds after which a counter of 32 bits of microseconds begins again.
const WRAP: i128 = (1 << 32) * 1_000;

/// The longest time on both sides of its end that is taken for the counter's step, not for another
/// log that was joined on.
const WRAP_GAP: i128 = 60 * SECOND;

#[derive(Debug)]
pub(crate) struct Rows {
    /// Places of the columns; none before the header.
    columns: Option<Columns>,
    channels: NumberedChannels,
    padded: u64,
    clock: Clock,
}

#[derive(Clone, Copy, Debug)]
struct Columns {
    time: usize,
    id: usize,
    extended: usize,
    direction: Option<usize>,
    bus: usize,
    length: usize,
    data: usize,
}

/// The counter behind the times: its steps, and the time that counts as zero.
#[derive(Debug, Default)]
struct Clock {
    last: Option<i128>,
    wrapped: i128,
    zero: i128,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Rows {
            columns: None,
            channels: NumberedChannels::new(),
            padded: 0,
            clock: Clock::default(),
        }
    }

    fn frame(&mut self, fields: &[&[u8]], columns: &Columns) -> Result<Frame, LogCause> {
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        let word = field(columns.extended);
        let is_extended = match word.first().map(u8::to_ascii_lowercase) {
            Some(b't' | b'1') => true,
            Some(b'f' | b'0') => false,
            _ => return Err(RowCause::field("Extended", word, "true or false").into()),
        };
        let word = field(columns.id);
        let digits = word.strip_prefix(b"0x").unwrap_or(word);
        let raw = number(digits, 16)
            .ok_or_else(|| RowCause::field("ID", word, "a hexadecimal number, such as 0000013B"))?;
        let id = id(raw, is_extended).map_err(LineCause::IdRange)?;
        let word = field(columns.length);
        let stated = number(word, 10)
            .filter(|&stated| stated <= DATA_MAX as u32)
            .ok_or_else(|| RowCause::field("LEN", word, "a count of bytes from 0 to 64"))?
            as usize;
        let mut data = [0; DATA_MAX];
        for (found, room) in data[..stated].iter_mut().enumerate() {
            let word = field(columns.data + found);
            if word.is_empty() {
                return Err(LineCause::ByteCount { stated, found }.into());
            }
            *room = byte(word, 16).ok_or_else(|| LineCause::Data(Quote::new(word)))?;
        }
        // Zeros there pad the row to the columns of the header.
        let is_more = |word: &[u8]| !word.iter().all(|digit| *digit == b'0');
        let mut more = fields.iter().skip(columns.data + stated);
        if let Some(last) = more.rposition(|word| is_more(word)) {
            let found = stated + last + 1;
            return Err(LineCause::ByteCount { stated, found }.into());
        }
        if stated <= 8 {
            return Ok(Frame::classic(id, &data[..stated]).map_err(LineCause::Frame)?);
        }
        // The files have no mark of CAN FD but its lengths.
        let frame = padded_fd(id, &data[..stated], FdFlags::default(), &mut self.padded);
        Ok(frame.map_err(LineCause::Frame)?)
    }
}

impl Layout for Rows {
    fn read(&mut self, line: &[u8]) -> Result<Row, LogCause> {
        if is_header(line) {
            self.columns = Some(columns(line)?);
            return Ok(Row::Comment);
        }
        let Some(columns) = self.columns else {
            return Err(RowCause::line(line, HEADER).into());
        };
        let mut fields = [&b""[..]; COLUMNS_MAX];
        for (room, field) in fields.iter_mut().zip(line.split(|&byte| byte == b',')) {
            *room = field.trim_ascii();
        }
        let direction = match columns.direction.map(|at| fields[at]) {
            None => None,
            Some(word) if word.eq_ignore_ascii_case(b"Rx") => Some(Direction::Rx),
            Some(word) if word.eq_ignore_ascii_case(b"Tx") => Some(Direction::Tx),
            Some(word) => return Err(RowCause::field("Dir", word, "Rx or Tx").into()),
        };
        let word = fields[columns.bus];
        let bus = number(word, 10).and_then(|bus| bus.checked_add(1)?.try_into().ok());
        // The time of a broken row counts: the counter may have gone over its end there.
        let at_ns = self.clock.read(fields[columns.time])?;
        let frame = self.frame(&fields, &columns)?;
        let channel = bus
            .and_then(|number| self.channels.channel(number))
            .ok_or_else(|| RowCause::field("Bus", word, "a number from 0 to 255"))?;
        Ok(Row::Record(Record {
            at_ns,
            channel,
            entry: LogEntry::Frame { frame, direction },
        }))
    }

    fn channels(&self) -> &Channels {
        self.channels.channels()
    }

    fn padded(&self) -> u64 {
        self.padded
    }
}

impl Clock {
    /// Reads microseconds, perhaps negative, as the time since the log's zero.
    fn read(&mut self, text: &[u8]) -> Result<u64, RowCause> {
        const RIGHT: &str = "microseconds, such as 166064000";
        let (is_negative, digits) = match text.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let size = i128::from(time(digits, 3, RIGHT)?);
        let stated = if is_negative { -size } else { size };
        let (mut wrapped, mut zero) = (self.wrapped, self.zero);
        match self.last {
            Some(last) if is_wrap(last, stated) => wrapped += WRAP,
            // The first time is the zero of a log that begins with a negative one.
            None if is_negative => zero = stated.div_euclid(SECOND) * SECOND,
            _ => {}
        }
        let at_ns = stated + wrapped - zero;
        if at_ns < 0 {
            return Err(RowCause::BeforeZero(Quote::new(text)));
        }
        let at_ns = u64::try_from(at_ns)
            .map_err(|_| RowCause::field("time", text, "less than 2^64 nanoseconds"))?;
        (self.last, self.wrapped, self.zero) = (Some(stated), wrapped, zero);
        Ok(at_ns)
    }
}

/// Returns true where a counter of 32 bits, signed or not, has gone over its end.
fn is_wrap(last: i128, next: i128) -> bool {
    [WRAP / 2, WRAP].iter().any(|&end| {
        (end - WRAP_GAP..end).contains(&last) && (end - WRAP..end - WRAP + WRAP_GAP).contains(&next)
    })
}

const HEADER: &str = "the header Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,... above the first row";

/// Returns true for the header of such a file.
pub(crate) fn is_header(line: &[u8]) -> bool {
    let mut names = line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    [&b"Time Stamp"[..], b"ID", b"Extended"].iter().all(|name| {
        let found = names.next();
        found.is_some_and(|found| found.eq_ignore_ascii_case(name))
    })
}

/// Finds the columns by their names.
fn columns(line: &[u8]) -> Result<Columns, RowCause> {
    let place = |name: &str| {
        let mut names = line
            .split(|&byte| byte == b',')
            .take(COLUMNS_MAX - DATA_MAX);
        names.position(|found| found.trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
    };
    let needed = |name: &'static str| {
        place(name).ok_or(RowCause::Missing {
            field: name,
            right: HEADER,
        })
    };
    Ok(Columns {
        time: needed("Time Stamp")?,
        id: needed("ID")?,
        extended: needed("Extended")?,
        direction: place("Dir"),
        bus: needed("Bus")?,
        length: needed("LEN")?,
        data: needed("D1")?,
    })
}

#[cfg(test)]
mod tests;
