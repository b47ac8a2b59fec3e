//! PEAK TRC logs: versions 1.0, 1.1, 1.2, 1.3, 2.0 and 2.1 read, 2.1 written.
//!
//! Each version has its columns; those of 2.x stand in a line `;$COLUMNS=`. Times are milliseconds
//! from the start of the measurement. Read first: "PEAK CAN TRC File Format" of PEAK-System.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::{FdFlags, Frame, Id};

use crate::error::{LineCause, LogCause, MissingPart, Quote, RowCause};
use crate::message::{id, no_more_bytes, padded_fd, read_all};
use crate::numbered::NumberedChannels;
use crate::record::{Channel, Channels, Direction, ErrorFrame, LogEntry, Record};
use crate::row::{Layout, Row, time};
use crate::text::{Words, number};

mod columns;
mod start;
mod write;

use self::columns::{Column, column_of, columns_of, is_whole};
pub use self::write::Writer;

const DATA_MAX: usize = waywarden_can::frame::DATA_MAX;

const VERSIONS: &str = "1.0, 1.1, 1.2, 1.3, 2.0 or 2.1";

#[derive(Debug)]
pub(crate) struct Rows {
    columns: Vec<Column>,
    channels: NumberedChannels,
    start_ns: Option<u64>,
    /// True if the file states its version.
    has_version: bool,
    padded: u64,
}

/// The fields of a row so far.
#[derive(Default)]
struct Fields<'a> {
    at_ns: u64,
    bus: Option<&'a [u8]>,
    direction: Option<Direction>,
    kind: Kind,
    id: Option<Id>,
    code: Option<u32>,
    length: Option<u32>,
}

/// A kind of frame.
#[derive(Clone, Copy, Default)]
enum Kind {
    #[default]
    Classic,
    Remote,
    Fd {
        switch: bool,
        passive: bool,
    },
}

/// Parts of a classic data frame.
struct ClassicParts {
    id: Id,
    dlc: u8,
    eight: [u8; 8],
}

/// The content of a row that is no data frame of its own.
enum Other {
    Event,
    ErrorFrame,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Rows {
            columns: columns_of("1.0").unwrap_or_default(),
            channels: NumberedChannels::new(),
            start_ns: None,
            has_version: false,
            padded: 0,
        }
    }

    /// Reads a line that begins with a semicolon.
    fn comment(&mut self, line: &[u8]) -> Result<(), RowCause> {
        if let Some(version) = value(line, b";$FILEVERSION=") {
            let columns = columns_of(&String::from_utf8_lossy(version));
            self.columns = columns.ok_or_else(|| RowCause::field("version", version, VERSIONS))?;
            self.has_version = true;
        } else if let Some(days) = value(line, b";$STARTTIME=") {
            let right = "days since 1899-12-30, such as 44548.6028595139";
            let start = start::unix_ns(days);
            self.start_ns = Some(start.ok_or_else(|| RowCause::field("start", days, right))?);
        } else if let Some(names) = value(line, b";$COLUMNS=") {
            let columns: Option<Vec<_>> = names
                .split(|&byte| byte == b',')
                .map(|name| column_of(name.trim_ascii()))
                .collect();
            self.columns = columns.filter(|columns| is_whole(columns)).ok_or_else(|| {
                let right = "names of columns, such as N,O,T,B,I,d,R,L,D";
                RowCause::field("columns", names, right)
            })?;
        } else if !self.has_version && self.start_ns.is_none() {
            self.start_ns = start::of_comment(line);
        }
        let _ = self.channels.read_note(&line[1..]);
        Ok(())
    }

    /// Reads the fields of a row, as far as the columns before the data go.
    fn fields<'a>(
        &self,
        words: &mut Words<'a>,
        fields: &mut Fields<'a>,
    ) -> Result<Option<Other>, LogCause> {
        for (at, column) in self.columns.iter().enumerate() {
            if *column == Column::Data {
                break;
            }
            let word = words.next().ok_or_else(|| missing(*column))?;
            match column {
                Column::Unused | Column::Data => {}
                Column::Time => {
                    fields.at_ns = time(word, 6, "milliseconds, such as 17535.400")?;
                }
                Column::Bus => fields.bus = Some(word),
                Column::Kind => match word {
                    b"Rx" => fields.direction = Some(Direction::Rx),
                    b"Tx" => fields.direction = Some(Direction::Tx),
                    b"Error" => return Ok(Some(Other::ErrorFrame)),
                    b"Warng" => return Ok(Some(Other::Event)),
                    _ => return Err(RowCause::field("type", word, KINDS).into()),
                },
                Column::Type => match kind_of(word) {
                    Some(kind) => fields.kind = kind,
                    None => {
                        // Other rows lack fields; only the bus stands where it should.
                        if self.columns.get(at + 1) == Some(&Column::Bus) {
                            fields.bus = words.next();
                        }
                        let other = match word {
                            b"ER" => Other::ErrorFrame,
                            b"ST" | b"EC" | b"EV" => Other::Event,
                            _ => return Err(RowCause::field("type", word, TYPES).into()),
                        };
                        return Ok(Some(other));
                    }
                },
                // The mark of bus states in version 1.0.
                Column::Id if word == b"FFFFFFFF" => return Ok(Some(Other::Event)),
                Column::Id => fields.id = Some(identifier(word)?),
                Column::Direction => fields.direction = Some(direction(word)?),
                // Some writers of version 1.x leave out the length of a remote frame.
                Column::Code if word == b"RTR" => {
                    (fields.kind, fields.code) = (Kind::Remote, Some(0));
                }
                Column::Code => fields.code = Some(small(word, 15, "length code", CODE)?),
                Column::Length => fields.length = Some(small(word, 64, "length", LENGTH)?),
            }
        }
        Ok(None)
    }

    /// Reads the data of a classic frame with a length code; none of another one.
    fn classic_parts(
        fields: &Fields<'_>,
        words: &mut Words<'_>,
    ) -> Result<Option<ClassicParts>, LogCause> {
        let (Kind::Classic, Some(id), Some(dlc)) = (fields.kind, fields.id, fields.code) else {
            return Ok(None);
        };
        if words.is_next(b"RTR") {
            return Ok(None);
        }
        let (dlc, mut eight) = (dlc as u8, [0; 8]);
        read_all(words, &mut eight[..usize::from(dlc.min(8))], 16)?;
        Ok(Some(ClassicParts { id, dlc, eight }))
    }

    fn frame(&mut self, fields: &Fields<'_>, words: &mut Words<'_>) -> Result<Frame, LogCause> {
        let id = fields
            .id
            .ok_or_else(|| LineCause::Missing(MissingPart::Id))?;
        let mut kind = fields.kind;
        let is_remote = matches!(kind, Kind::Classic) && words.is_next(b"RTR");
        if is_remote {
            kind = Kind::Remote;
        }
        let stated = fields.code.or(fields.length);
        let stated = stated.ok_or_else(|| LineCause::Missing(MissingPart::Length))? as usize;
        let is_code = fields.code.is_some();
        let mut data = [0; DATA_MAX];
        let frame = match kind {
            Kind::Remote => {
                no_more_bytes(words, 0, 16)?;
                Frame::remote(id, stated as u8)
            }
            // Its length is stated, for one with a code has gone the quick way.
            Kind::Classic => {
                read_all(words, &mut data[..stated], 16)?;
                Frame::classic(id, &data[..stated])
            }
            Kind::Fd { switch, passive } => {
                let length = if is_code {
                    usize::from(FD_LENGTHS[stated & 15])
                } else {
                    stated
                };
                read_all(words, &mut data[..length], 16)?;
                let flags = FdFlags {
                    bit_rate_switch: switch,
                    error_state_indicator: passive,
                };
                padded_fd(id, &data[..length], flags, &mut self.padded)
            }
        };
        Ok(frame.map_err(LineCause::Frame)?)
    }

    fn channel(&mut self, bus: Option<&[u8]>) -> Result<Channel, LogCause> {
        let word = bus.unwrap_or(b"1");
        let number = number(word, 10).and_then(|number| number.try_into().ok());
        let channel = number.and_then(|number| self.channels.channel(number));
        Ok(channel.ok_or_else(|| LineCause::AscChannel(Quote::new(word)))?)
    }
}

impl Layout for Rows {
    fn read(&mut self, line: &[u8]) -> Result<Row, LogCause> {
        if line.starts_with(b";") {
            self.comment(line)?;
            return Ok(Row::Comment);
        }
        if self.columns.is_empty() {
            return Err(RowCause::Missing {
                field: "the line of columns",
                right: ";$COLUMNS=N,O,T,B,I,d,R,L,D above the first row",
            }
            .into());
        }
        let mut words = Words::of_columns(line);
        let mut fields = Fields::default();
        let other = self.fields(&mut words, &mut fields)?;
        // Version 1.0 has the mark of an error frame in place of its data.
        let is_error = matches!(other, Some(Other::ErrorFrame))
            || (other.is_none() && words.is_next(b"ERROR"));
        if other.is_none()
            && !is_error
            && let Some(parts) = Self::classic_parts(&fields, &mut words)?
        {
            let channel = self.channel(fields.bus)?;
            // Made where it is returned: each copy takes a tenth of the time of a row.
            let frame = Frame::classic_of_eight(parts.id, parts.dlc, parts.eight);
            return Ok(Row::Record(Record {
                at_ns: fields.at_ns,
                channel,
                entry: LogEntry::Frame {
                    frame,
                    direction: fields.direction,
                },
            }));
        }
        let entry = match other {
            Some(Other::Event) => return Ok(Row::Event),
            _ if is_error => LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR),
            _ => LogEntry::Frame {
                frame: self.frame(&fields, &mut words)?,
                direction: fields.direction,
            },
        };
        Ok(Row::Record(Record {
            at_ns: fields.at_ns,
            channel: self.channel(fields.bus)?,
            entry,
        }))
    }

    fn channels(&self) -> &Channels {
        self.channels.channels()
    }

    fn start_ns(&self) -> Option<u64> {
        self.start_ns
    }

    fn padded(&self) -> u64 {
        self.padded
    }
}

const KINDS: &str = "Rx, Tx, Error or Warng";
const TYPES: &str = "DT, FD, FB, FE, BI or RR, or ER, ST, EC or EV";
const CODE: &str = "a number from 0 to 15";
const LENGTH: &str = "a count of bytes from 0 to 64";

/// Returns true for a line that only such a file has: that of the version, or a row of 1.0.
pub(crate) fn is_first_line(line: &[u8]) -> bool {
    if line.starts_with(b";$FILEVERSION=") {
        return true;
    }
    let mut words = Words::new(line);
    let row = words.next().and_then(|word| word.strip_suffix(b")"));
    row.is_some_and(|row| number(row, 10).is_some())
        && words.next().is_some_and(|word| time(word, 6, "").is_ok())
        && words.next().is_some_and(|word| number(word, 16).is_some())
}

fn value<'a>(line: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(key).map(<[u8]>::trim_ascii)
}

fn kind_of(word: &[u8]) -> Option<Kind> {
    let fd = |switch, passive| Kind::Fd { switch, passive };
    Some(match word {
        b"DT" => Kind::Classic,
        b"RR" => Kind::Remote,
        b"FD" => fd(false, false),
        b"FB" => fd(true, false),
        b"FE" => fd(false, true),
        b"BI" => fd(true, true),
        _ => return None,
    })
}

/// Reads four digits for 11 bits, more for 29.
fn identifier(word: &[u8]) -> Result<Id, LogCause> {
    let raw = number(word, 16).ok_or_else(|| {
        let right = "4 hexadecimal digits (11 bits) or 8 (29 bits)";
        RowCause::field("identifier", word, right)
    })?;
    Ok(id(raw, word.len() > 4).map_err(LineCause::IdRange)?)
}

fn direction(word: &[u8]) -> Result<Direction, RowCause> {
    match word {
        b"Rx" => Ok(Direction::Rx),
        b"Tx" => Ok(Direction::Tx),
        _ => Err(RowCause::field("direction", word, "Rx or Tx")),
    }
}

fn small(
    word: &[u8],
    most: u32,
    field: &'static str,
    right: &'static str,
) -> Result<u32, RowCause> {
    let value = number(word, 10).filter(|&value| value <= most);
    value.ok_or_else(|| RowCause::field(field, word, right))
}

fn missing(column: Column) -> LogCause {
    let (field, right) = match column {
        Column::Time => ("the time", "milliseconds behind the number of the row"),
        Column::Bus => ("the bus", "its number"),
        Column::Kind => ("the type", KINDS),
        Column::Type => ("the type", TYPES),
        Column::Direction => ("the direction", "Rx or Tx"),
        Column::Code => ("the length code", CODE),
        Column::Length => ("the length", LENGTH),
        Column::Id => return LineCause::Missing(MissingPart::Id).into(),
        Column::Unused | Column::Data => ("a column", "as many as the header names"),
    };
    RowCause::Missing { field, right }.into()
}

#[cfg(test)]
mod tests;
