//! A record of a channel group as a frame.

use waywarden_can::{FdFlags, Frame, FrameError, Id};

use super::Mf4Cause;
use super::field::Field;
use super::layout::{DataPlace, FrameKind, FrameLayout};
use crate::message::padded_fd;
use crate::numbered::NumberedChannels;
use crate::record::{Channel, Direction, ErrorFrame, LogEntry, Record};

/// The longest data field, in bytes.
pub(super) const DATA_MAX: usize = 64;

/// A bit of identifiers that some writers set for 29 bits.
const EXTENDED_BIT: u64 = 1 << 31;

/// A frame whose data bytes may lie elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) at_ns: u64,
    channel: Channel,
    kind: FrameKind,
    id: u32,
    is_extended: bool,
    length_code: u8,
    /// The number of data bytes, where the record has it.
    length: Option<usize>,
    is_fd: bool,
    bit_rate_switch: bool,
    error_state_indicator: bool,
    direction: Option<Direction>,
}

impl FrameLayout {
    /// Reads what a record has of a frame besides its data bytes.
    pub(super) fn head(
        &self,
        record: &[u8],
        start_ns: u64,
        channels: &mut NumberedChannels,
    ) -> Result<Head, Mf4Cause> {
        let parts = &self.parts;
        let number = |field: &Option<Field>| Field::or_zero(field.as_ref(), record);
        let seconds = self.time.nanoseconds(record);
        let seconds = seconds.map_err(|seconds| Mf4Cause::TimeStamp(seconds.to_string()))?;
        let at = i128::from(start_ns) + seconds;
        let at_ns = u64::try_from(at).map_err(|_| Mf4Cause::TimeStamp(shown_seconds(at)))?;
        let channel = match &parts.channel {
            Some(field) => field.raw(record).unwrap_or(u64::from(self.channel)),
            None => u64::from(self.channel),
        };
        // Bus channel 0 is can0, as python-can has it; other formats number channels from 1.
        let named = u16::try_from(channel)
            .ok()
            .and_then(|number| number.checked_add(1));
        let named = named.and_then(|number| channels.channel(number));
        let id = number(&parts.id);
        let length = parts.length.as_ref().and_then(|field| field.raw(record));
        let length = length.map(|length| match length {
            0..=64 => Ok(length as usize),
            _ => Err(Mf4Cause::DataLength(length)),
        });
        Ok(Head {
            at_ns,
            channel: named.ok_or(Mf4Cause::Channel(channel))?,
            kind: self.kind,
            id: (id & 0x7FFF_FFFF) as u32,
            is_extended: id & EXTENDED_BIT != 0
                || match &parts.extended {
                    Some(field) => field.raw(record) == Some(1),
                    None => id > 0x7FF,
                },
            length_code: number(&parts.length_code).min(255) as u8,
            length: length.transpose()?,
            is_fd: number(&parts.fd) == 1,
            bit_rate_switch: number(&parts.bit_rate_switch) == 1,
            error_state_indicator: number(&parts.error_state_indicator) == 1,
            direction: parts.direction.as_ref().and_then(|field| {
                Some(match field.raw(record)? {
                    0 => Direction::Rx,
                    _ => Direction::Tx,
                })
            }),
        })
    }

    /// Returns the data bytes that stand in the record itself.
    pub(super) fn inner<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        match self.data {
            DataPlace::Record { at, bytes } => {
                let there = record.get(at..).unwrap_or_default();
                &there[..there.len().min(bytes)]
            }
            _ => &[],
        }
    }
}

impl Head {
    /// Puts the frame together; counts CAN FD frames that had to be padded.
    pub(super) fn record(&self, data: &[u8], padded: &mut u64) -> Result<Record, Mf4Cause> {
        let entry = match self.kind {
            FrameKind::Error => LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR),
            _ => LogEntry::Frame {
                frame: self.frame(data, padded)?,
                direction: self.direction,
            },
        };
        Ok(Record {
            at_ns: self.at_ns,
            channel: self.channel,
            entry,
        })
    }

    fn frame(&self, data: &[u8], padded: &mut u64) -> Result<Frame, Mf4Cause> {
        let id = match self.is_extended {
            true => Id::extended(self.id)?,
            false => Id::standard(u16::try_from(self.id).unwrap_or(u16::MAX))?,
        };
        if self.kind == FrameKind::Remote {
            let length = self.length.filter(|_| self.length_code == 0);
            return Ok(Frame::remote(
                id,
                length.map_or(self.length_code, |bytes| bytes as u8),
            )?);
        }
        let by_code = || match (self.length_code, self.is_fd) {
            (code @ 0..=15, true) => Ok(usize::from(
                waywarden_can::frame::FD_LENGTHS[usize::from(code)],
            )),
            (code @ 0..=15, false) => Ok(usize::from(code.min(8))),
            (code, _) => Err(FrameError::LengthCode(code)),
        };
        let length = self.length.map_or_else(by_code, Ok)?;
        // Bytes of variable length may be fewer than stated only by a mistake.
        let data = data.get(..length).ok_or_else(|| Mf4Cause::ByteCount {
            stated: length,
            found: data.len(),
        })?;
        // A frame of more than 8 bytes is CAN FD, whether the file says so or not.
        if self.is_fd || self.bit_rate_switch || length > 8 {
            let flags = FdFlags {
                bit_rate_switch: self.bit_rate_switch,
                error_state_indicator: self.error_state_indicator,
            };
            return Ok(padded_fd(id, data, flags, padded)?);
        }
        let frame = Frame::classic(id, data)?;
        Ok(match self.length_code {
            9..=15 if length == 8 => frame.with_raw_dlc(self.length_code)?,
            _ => frame,
        })
    }
}

fn shown_seconds(nanoseconds: i128) -> String {
    format!("{}", nanoseconds as f64 / 1e9)
}
