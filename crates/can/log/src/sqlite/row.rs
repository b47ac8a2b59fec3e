//! A row of the table as a record.

use waywarden_can::{FdFlags, Frame, Id};

use super::SqliteCause;
use super::tree::{big, varint};
use crate::error::Quote;
use crate::float_seconds;
use crate::message::{self, padded_fd};
use crate::record::{Channel, LogEntry, Record};

/// The columns that python-can writes.
pub(super) const COLUMNS: [&str; 7] = [
    "ts",
    "arbitration_id",
    "extended",
    "remote",
    "error",
    "dlc",
    "data",
];

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

/// Reads the values of a row; none if it is broken. Values of columns that were added after the row
/// are left out.
pub(super) fn values<'a>(row: &'a [u8], values: &mut Vec<Value<'a>>) -> Option<()> {
    values.clear();
    let (size, mut at) = varint(row)?;
    let header = row.get(..usize::try_from(size).ok()?)?;
    let mut body = &row[header.len()..];
    while at < header.len() {
        let (kind, bytes) = varint(&header[at..])?;
        at += bytes;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind as usize,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None,
            _ => usize::try_from((kind - 12) / 2).ok()?,
        };
        let (value, rest) = body.split_at_checked(length)?;
        body = rest;
        values.push(match kind {
            0 => Value::Null,
            8 | 9 => Value::Integer(kind as i64 - 8),
            7 => Value::Real(f64::from_bits(big(value, 0, 8))),
            1..=6 => {
                let unused = 64 - 8 * length;
                Value::Integer((big(value, 0, length) << unused) as i64 >> unused)
            }
            _ if kind % 2 == 0 => Value::Blob(value),
            _ => Value::Text(value),
        });
    }
    Some(())
}

impl Value<'_> {
    fn quote(self) -> Quote {
        match self {
            Value::Null => Quote::new(b"NULL"),
            Value::Integer(number) => Quote::new(number.to_string().as_bytes()),
            Value::Real(number) => Quote::new(number.to_string().as_bytes()),
            Value::Text(bytes) | Value::Blob(bytes) => Quote::new(bytes),
        }
    }
}

/// Makes a record of the values of [`COLUMNS`]; counts CAN FD frames that had to be padded.
pub(super) fn record(
    row: u64,
    columns: [Value<'_>; 7],
    channel: Channel,
    padded: &mut u64,
) -> Result<Record, SqliteCause> {
    let wrong = |index: usize, expected| SqliteCause::Value {
        row,
        column: COLUMNS[index],
        value: columns[index].quote(),
        expected,
    };
    let number = |index: usize| match columns[index] {
        Value::Integer(number @ 0..=0xFFFF_FFFF) => Ok(number as u32),
        _ => Err(wrong(index, "a number from 0 to 4294967295")),
    };
    let seconds = match columns[0] {
        Value::Real(seconds) => seconds,
        Value::Integer(seconds) => seconds as f64,
        _ => return Err(wrong(0, "seconds")),
    };
    let at_ns = float_seconds::nanoseconds(seconds).and_then(|nanos| u64::try_from(nanos).ok());
    let at_ns = at_ns.ok_or_else(|| wrong(0, "seconds since 1970, below 18446744074"))?;
    let is_set = |index| number(index).map(|flag| flag != 0);
    let (is_extended, is_remote, is_error) = (is_set(2)?, is_set(3)?, is_set(4)?);
    let id = number(1)?;
    let data = match columns[6] {
        Value::Blob(data) | Value::Text(data) => data,
        Value::Null => &[],
        _ => return Err(wrong(6, "bytes")),
    };
    let entry = if is_error {
        // Of an error frame the identifier is the class, and the data its details.
        LogEntry::ErrorFrame(message::error_frame(id, data))
    } else {
        let id = match is_extended {
            true => Id::extended(id),
            false => Id::standard(u16::try_from(id).unwrap_or(u16::MAX)),
        };
        let id = id.map_err(|cause| SqliteCause::IdRange { row, cause })?;
        let length = number(5)?;
        if !is_remote && data.len() != length as usize {
            let (stated, found) = (length.into(), data.len());
            return Err(SqliteCause::ByteCount { row, stated, found });
        }
        // The table has no mark of CAN FD: longer frames are.
        let frame = match (is_remote, data.len()) {
            (true, _) => Frame::remote(id, u8::try_from(length).unwrap_or(u8::MAX)),
            (false, ..=8) => Frame::classic(id, data),
            (false, _) => padded_fd(id, data, FdFlags::default(), padded),
        };
        LogEntry::Frame {
            frame: frame.map_err(|cause| SqliteCause::Frame { row, cause })?,
            direction: None,
        }
    };
    Ok(Record {
        at_ns,
        channel,
        entry,
    })
}
