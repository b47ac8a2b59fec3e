//! ASC logs, written: base hex, times absolute from the start of the measurement.

use std::io::{self, Write};

use waywarden_can::{Format, Frame, Id};

use super::date::{MONTHS, WEEKDAYS};
use super::flag;
use crate::losses::Losses;
use crate::measurement::Measurement;
use crate::numbered;
use crate::record::{Channels, Direction, LogEntry, Record};
use crate::text::{Date, to_millisecond};

const SECOND: u64 = 1_000_000_000;

/// Writes an ASC log. Its measurement starts at the whole second of the first record, or at the
/// date that [`Writer::set_start`] gives.
///
/// The format does not carry everything: a frame without direction becomes a received one, an
/// error frame loses its details. Channel `can0` becomes 1, `can1` 2 and so on; names that do not
/// end on a free number get the next free one. A comment tells each name.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    line: Vec<u8>,
    measurement: Measurement,
}

impl<W: Write> Writer<W> {
    /// Makes a writer; nothing is written yet.
    pub fn new(output: W) -> Self {
        Writer {
            output,
            line: Vec::with_capacity(512),
            measurement: Measurement::default(),
        }
    }

    /// Sets the start of the measurement for records that count from it, as those of ASC and BLF
    /// logs do: nanoseconds since the Unix epoch, of which the header has milliseconds. Nothing
    /// changes once a record is written.
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
        let head = self.measurement.head(record, channels, "ASC")?;
        let (at_ns, number) = (head.at_ns, head.number);
        self.line.clear();
        if let Some(name) = head.new_name {
            writeln!(self.line, "// {}", numbered::note(number, name))?;
        }
        let (seconds, nanos) = (at_ns / SECOND, at_ns % SECOND);
        match nanos % 1000 {
            0 => write!(self.line, "{seconds:>4}.{:06} ", nanos / 1000)?,
            _ => write!(self.line, "{seconds:>4}.{nanos:09} ")?,
        }
        match record.entry {
            LogEntry::Frame { frame, direction } => {
                let direction = match direction {
                    Some(Direction::Tx) => "Tx",
                    Some(Direction::Rx) | None => "Rx",
                };
                write_frame(&mut self.line, number, direction, &frame)?;
            }
            LogEntry::ErrorFrame(_) => write!(self.line, "{number}  ErrorFrame")?,
        }
        self.line.push(b'\n');
        self.output.write_all(&self.line)
    }

    /// Writes the end mark (and the header, if no record was), flushes and returns the output.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.begin(0)?;
        self.output.write_all(b"End TriggerBlock\n")?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// Writes the header, unless it is written.
    fn begin(&mut self, first_ns: u64) -> io::Result<()> {
        let Some(date_ns) = self.measurement.begin(first_ns, 0) else {
            return Ok(());
        };
        let date_ns = to_millisecond(date_ns);
        let date = Date::from_unix_ns(date_ns);
        let (seconds, millis) = (date.nanos / SECOND, date.nanos % SECOND / 1_000_000);
        let stamp = format!(
            "{} {} {:02} {:02}:{:02}:{:02}.{millis:03} {}",
            WEEKDAYS[Date::weekday(date_ns)],
            MONTHS[usize::from(date.month - 1)],
            date.day,
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            date.year
        );
        write!(
            self.output,
            "date {stamp}\nbase hex  timestamps absolute\ninternal events logged\n\
             Begin Triggerblock {stamp}\n   0.000000 Start of measurement\n"
        )
    }
}

fn write_frame(line: &mut Vec<u8>, number: u16, direction: &str, frame: &Frame) -> io::Result<()> {
    let id = match frame.id() {
        Id::Standard(id) => format!("{:X}", id.raw()),
        Id::Extended(id) => format!("{:X}x", id.raw()),
    };
    let dlc = frame.dlc();
    let Format::Fd {
        bit_rate_switch,
        error_state_indicator,
    } = frame.format()
    else {
        let kind = match frame.format() {
            Format::Remote => 'r',
            _ => 'd',
        };
        write!(line, "{number}  {id:<15} {direction:<4} {kind} {dlc:x}")?;
        return write_data(line, frame);
    };
    write!(
        line,
        "CANFD {number:>3} {direction:<4} {id:>8}  {:>32} {} {} {dlc:x} {:>2}",
        "",
        u8::from(bit_rate_switch),
        u8::from(error_state_indicator),
        frame.data_len()
    )?;
    write_data(line, frame)?;
    let set = |on, bit| if on { bit } else { 0 };
    let flags = flag::FD
        | set(bit_rate_switch, flag::BIT_RATE_SWITCH)
        | set(error_state_indicator, flag::ERROR_STATE_INDICATOR);
    // Duration, bit count, CRC and the four bit timing words are unknown here: zero.
    write!(line, " {:>8} {:>4} {flags:>8X}", 0, 0)?;
    (0..5).try_for_each(|_| write!(line, " {:>8}", 0))
}

fn write_data(line: &mut Vec<u8>, frame: &Frame) -> io::Result<()> {
    frame
        .data()
        .iter()
        .try_for_each(|byte| write!(line, " {byte:02X}"))
}
