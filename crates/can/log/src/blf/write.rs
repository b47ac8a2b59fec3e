//! The writer of BLF logs: objects in containers that are packed with zlib.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use waywarden_can::{Format, Frame};

use super::object::{EXTENDED, HEADER_V1, kind};
use super::{CONTAINER_HEADER, OBJECT_HEADER, OBJECT_MARK, TYPE_CONTAINER};
use crate::losses::Losses;
use crate::measurement::Measurement;
use crate::numbered;
use crate::record::{Channels, Direction, LogEntry, Record};
use crate::text::{Date, to_millisecond};

/// Unpacked size of a container, in bytes, as Vector's writers have it.
const CONTAINER: usize = 128 << 10;

/// Size of the file header, in bytes.
pub const HEADER_SIZE: usize = 144;

/// The first date that is written, 1990-01-01: earlier ones are those of a clock that was not set.
const DATE_MIN_NS: u64 = 631_152_000_000_000_000;

/// The flag of times in nanoseconds.
const NANOSECONDS: u32 = 2;

/// Writes a BLF log. Its measurement starts at the whole second of the first record, or at the date
/// that [`Writer::set_start`] gives; times before 1990 count from 1970, without a date.
///
/// A frame without direction becomes a received one, an error frame loses its details. Channels get
/// numbers as in ASC; a text object keeps each name that its number does not tell.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    content: Vec<u8>,
    measurement: Measurement,
    date_ns: u64,
    last_ns: u64,
    objects: u32,
    /// Bytes of the file so far, packed and unpacked.
    packed: u64,
    unpacked: u64,
}

/// A log that is complete but for its header.
#[derive(Debug)]
pub struct FinishedLog<W> {
    /// The output.
    pub output: W,
    /// The header with the sizes and the end of the measurement, which the file's first bytes lack:
    /// a caller whose output can be written there replaces them.
    pub header: [u8; HEADER_SIZE],
}

impl<W: Write> Writer<W> {
    /// Makes a writer; nothing is written yet.
    pub fn new(output: W) -> Self {
        Writer {
            output,
            content: Vec::with_capacity(CONTAINER + 1024),
            measurement: Measurement::default(),
            date_ns: 0,
            last_ns: 0,
            objects: 0,
            packed: HEADER_SIZE as u64,
            unpacked: HEADER_SIZE as u64,
        }
    }

    /// Sets the start of the measurement for records that count from it: nanoseconds since the
    /// Unix epoch, of which the header has milliseconds. Nothing changes once a record is written.
    pub fn set_start(&mut self, date_ns: u64) {
        self.measurement.set_date(date_ns);
    }

    /// Returns how much of what was left out.
    #[must_use]
    pub const fn losses(&self) -> Losses {
        self.measurement.losses
    }

    /// Writes a record, its channel named by the table it belongs to.
    ///
    /// # Errors
    /// The error of the output's writer; [`io::ErrorKind::InvalidInput`] for a record earlier
    /// than the whole second in which the first one lies, for which the format has no time.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        self.begin(record.at_ns)?;
        let head = self.measurement.head(record, channels, "BLF")?;
        let (at_ns, number) = (head.at_ns, head.number);
        self.last_ns = self.last_ns.max(at_ns);
        if let Some(name) = head.new_name
            && name != format!("can{}", number - 1)
        {
            self.text(at_ns, &numbered::note(number, name));
        }
        match &record.entry {
            LogEntry::Frame { frame, direction } => self.frame(at_ns, number, frame, *direction),
            LogEntry::ErrorFrame(_) => {
                self.object(kind::CAN_ERROR_EXT, at_ns, 32);
                self.content.extend(number.to_le_bytes());
                self.content.extend([0; 30]);
            }
        }
        match self.content.len() < CONTAINER {
            true => Ok(()),
            false => self.container(CONTAINER),
        }
    }

    /// Writes the rest (and the header, if no record was written) and flushes the output.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn finish(mut self) -> io::Result<FinishedLog<W>> {
        self.begin(0)?;
        if !self.content.is_empty() {
            self.container(self.content.len())?;
        }
        self.output.flush()?;
        Ok(FinishedLog {
            header: self.header(),
            output: self.output,
        })
    }

    /// Writes the header, unless it is written.
    fn begin(&mut self, first_ns: u64) -> io::Result<()> {
        let Some(date_ns) = self.measurement.begin(first_ns, DATE_MIN_NS) else {
            return Ok(());
        };
        self.date_ns = to_millisecond(date_ns);
        let header = self.header();
        self.output.write_all(&header)
    }

    /// Lays out the file header with what is known by now.
    fn header(&self) -> [u8; HEADER_SIZE] {
        let mut header = [0; HEADER_SIZE];
        header[..4].copy_from_slice(b"LOGG");
        header[4..8].copy_from_slice(&(HEADER_SIZE as u32).to_le_bytes());
        // Application 0 (unknown) of version 0.0.0; version of the format 2.6.8.1.
        header[12..16].copy_from_slice(&[2, 6, 8, 1]);
        header[16..24].copy_from_slice(&self.packed.to_le_bytes());
        header[24..32].copy_from_slice(&self.unpacked.to_le_bytes());
        header[32..36].copy_from_slice(&self.objects.to_le_bytes());
        header[40..56].copy_from_slice(&system_time(self.date_ns));
        header[56..72].copy_from_slice(&system_time(self.date_ns.saturating_add(self.last_ns)));
        header
    }

    /// Begins an object of a size, its header included.
    fn object(&mut self, kind: u32, at_ns: u64, body: u32) {
        self.content.extend(OBJECT_MARK);
        self.content.extend((HEADER_V1 as u16).to_le_bytes());
        self.content.extend(1_u16.to_le_bytes());
        self.content.extend((HEADER_V1 + body).to_le_bytes());
        self.content.extend(kind.to_le_bytes());
        self.content.extend(NANOSECONDS.to_le_bytes());
        self.content.extend([0; 4]);
        self.content.extend(at_ns.to_le_bytes());
        self.objects = self.objects.saturating_add(1);
    }

    /// Writes a comment of the measurement: source 0, length, text.
    fn text(&mut self, at_ns: u64, text: &str) {
        let padded = text.len().next_multiple_of(4);
        self.object(kind::APP_TEXT, at_ns, 16 + padded as u32);
        self.content.extend([0; 8]);
        self.content.extend((padded as u32).to_le_bytes());
        self.content.extend([0; 4]);
        self.content.extend(text.as_bytes());
        self.content
            .extend(std::iter::repeat_n(b' ', padded - text.len()));
    }

    fn frame(&mut self, at_ns: u64, number: u16, frame: &Frame, direction: Option<Direction>) {
        let is_remote = frame.format() == Format::Remote;
        let mut flags = u8::from(direction == Some(Direction::Tx));
        flags |= if is_remote { 0x80 } else { 0 };
        let extended = if frame.id().is_extended() {
            EXTENDED
        } else {
            0
        };
        let fd_flags = match frame.format() {
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => Some(1 | u8::from(bit_rate_switch) << 1 | u8::from(error_state_indicator) << 2),
            Format::Classic | Format::Remote => None,
        };
        match fd_flags {
            Some(_) => self.object(kind::CAN_FD_MESSAGE, at_ns, 84),
            None => self.object(kind::CAN_MESSAGE, at_ns, 16),
        }
        self.content.extend(number.to_le_bytes());
        self.content.extend([flags, frame.dlc()]);
        self.content
            .extend((frame.id().raw() | extended).to_le_bytes());
        let room = match fd_flags {
            Some(fd_flags) => {
                // Frame time and bit count are unknown here: zero.
                self.content.extend([0; 5]);
                self.content.extend([fd_flags, frame.data_len() as u8]);
                self.content.extend([0; 5]);
                64
            }
            None => 8,
        };
        self.content.extend(frame.data());
        self.content
            .resize(self.content.len() + room - frame.data_len(), 0);
    }

    /// Packs so many bytes of the content, where an object may go on in the next container.
    fn container(&mut self, size: usize) -> io::Result<()> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&self.content[..size])?;
        let packed = encoder.finish()?;
        self.content.drain(..size);
        let object_size = CONTAINER_HEADER as usize + packed.len();
        let mut header = OBJECT_MARK.to_vec();
        header.extend((OBJECT_HEADER as u16).to_le_bytes());
        header.extend(1_u16.to_le_bytes());
        header.extend((object_size as u32).to_le_bytes());
        header.extend(TYPE_CONTAINER.to_le_bytes());
        header.extend(2_u16.to_le_bytes());
        header.extend([0; 6]);
        header.extend((size as u32).to_le_bytes());
        header.extend([0; 4]);
        self.output.write_all(&header)?;
        self.output.write_all(&packed)?;
        // The padding of Vector's writers, by which python-can finds the next object.
        let padding = object_size % 4;
        self.output.write_all(&[0; 3][..padding])?;
        self.packed += (object_size + padding) as u64;
        self.unpacked += CONTAINER_HEADER as u64 + size as u64;
        Ok(())
    }
}

/// Lays out a Windows SYSTEMTIME in UTC; all zero before 1990, where a log has no date.
fn system_time(unix_ns: u64) -> [u8; 16] {
    let date = Date::from_unix_ns(unix_ns);
    let mut bytes = [0; 16];
    if unix_ns < DATE_MIN_NS {
        return bytes;
    }
    let (seconds, millis) = (date.nanos / 1_000_000_000, date.nanos / 1_000_000 % 1_000);
    let parts = [
        date.year,
        u16::from(date.month),
        Date::weekday(unix_ns) as u16,
        u16::from(date.day),
        (seconds / 3_600) as u16,
        (seconds / 60 % 60) as u16,
        (seconds % 60) as u16,
        millis as u16,
    ];
    for (room, part) in bytes.chunks_exact_mut(2).zip(parts) {
        room.copy_from_slice(&part.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests;
