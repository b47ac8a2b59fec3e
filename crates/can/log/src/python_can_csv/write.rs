//! The writer of python-can's CSV logs.

use std::io::{self, Write};

use waywarden_can::{Format, Frame};

use super::{HEADER, base64};
use crate::losses::Losses;
use crate::record::{Channel, Channels, ErrorFrame, LogEntry, Record};

/// Writes a CSV log with a header, one row a record.
///
/// The format has no place for channels, directions and the flags of CAN FD, and a CAN FD frame of
/// at most 8 bytes is a classic one to its readers: [`Writer::losses`] counts them.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    line: Vec<u8>,
    has_begun: bool,
    /// The channel of the first record: what is on others is counted.
    channel: Option<Channel>,
    losses: Losses,
}

impl<W: Write> Writer<W> {
    /// Makes a writer; nothing is written yet.
    pub fn new(output: W) -> Self {
        Writer {
            output,
            line: Vec::with_capacity(192),
            has_begun: false,
            channel: None,
            losses: Losses::default(),
        }
    }

    /// Returns how much of what was left out.
    #[must_use]
    pub const fn losses(&self) -> Losses {
        self.losses
    }

    /// Writes a record.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn write(&mut self, record: &Record, _: &Channels) -> io::Result<()> {
        self.begin()?;
        let first = *self.channel.get_or_insert(record.channel);
        self.losses.channels += u64::from(first != record.channel);
        self.line.clear();
        let (seconds, nanos) = (record.at_ns / 1_000_000_000, record.at_ns % 1_000_000_000);
        match nanos % 1_000 {
            0 => write!(self.line, "{seconds}.{:06},", nanos / 1_000)?,
            _ => write!(self.line, "{seconds}.{nanos:09},")?,
        }
        match &record.entry {
            LogEntry::Frame { frame, direction } => {
                self.losses.directions += u64::from(direction.is_some());
                self.frame(frame)?;
            }
            LogEntry::ErrorFrame(ErrorFrame { class, data }) => {
                write!(self.line, "0x{class:x},1,0,1,{},", data.len())?;
                base64::encode(data, &mut self.line);
            }
        }
        self.line.push(b'\n');
        self.output.write_all(&self.line)
    }

    /// Writes the header if no record was, flushes and returns the output.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.begin()?;
        self.output.flush()?;
        Ok(self.output)
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.has_begun {
            return Ok(());
        }
        self.has_begun = true;
        writeln!(self.output, "{HEADER}")
    }

    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        let (is_remote, length) = match frame.format() {
            Format::Classic => (false, usize::from(frame.dlc())),
            Format::Remote => (true, usize::from(frame.dlc())),
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => {
                let is_lost = bit_rate_switch || error_state_indicator || frame.data_len() <= 8;
                self.losses.fd_flags += u64::from(is_lost);
                (false, frame.data_len())
            }
        };
        write!(
            self.line,
            "0x{:x},{},{},0,{length},",
            frame.id().raw(),
            u8::from(frame.id().is_extended()),
            u8::from(is_remote)
        )?;
        base64::encode(frame.data(), &mut self.line);
        Ok(())
    }
}
