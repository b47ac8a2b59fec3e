//! The writer of TRC logs, version 2.1.

use std::io::{self, Write};

use waywarden_can::{Format, Frame, Id};

use super::start;
use crate::losses::Losses;
use crate::measurement::Measurement;
use crate::numbered::{self, ChannelNumbers};
use crate::record::{Channels, Direction, Entry, ErrorFrame, Record};
use crate::text::Date;

const SECOND: u64 = 1_000_000_000;

/// Writes a TRC log of version 2.1. Its measurement starts at the whole second of the first record,
/// or at the date that [`Writer::set_start`] gives.
///
/// A frame without direction becomes a received one, an error frame loses its details. Channels get
/// numbers as in ASC, and a comment tells each name. Times have three digits of a millisecond, or
/// six where three would lose something.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    line: Vec<u8>,
    numbers: ChannelNumbers,
    measurement: Measurement,
    count: u64,
    in_microseconds: bool,
    losses: Losses,
}

impl<W: Write> Writer<W> {
    /// Makes a writer; nothing is written yet.
    pub fn new(output: W) -> Self {
        Writer {
            output,
            line: Vec::with_capacity(256),
            numbers: ChannelNumbers::default(),
            measurement: Measurement::default(),
            count: 0,
            in_microseconds: false,
            losses: Losses::default(),
        }
    }

    /// The same with three digits in each time, as PEAK's programs write them: the rest is cut off
    /// and counted.
    #[must_use]
    pub fn in_microseconds(self) -> Self {
        Writer {
            in_microseconds: true,
            ..self
        }
    }

    /// Sets the start of the measurement for records that count from it: nanoseconds since the
    /// Unix epoch. Nothing changes once a record is written.
    pub fn set_start(&mut self, date_ns: u64) {
        self.measurement.set_date(date_ns);
    }

    /// Returns how much of what was left out.
    #[must_use]
    pub const fn losses(&self) -> Losses {
        self.losses
    }

    /// Writes a record, its channel named by the table it belongs to.
    ///
    /// # Errors
    /// The error of the output's writer; [`io::ErrorKind::InvalidInput`] for a record earlier
    /// than the whole second in which the first one lies, for which the format has no time.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        if !self.measurement.has_begun() {
            self.begin(record.at_ns)?;
        }
        let at_ns = self.measurement.since_start(record.at_ns, "TRC")?;
        self.line.clear();
        let (number, is_new) = self.numbers.number(record.channel, channels);
        if is_new {
            let note = numbered::note(number, channels.name(record.channel));
            write!(self.line, ";   {note}\r\n")?;
        }
        self.count += 1;
        let (millis, nanos) = (at_ns / 1_000_000, at_ns % 1_000_000);
        let is_finer = !nanos.is_multiple_of(1_000);
        let count = self.count;
        match is_finer && !self.in_microseconds {
            false => write!(self.line, "{count:>7} {millis:>9}.{:03} ", nanos / 1_000)?,
            true => write!(self.line, "{count:>7} {millis:>9}.{nanos:06} ")?,
        }
        self.losses.time_digits += u64::from(is_finer && self.in_microseconds);
        match record.entry {
            Entry::Frame { frame, direction } => {
                write_frame(&mut self.line, number, direction, &frame)?;
            }
            Entry::ErrorFrame(error) => {
                self.losses.error_details += u64::from(error != ErrorFrame::BUS_ERROR);
                // An error of a kind beside bit, form and stuff errors.
                write!(
                    self.line,
                    "ER {number:<2}        - Rx -  5    08 00 00 00 00"
                )?;
            }
        }
        self.line.extend_from_slice(b"\r\n");
        self.output.write_all(&self.line)
    }

    /// Writes the header if no record was, flushes and returns the output.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.measurement.has_begun() {
            self.begin(0)?;
        }
        self.output.flush()?;
        Ok(self.output)
    }

    fn begin(&mut self, first_ns: u64) -> io::Result<()> {
        let date_ns = self.measurement.begin(first_ns);
        let date = Date::from_unix_ns(date_ns);
        let (seconds, nanos) = (date.nanos / SECOND, date.nanos % SECOND);
        let rule = "-".repeat(79);
        let lines = [
            ";$FILEVERSION=2.1".to_owned(),
            format!(";$STARTTIME={}", start::days(date_ns)),
            ";$COLUMNS=N,O,T,B,I,d,R,L,D".to_owned(),
            ";".to_owned(),
            format!(
                ";   Start time: {:02}.{:02}.{} {:02}:{:02}:{:02}.{:03}.{:03}",
                date.day,
                date.month,
                date.year,
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60,
                nanos / 1_000_000,
                nanos / 1_000 % 1_000
            ),
            ";   Generated by waywarden".to_owned(),
            format!(";{rule}"),
            ";   Message   Time    Type    ID     Rx/Tx".to_owned(),
            ";   Number    Offset  |  Bus  [hex]  |  Reserved".to_owned(),
            ";   |         [ms]    |  |    |      |  |  Data Length Code".to_owned(),
            ";   |         |       |  |    |      |  |  |    Data [hex] ...".to_owned(),
            ";   |         |       |  |    |      |  |  |    |".to_owned(),
            ";---+-- ------+------ +- +- --+----- +- +- +--- +- -- -- -- -- -- -- --".to_owned(),
        ];
        lines
            .iter()
            .try_for_each(|line| write!(self.output, "{line}\r\n"))
    }
}

fn write_frame(
    line: &mut Vec<u8>,
    number: u16,
    direction: Option<Direction>,
    frame: &Frame,
) -> io::Result<()> {
    let kind = match frame.format() {
        Format::Classic => "DT",
        Format::Remote => "RR",
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => match (bit_rate_switch, error_state_indicator) {
            (false, false) => "FD",
            (true, false) => "FB",
            (false, true) => "FE",
            (true, true) => "BI",
        },
    };
    let id = match frame.id() {
        Id::Standard(id) => format!("{:04X}", id.raw()),
        Id::Extended(id) => format!("{:08X}", id.raw()),
    };
    let direction = match direction {
        Some(Direction::Tx) => "Tx",
        Some(Direction::Rx) | None => "Rx",
    };
    write!(
        line,
        "{kind} {number:<2} {id:>8} {direction} -  {:<4}",
        frame.dlc()
    )?;
    frame
        .data()
        .iter()
        .try_for_each(|byte| write!(line, " {byte:02X}"))
}
