//! Bus logs, out: one writer over the formats, and a sink that turns a trace into a log.

pub mod damage;
#[cfg(not(target_os = "linux"))]
pub(crate) mod elsewhere;
pub(crate) mod input;
#[cfg(target_os = "linux")]
pub(crate) mod interface;
pub(crate) mod live;
pub mod recorded;
pub(crate) mod seconds;
pub(crate) mod source;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere as interface;

use std::io;
use std::path::Path;

use waywarden_can_log::{
    Channel, Channels, Direction, ErrorFrame, LogEntry, Losses, Record, asc, blf, candump, mf4,
    pcapng, python_can_csv, trc,
};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{EventSink, TraceEvent};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::messages;
use waywarden_vehicle_file::formatting::count;

/// The digits of times in candump text.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct TimeDigits {
    /// Keep nanoseconds of the log's times in candump text. can-utils (canplayer, log2asc) refuse
    /// or misread such a line, so times are rounded to microseconds otherwise, and a note says so.
    #[arg(long)]
    nanoseconds: bool,
}

/// A log format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum WrittenLogFormat {
    /// candump's log form, which can-utils and python-can read.
    Candump,
    /// Vector ASC.
    Asc,
    /// Vector BLF.
    Blf,
    /// PEAK TRC, version 2.1.
    Trc,
    /// python-can's CSV, without channels, directions and marks of CAN FD.
    Csv,
    /// pcapng with SocketCAN packets, which Wireshark opens.
    Pcapng,
    /// ASAM MDF 4 bus log, which asammdf and python-can read.
    Mf4,
}

/// A log being written to a file that appears when it is complete.
pub struct LogWriter {
    form: Form,
    /// Added to each time where the format has no date of its own: its times are those since 1970.
    date_ns: u64,
}

/// The format that is written.
enum Form {
    /// As candump writes it, and the way to keep digits that it rounds.
    Candump(candump::Writer<OutputFile>, &'static str),
    /// As Vector tools write it.
    Asc(asc::Writer<OutputFile>),
    /// The same in binary.
    Blf(blf::Writer<OutputFile>),
    /// As PEAK's programs write it, and the way to keep digits that they do not have.
    Trc(trc::Writer<OutputFile>, &'static str),
    /// As python-can writes tables.
    Csv(python_can_csv::Writer<OutputFile>),
    /// As Wireshark reads it.
    Pcapng(pcapng::Writer<OutputFile>),
    /// As tools for measurements read it.
    Mf4(Box<mf4::Writer<OutputFile>>),
}

/// Returns the ending of a file's name in small letters, which some programs write large.
pub(crate) fn ending(path: &Path) -> Option<String> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.map(str::to_ascii_lowercase)
}

impl WrittenLogFormat {
    /// Tells the format from a file name's ending, such as `.log` or `.asc`.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        match ending(path).as_deref() {
            Some("log" | "candump") => Ok(WrittenLogFormat::Candump),
            Some("asc") => Ok(WrittenLogFormat::Asc),
            Some("blf") => Ok(WrittenLogFormat::Blf),
            Some("trc") => Ok(WrittenLogFormat::Trc),
            Some("csv") => Ok(WrittenLogFormat::Csv),
            Some("pcapng") => Ok(WrittenLogFormat::Pcapng),
            Some("mf4") => Ok(WrittenLogFormat::Mf4),
            _ => Err(Failure::new(format_args!(
                "{}: the ending tells no log format; use .log (candump), .asc, .blf, .trc, .csv, \
                 .pcapng or .mf4",
                path.display()
            ))),
        }
    }
}

impl LogWriter {
    /// Begins a log; `digits` of a command that has the option.
    pub fn create(
        path: &Path,
        format: WrittenLogFormat,
        digits: Option<TimeDigits>,
    ) -> Result<Self, Failure> {
        let output = OutputFile::create(path)?;
        let form = match format {
            WrittenLogFormat::Candump => {
                let writer = candump::Writer::new(output);
                let (writer, remedy) = match digits {
                    Some(TimeDigits { nanoseconds: true }) => (writer, ""),
                    Some(_) => (writer.in_microseconds(), "--nanoseconds keeps them"),
                    None => (writer.in_microseconds(), ".asc, .pcapng and .mf4 keep them"),
                };
                Form::Candump(writer, remedy)
            }
            WrittenLogFormat::Asc => Form::Asc(asc::Writer::new(output)),
            WrittenLogFormat::Blf => Form::Blf(blf::Writer::new(output)),
            WrittenLogFormat::Trc => {
                let writer = trc::Writer::new(output);
                match digits {
                    Some(TimeDigits { nanoseconds: true }) => Form::Trc(writer, ""),
                    Some(_) => Form::Trc(writer.in_microseconds(), "--nanoseconds keeps them"),
                    None => Form::Trc(writer.in_microseconds(), ".asc and .blf keep them"),
                }
            }
            WrittenLogFormat::Csv => Form::Csv(python_can_csv::Writer::new(output)),
            WrittenLogFormat::Pcapng => Form::Pcapng(pcapng::Writer::new(output)),
            WrittenLogFormat::Mf4 if output.is_whole() => {
                Form::Mf4(Box::new(mf4::Writer::new(output)))
            }
            WrittenLogFormat::Mf4 => {
                return Err(Failure::new(format_args!(
                    "{}: an MF4 log is written to a file, not to a pipe: its beginning is \
                     completed at its end",
                    path.display()
                )));
            }
        };
        Ok(LogWriter { form, date_ns: 0 })
    }

    /// Keeps the date from which the records count: in the header of a format that has one there,
    /// else in each time.
    pub fn set_start(&mut self, date_ns: u64) {
        match &mut self.form {
            Form::Asc(writer) => writer.set_start(date_ns),
            Form::Blf(writer) => writer.set_start(date_ns),
            Form::Trc(writer, _) => writer.set_start(date_ns),
            Form::Mf4(writer) => writer.set_start(date_ns),
            Form::Candump(..) | Form::Csv(_) | Form::Pcapng(_) => self.date_ns = date_ns,
        }
    }

    /// Adds a record.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        let record = &dated(record, self.date_ns)?;
        match &mut self.form {
            Form::Candump(writer, _) => writer.write(record, channels),
            Form::Asc(writer) => writer.write(record, channels),
            Form::Blf(writer) => writer.write(record, channels),
            Form::Trc(writer, _) => writer.write(record, channels),
            Form::Csv(writer) => writer.write(record, channels),
            Form::Pcapng(writer) => writer.write(record, channels),
            Form::Mf4(writer) => writer.write(record, channels),
        }
    }

    /// Hands on what was written so far, for a reader that follows.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.form {
            Form::Candump(writer, _) => writer.flush(),
            _ => Ok(()),
        }
    }

    /// Puts the file in its place, and says what it does not carry.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let (losses, remedy) = self.losses();
        let programs = match &self.form {
            Form::Candump(..) => "can-utils",
            _ => "PEAK's programs",
        };
        say(losses, programs, remedy);
        let output = match self.form {
            Form::Candump(writer, _) => writer.finish(),
            Form::Asc(writer) => writer.finish(),
            Form::Blf(writer) => writer.finish().and_then(|mut finished| {
                // Standard output keeps the header without sizes, which readers can do without.
                finished.output.replace_start(&finished.header)?;
                Ok(finished.output)
            }),
            Form::Trc(writer, _) => writer.finish(),
            Form::Csv(writer) => writer.finish(),
            Form::Pcapng(writer) => writer.finish(),
            Form::Mf4(writer) => writer.finish(),
        };
        output.map_err(Failure::writing)?.finish()
    }

    /// Returns how much of what the format does not carry, and how to keep digits of times.
    fn losses(&self) -> (Losses, &'static str) {
        match &self.form {
            Form::Candump(writer, remedy) => {
                let time_digits = writer.rounded();
                let losses = Losses {
                    time_digits,
                    ..Losses::default()
                };
                (losses, remedy)
            }
            Form::Trc(writer, remedy) => (writer.losses(), remedy),
            Form::Asc(writer) => (writer.losses(), ""),
            Form::Blf(writer) => (writer.losses(), ""),
            Form::Csv(writer) => (writer.losses(), ""),
            Form::Mf4(writer) => (writer.losses(), ""),
            Form::Pcapng(_) => (Losses::default(), ""),
        }
    }
}

/// Returns a record whose time counts from 1970 where the log has a date.
pub(crate) fn dated(record: &Record, date_ns: u64) -> io::Result<Record> {
    let at_ns = record.at_ns.checked_add(date_ns).ok_or_else(|| {
        let why = "the date of the log and the time of a record are beyond the year 2554";
        io::Error::new(io::ErrorKind::InvalidInput, why)
    })?;
    Ok(Record { at_ns, ..*record })
}

/// Says what a log does not carry.
fn say(losses: Losses, programs: &str, remedy: &str) {
    let rounded = losses.time_digits;
    if rounded > 0 {
        messages::note(format_args!(
            "{} rounded to microseconds, as {programs} need them; {remedy}",
            count(rounded, "time stamp")
        ));
    }
    let rest = Losses {
        time_digits: 0,
        ..losses
    };
    let lost: Vec<_> = rest
        .by_name()
        .into_iter()
        .filter(|(_, records)| *records > 0)
        .map(|(name, records)| format!("{name} of {}", count(records, "record")))
        .collect();
    if !lost.is_empty() {
        let lost = lost.join(", ");
        messages::note(format_args!(
            "the format has no place for: {lost}; pcapng keeps everything"
        ));
    }
}

/// Writes what a logger on every bus would have seen: frames when they are over, and error frames.
pub struct BusLog {
    writer: LogWriter,
    channels: Channels,
    buses: Vec<Channel>,
    fault: Option<io::Error>,
}

impl BusLog {
    /// Begins a log of these buses.
    pub fn create(path: &Path, buses: &[String]) -> Result<Self, Failure> {
        let writer = LogWriter::create(path, WrittenLogFormat::of(path)?, None)?;
        let mut channels = Channels::default();
        let buses = buses
            .iter()
            .map(|bus| channels.intern(bus.as_bytes()))
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::new(format_args!("{}: {error}", path.display())))?;
        Ok(BusLog {
            writer,
            channels,
            buses,
            fault: None,
        })
    }

    /// Puts the log in its place.
    pub fn finish(self) -> Result<(), Failure> {
        match self.fault {
            Some(error) => Err(Failure::writing(error)),
            None => self.writer.finish(),
        }
    }

    fn write(&mut self, at: Time, bus: usize, entry: LogEntry) {
        if self.fault.is_none() {
            let record = Record {
                at_ns: at.as_picos().saturating_add(500) / 1_000,
                channel: self.buses[bus],
                entry,
            };
            self.fault = self.writer.write(&record, &self.channels).err();
        }
    }
}

impl<R> EventSink<R> for BusLog {
    fn record(&mut self, at: Time, event: &TraceEvent<'_, R>) {
        match *event {
            TraceEvent::Sent { bus, frame, .. } => {
                let direction = Some(Direction::Rx);
                self.write(
                    at,
                    bus.0,
                    LogEntry::Frame {
                        frame: *frame,
                        direction,
                    },
                );
            }
            TraceEvent::ErrorFlag { bus, .. } => {
                self.write(at, bus.0, LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR));
            }
            _ => {}
        }
    }
}
