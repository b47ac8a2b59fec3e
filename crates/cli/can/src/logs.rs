//! Bus logs, out: one writer over the formats, and a sink that turns a trace into a log.

pub mod damage;
#[cfg(not(target_os = "linux"))]
pub(crate) mod elsewhere;
pub(crate) mod input;
#[cfg(target_os = "linux")]
pub(crate) mod interface;
pub(crate) mod live;
pub(crate) mod seconds;
pub(crate) mod source;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere as interface;

use std::io;
use std::path::Path;

use waywarden_can_log::{
    Channel, Channels, Direction, Entry, ErrorFrame, Record, asc, candump, pcapng,
};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{Event, Sink};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::Output;
use waywarden_command_line::messages;
use waywarden_vehicle_file::formatting::count;

/// The digits of times in candump text.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct TimeDigits {
    /// Keep nanoseconds of the log's times in candump text. can-utils (canplayer, log2asc) refuse
    /// or misread such a line, so times are cut to microseconds otherwise, and a note says so.
    #[arg(long)]
    nanoseconds: bool,
}

/// A log format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// candump's log form, which can-utils and python-can read.
    Candump,
    /// Vector ASC.
    Asc,
    /// pcapng with SocketCAN packets, which Wireshark opens.
    Pcapng,
}

/// A log being written to a file that appears when it is complete.
pub enum LogWriter {
    /// As candump writes it, and the way to keep digits that it cuts.
    Candump(candump::Writer<Output>, &'static str),
    /// As Vector tools write it.
    Asc(asc::Writer<Output>),
    /// As Wireshark reads it.
    Pcapng(pcapng::Writer<Output>),
}

impl LogFormat {
    /// Tells the format from a file name's ending: `.log`, `.asc`, `.pcapng`.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("log" | "candump") => Ok(LogFormat::Candump),
            Some("asc") => Ok(LogFormat::Asc),
            Some("pcapng") => Ok(LogFormat::Pcapng),
            _ => Err(Failure::new(format_args!(
                "{}: the ending tells no log format; use .log (candump), .asc or .pcapng",
                path.display()
            ))),
        }
    }
}

impl LogWriter {
    /// Begins a log; `digits` of a command that has the option.
    pub fn create(
        path: &Path,
        format: LogFormat,
        digits: Option<TimeDigits>,
    ) -> Result<Self, Failure> {
        let output = Output::create(path)?;
        Ok(match format {
            LogFormat::Candump => {
                let writer = candump::Writer::new(output);
                let (writer, remedy) = match digits {
                    Some(TimeDigits { nanoseconds: true }) => (writer, ""),
                    Some(_) => (writer.in_microseconds(), "--nanoseconds keeps them"),
                    None => (writer.in_microseconds(), ".asc and .pcapng keep them"),
                };
                LogWriter::Candump(writer, remedy)
            }
            LogFormat::Asc => LogWriter::Asc(asc::Writer::new(output)),
            LogFormat::Pcapng => LogWriter::Pcapng(pcapng::Writer::new(output)),
        })
    }

    /// Keeps the date from which the records count, where the format has one in its header.
    pub fn set_start(&mut self, date_ns: u64) {
        if let LogWriter::Asc(writer) = self {
            writer.set_start(date_ns);
        }
    }

    /// Adds a record.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        match self {
            LogWriter::Candump(writer, _) => writer.write(record, channels),
            LogWriter::Asc(writer) => writer.write(record, channels),
            LogWriter::Pcapng(writer) => writer.write(record, channels),
        }
    }

    /// Hands on what was written so far, for a reader that follows.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            LogWriter::Candump(writer, _) => writer.flush(),
            LogWriter::Asc(_) | LogWriter::Pcapng(_) => Ok(()),
        }
    }

    /// Puts the file in its place, and says whether times lost digits.
    pub fn finish(self) -> Result<(), Failure> {
        if let LogWriter::Candump(writer, remedy) = &self
            && writer.cut() > 0
        {
            messages::note(format_args!(
                "{} cut to microseconds, as can-utils need them; {remedy}",
                count(writer.cut(), "time stamp")
            ));
        }
        let output = match self {
            LogWriter::Candump(writer, _) => writer.finish(),
            LogWriter::Asc(writer) => writer.finish(),
            LogWriter::Pcapng(writer) => writer.finish(),
        };
        output.map_err(Failure::writing)?.finish()
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
        let writer = LogWriter::create(path, LogFormat::of(path)?, None)?;
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

    fn write(&mut self, at: Time, bus: usize, entry: Entry) {
        if self.fault.is_none() {
            let record = Record {
                at_ns: at.as_picos() / 1_000,
                channel: self.buses[bus],
                entry,
            };
            self.fault = self.writer.write(&record, &self.channels).err();
        }
    }
}

impl<R> Sink<R> for BusLog {
    fn record(&mut self, at: Time, event: &Event<'_, R>) {
        match *event {
            Event::Sent { bus, frame, .. } => {
                let direction = Some(Direction::Rx);
                self.write(
                    at,
                    bus.0,
                    Entry::Frame {
                        frame: *frame,
                        direction,
                    },
                );
            }
            Event::ErrorFlag { bus, .. } => {
                self.write(at, bus.0, Entry::ErrorFrame(ErrorFrame::BUS_ERROR));
            }
            _ => {}
        }
    }
}
