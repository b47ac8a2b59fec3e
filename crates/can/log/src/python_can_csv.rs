//! The CSV logs of python-can, read and written.
//!
//! `timestamp,arbitration_id,extended,remote,error,dlc,data`: seconds, identifier in hexadecimal,
//! 0 or 1 each, length, data in base64. The format has no channel, no direction, and no mark of
//! CAN FD but lengths above 8; of an error frame the identifier is the class.

use waywarden_can::{FdFlags, Frame};

use crate::error::{LineCause, LogCause, RowCause};
use crate::message::{self, id, padded_fd};
use crate::record::{Channel, Channels, LogEntry, Record};
use crate::row::{Layout, Row, time};
use crate::text::{fields, number, scaled};

mod base64;
mod write;

pub use self::write::Writer;

const HEADER: &str = "timestamp,arbitration_id,extended,remote,error,dlc,data";

const DATA_MAX: usize = waywarden_can::frame::DATA_MAX;

#[derive(Debug)]
pub(crate) struct Rows {
    channels: Channels,
    channel: Option<Channel>,
    padded: u64,
}

impl Rows {
    pub(crate) fn new() -> Self {
        let mut channels = Channels::default();
        let channel = channels.intern(b"can0").ok();
        Rows {
            channels,
            channel,
            padded: 0,
        }
    }

    fn frame(&mut self, fields: &[&[u8]; 7]) -> Result<Frame, LogCause> {
        let [_, _, extended, remote, _, length, text] = *fields;
        let id = id(identifier(fields[1])?, flag("extended", extended)?);
        let id = id.map_err(LineCause::IdRange)?;
        let stated = number(length, 10)
            .filter(|&stated| stated <= DATA_MAX as u32)
            .ok_or_else(|| RowCause::field("dlc", length, "a number from 0 to 64"))?;
        if flag("remote", remote)? {
            return Ok(Frame::remote(id, stated as u8).map_err(LineCause::Frame)?);
        }
        let stated = stated as usize;
        if let Some((eight, found)) = base64::decode_eight(text)
            && found == stated.min(8)
            && stated < 16
        {
            return Ok(Frame::classic_of_eight(id, stated as u8, eight));
        }
        let mut data = [0; DATA_MAX];
        let found = data_of(text, &mut data)?;
        if found != stated {
            return Err(LineCause::ByteCount { stated, found }.into());
        }
        let frame = padded_fd(id, &data[..found], FdFlags::default(), &mut self.padded);
        Ok(frame.map_err(LineCause::Frame)?)
    }
}

impl Layout for Rows {
    fn read(&mut self, line: &[u8]) -> Result<Row, LogCause> {
        if is_header(line) {
            return Ok(Row::Comment);
        }
        let fields = fields::<7>(line).ok_or_else(|| RowCause::line(line, HEADER))?;
        let at_ns = timestamp(fields[0])?;
        let entry = if flag("error", fields[4])? {
            error_frame(&fields)?
        } else {
            LogEntry::Frame {
                frame: self.frame(&fields)?,
                direction: None,
            }
        };
        // One name is always free.
        let channel = self.channel.ok_or_else(|| RowCause::line(line, HEADER))?;
        Ok(Row::Record(Record {
            at_ns,
            channel,
            entry,
        }))
    }

    fn channels(&self) -> &Channels {
        &self.channels
    }

    fn padded(&self) -> u64 {
        self.padded
    }
}

/// Returns true for the header of such a file.
pub(crate) fn is_header(line: &[u8]) -> bool {
    line.eq_ignore_ascii_case(HEADER.as_bytes())
}

fn error_frame(fields: &[&[u8]; 7]) -> Result<LogEntry, LogCause> {
    let mut data = [0; DATA_MAX];
    let found = data_of(fields[6], &mut data)?;
    let class = identifier(fields[1])?;
    Ok(LogEntry::ErrorFrame(message::error_frame(
        class,
        &data[..found],
    )))
}

fn identifier(word: &[u8]) -> Result<u32, RowCause> {
    let digits = word.strip_prefix(b"0x").unwrap_or(word);
    number(digits, 16)
        .ok_or_else(|| RowCause::field("arbitration_id", word, "hexadecimal, such as 0x123"))
}

fn flag(field: &'static str, word: &[u8]) -> Result<bool, RowCause> {
    match word {
        b"0" => Ok(false),
        b"1" => Ok(true),
        _ => Err(RowCause::field(field, word, "0 or 1")),
    }
}

fn data_of(text: &[u8], data: &mut [u8; DATA_MAX]) -> Result<usize, RowCause> {
    const RIGHT: &str = "base64 of at most 64 bytes, such as ESI=";
    base64::decode(text, data).ok_or_else(|| RowCause::field("data", text, RIGHT))
}

/// Reads seconds as Python writes them: with a fraction, or with an exponent if they are few.
fn timestamp(text: &[u8]) -> Result<u64, RowCause> {
    const RIGHT: &str = "seconds, such as 1483389946.197";
    if let Ok(nanos) = scaled(text, 9) {
        return Ok(nanos);
    }
    let wrong = || RowCause::field("time", text, RIGHT);
    let Some(e) = text.iter().position(|&byte| byte == b'e') else {
        return time(text, 9, RIGHT);
    };
    let digits = text[e + 1..].strip_prefix(b"-").ok_or_else(wrong)?;
    let exponent = number(digits, 10).ok_or_else(wrong)?;
    let scale = 10u64.checked_pow(exponent).ok_or_else(wrong)?;
    let nanos = time(&text[..e], 9, RIGHT)?;
    Ok(nanos / scale + u64::from(nanos % scale >= scale.div_ceil(2)))
}

#[cfg(test)]
mod tests;
