//! The writer of candump's log form.

use std::io::{self, Write};

use super::ERROR_FLAG;
use crate::record::{Channels, Direction, ErrorFrame, LogEntry, Record};
use crate::text::to_microsecond;

/// Writes candump's log form, one line a record: `(TIME) CHANNEL FRAME` and the direction if known.
///
/// Times have six digits behind the point as candump's, or nine where six would lose something.
/// can-utils read six alone: [`Writer::in_microseconds`].
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    line: Vec<u8>,
    in_microseconds: bool,
    rounded: u64,
}

impl<W: Write> Writer<W> {
    /// Makes a writer; nothing is written yet.
    pub fn new(output: W) -> Self {
        Writer {
            output,
            line: Vec::with_capacity(192),
            in_microseconds: false,
            rounded: 0,
        }
    }

    /// The same with six digits in each time: times are rounded, and [counted](Writer::rounded).
    #[must_use]
    pub fn in_microseconds(self) -> Self {
        Writer {
            in_microseconds: true,
            ..self
        }
    }

    /// Returns how many times lost digits.
    #[must_use]
    pub const fn rounded(&self) -> u64 {
        self.rounded
    }

    /// Writes a record, its channel named by the table it belongs to.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        self.line.clear();
        let at_ns = match self.in_microseconds {
            true => to_microsecond(record.at_ns),
            false => record.at_ns,
        };
        self.rounded += u64::from(at_ns != record.at_ns);
        let (seconds, nanos) = (at_ns / 1_000_000_000, at_ns % 1_000_000_000);
        match nanos % 1_000 {
            0 => write!(self.line, "({seconds}.{:06})", nanos / 1_000)?,
            _ => write!(self.line, "({seconds}.{nanos:09})")?,
        }
        write!(self.line, " {} ", channels.name(record.channel))?;
        match record.entry {
            LogEntry::Frame { frame, direction } => {
                write!(self.line, "{frame}")?;
                self.line.extend_from_slice(match direction {
                    Some(Direction::Rx) => b" R",
                    Some(Direction::Tx) => b" T",
                    None => b"",
                });
            }
            LogEntry::ErrorFrame(ErrorFrame { class, data }) => {
                write!(self.line, "{:08X}#", ERROR_FLAG | class)?;
                data.iter()
                    .try_for_each(|byte| write!(self.line, "{byte:02X}"))?;
            }
        }
        self.line.push(b'\n');
        self.output.write_all(&self.line)
    }

    /// Hands on the lines so far.
    ///
    /// # Errors
    /// The error of flushing the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    /// Flushes and returns the output.
    ///
    /// # Errors
    /// The error of flushing the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }
}
