//! A log frame by frame: its channels, and the time from its first time stamp on.

use std::time::{SystemTime, UNIX_EPOCH};

use waywarden_can::Frame;
use waywarden_can_log::Channels;
use waywarden_vehicle_report::bus_load::LogClock;
use waywarden_work::Duration;

use crate::bus::log::Log;
use crate::logs::damage::LogReadingOptions;
use crate::logs::interface::Listener;
use crate::logs::live::Polled;
use crate::logs::source::LogSource;
use waywarden_command_line::exit::Failure;

/// Facts on a log's clock, and counts of what was left out of it, once it has been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// Time, and its faults.
    pub log: LogClock,
    /// Number of events or objects that are no frames on the bus.
    pub skipped_events: u64,
    /// Number of damaged lines or messages that were skipped.
    pub skipped_lines: u64,
}

/// The place that records come from.
enum Reader {
    Log(Log),
    Interface(Box<Listener>),
}

/// Takes a log as it is read.
pub(super) trait Observer {
    /// Takes a frame of a channel. Times never go back.
    fn frame(&mut self, channel: &str, moment: Moment, frame: Frame) -> Result<(), Failure>;

    /// Learns what time it is while an interface is silent.
    fn silence(&mut self, now: Moment) -> Result<(), Failure>;
}

/// A time in a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The log's first time stamp.
    pub first_ns: u64,
    /// The time since then.
    pub since: Duration,
}

impl Reader {
    fn poll(&mut self) -> Result<Polled, Failure> {
        match self {
            Reader::Log(log) => Ok(log.next()?.map_or(Polled::End, Polled::Record)),
            Reader::Interface(listener) => listener.poll(),
        }
    }

    fn channels(&self) -> &Channels {
        match self {
            Reader::Log(log) => log.channels(),
            Reader::Interface(listener) => listener.channels(),
        }
    }
}

/// Reads a log, or only one of its channels, and hands each frame to `observer`. Memory does not
/// grow with the log.
///
/// # Errors
/// For a log that cannot be read, without a frame, or whose frames all have one time stamp; and
/// what `observer` returns.
pub(super) fn read(
    source: &LogSource,
    reading: LogReadingOptions,
    only: Option<&str>,
    observer: &mut dyn Observer,
) -> Result<Clock, Failure> {
    let path = source.path();
    let mut reader = match source.interface() {
        None => Reader::Log(Log::open_or_standard_input(path, reading)?),
        Some(name) => Reader::Interface(Box::new(Listener::open(name)?)),
    };
    let mut clock = Clock::default();
    let mut taken = 0_u64;
    loop {
        let record = match reader.poll()? {
            Polled::Record(record) => record,
            Polled::Silence => {
                if let Some(first_ns) = clock.log.first_ns() {
                    observer.silence(now(first_ns))?;
                }
                continue;
            }
            Polled::End => break,
        };
        let Some(frame) = record.entry.frame() else {
            continue;
        };
        let first_ns = clock.log.advance(record.at_ns);
        let channel = reader.channels().name(record.channel);
        if only.is_none_or(|wanted| wanted == channel) {
            taken += 1;
            let moment = Moment {
                first_ns,
                since: clock.log.length,
            };
            observer.frame(channel, moment, *frame)?;
        }
    }
    match &mut reader {
        Reader::Log(log) => {
            clock.skipped_events = log.skipped_events();
            clock.skipped_lines = log.skipped_lines();
        }
        Reader::Interface(listener) => listener.finish(),
    }
    let log = path.display();
    match only {
        Some(channel) if taken == 0 => Err(Failure::new(format_args!(
            "{log}: the log has no frame on channel {channel}"
        ))),
        None if taken == 0 => Err(Failure::new(format_args!("{log}: the log has no frame"))),
        _ if clock.log.length == Duration::ZERO => Err(Failure::new(format_args!(
            "{log}: all frames have one time stamp, so there is no time to share; a load needs a \
             log with later frames"
        ))),
        _ => Ok(clock),
    }
}

/// Reads the clock that stamps the frames of an interface.
fn now(first_ns: u64) -> Moment {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos() as u64);
    Moment {
        first_ns,
        since: Duration::from_nanos(now.saturating_sub(first_ns)),
    }
}
