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
    Channel, Channels, Direction, ErrorFrame, LogEntry, Losses, Record, WrittenFormat,
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
    writer: waywarden_can_log::LogWriter<OutputFile>,
    /// The way to keep digits of times that the format rounds.
    remedy: &'static str,
}

/// Returns the ending of a file's name in small letters, which some programs write large.
pub(crate) fn ending(path: &Path) -> Option<String> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.map(str::to_ascii_lowercase)
}

impl WrittenLogFormat {
    /// Tells the format from a file name's ending, such as `.log` or `.asc`.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        let format = ending(path).and_then(|ending| WrittenFormat::of_ending(&ending));
        format.map(WrittenLogFormat::from).ok_or_else(|| {
            Failure::new(format_args!(
                "{}: the ending tells no log format; use .log (candump), .asc, .blf, .trc, .csv, \
                 .pcapng or .mf4",
                path.display()
            ))
        })
    }

    /// Returns the format without its place on the command line.
    pub const fn format(self) -> WrittenFormat {
        match self {
            WrittenLogFormat::Candump => WrittenFormat::Candump,
            WrittenLogFormat::Asc => WrittenFormat::Asc,
            WrittenLogFormat::Blf => WrittenFormat::Blf,
            WrittenLogFormat::Trc => WrittenFormat::Trc,
            WrittenLogFormat::Csv => WrittenFormat::Csv,
            WrittenLogFormat::Pcapng => WrittenFormat::Pcapng,
            WrittenLogFormat::Mf4 => WrittenFormat::Mf4,
        }
    }
}

impl From<WrittenFormat> for WrittenLogFormat {
    fn from(format: WrittenFormat) -> Self {
        match format {
            WrittenFormat::Candump => WrittenLogFormat::Candump,
            WrittenFormat::Asc => WrittenLogFormat::Asc,
            WrittenFormat::Blf => WrittenLogFormat::Blf,
            WrittenFormat::Trc => WrittenLogFormat::Trc,
            WrittenFormat::Csv => WrittenLogFormat::Csv,
            WrittenFormat::Pcapng => WrittenLogFormat::Pcapng,
            WrittenFormat::Mf4 => WrittenLogFormat::Mf4,
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
        if format == WrittenLogFormat::Mf4 && !output.is_whole() {
            return Err(Failure::new(format_args!(
                "{}: an MF4 log is written to a file, not to a pipe: its beginning is completed at \
                 its end",
                path.display()
            )));
        }
        let in_nanoseconds = digits.is_some_and(|digits| digits.nanoseconds);
        let remedy = match (digits, format) {
            (Some(_), _) => "--nanoseconds keeps them",
            (None, WrittenLogFormat::Candump) => ".asc, .pcapng and .mf4 keep them",
            (None, _) => ".asc and .blf keep them",
        };
        let format = format.format();
        Ok(LogWriter {
            writer: waywarden_can_log::LogWriter::new(output, format, in_nanoseconds),
            remedy,
        })
    }

    /// Keeps the date from which the records count: in the header of a format that has one there,
    /// else in each time.
    pub fn set_start(&mut self, date_ns: u64) {
        self.writer.set_start(date_ns);
    }

    /// Adds a record.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        self.writer.write(record, channels)
    }

    /// Hands on what was written so far, for a reader that follows.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Puts the file in its place, and says what it does not carry.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let programs = match self.writer.format() {
            WrittenFormat::Candump => "can-utils",
            _ => "PEAK's programs",
        };
        say(self.writer.losses(), programs, self.remedy);
        let mut written = self.writer.finish().map_err(Failure::writing)?;
        if let Some(start) = &written.start {
            // Standard output keeps the header without sizes, which readers can do without.
            let replaced = written.output.replace_start(start);
            replaced.map_err(Failure::writing)?;
        }
        written.output.finish()
    }
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
        if let Some((bus, entry)) = logged(event) {
            self.write(at, bus, entry);
        }
    }
}

/// Returns the bus and the log entry of an event that a logger on the bus sees: a sent frame, seen
/// as received, or an error flag.
pub fn logged<R>(event: &TraceEvent<'_, R>) -> Option<(usize, LogEntry)> {
    match *event {
        TraceEvent::Sent { bus, frame, .. } => {
            let direction = Some(Direction::Rx);
            let frame = *frame;
            Some((bus.0, LogEntry::Frame { frame, direction }))
        }
        TraceEvent::ErrorFlag { bus, .. } => {
            Some((bus.0, LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR)))
        }
        _ => None,
    }
}
