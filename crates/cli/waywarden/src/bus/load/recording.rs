//! A log frame by frame: its channels, and the time from its first time stamp on.

use waywarden_can::Frame;
use waywarden_can_log::{Channels, Record};
use waywarden_work::Duration;

use crate::bus::log::Log;
use crate::logs::damage::Reading;
use crate::logs::interface::Listener;
use crate::logs::source::LogSource;
use waywarden_command_line::exit::Failure;

/// What a log says of its clock, and what was left out of it, once it has been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// From the first time stamp to the latest.
    pub(super) length: Duration,
    /// How many frames share their time stamp with the one before.
    pub(super) simultaneous: u64,
    /// How many frames are stamped earlier than the one before.
    pub(super) backwards: u64,
    /// How many events or objects are no frames on the bus.
    pub(super) skipped_events: u64,
    /// How many damaged lines or messages were skipped.
    pub(super) skipped_lines: u64,
}

/// The place that records come from.
enum Reader {
    Log(Log),
    Interface(Box<Listener>),
}

impl Reader {
    fn next(&mut self) -> Result<Option<Record>, Failure> {
        match self {
            Reader::Log(log) => log.next(),
            Reader::Interface(listener) => listener.next(),
        }
    }

    fn channels(&self) -> &Channels {
        match self {
            Reader::Log(log) => log.channels(),
            Reader::Interface(listener) => listener.channels(),
        }
    }
}

/// Reads a log, or only one of its channels, and hands each frame to `take`. Memory does not grow
/// with the log.
///
/// # Errors
/// For a log that cannot be read, without a frame, or whose frames all have one time stamp; and
/// what `take` returns.
pub(super) fn read(
    source: &LogSource,
    reading: Reading,
    only: Option<&str>,
    take: &mut dyn FnMut(&str, Duration, Frame) -> Result<(), Failure>,
) -> Result<Clock, Failure> {
    let path = source.path();
    let mut reader = match source.interface() {
        None => Reader::Log(Log::open(path, reading)?),
        Some(name) => Reader::Interface(Box::new(Listener::open(name)?)),
    };
    let mut clock = Clock::default();
    let (mut first, mut before, mut taken) = (None, 0, 0_u64);
    while let Some(record) = reader.next()? {
        let Some(frame) = record.entry.frame() else {
            continue;
        };
        match first {
            None => first = Some(record.at_ns),
            Some(first) => {
                let since = Duration::from_nanos(record.at_ns.saturating_sub(first));
                clock.backwards += u64::from(record.at_ns < before);
                clock.simultaneous += u64::from(since <= clock.length);
                clock.length = clock.length.max(since);
            }
        }
        before = record.at_ns;
        let channel = reader.channels().name(record.channel);
        if only.is_none_or(|wanted| wanted == channel) {
            taken += 1;
            take(channel, clock.length, *frame)?;
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
        _ if clock.length == Duration::ZERO => Err(Failure::new(format_args!(
            "{log}: all frames have one time stamp, so there is no time to share; a load needs a \
             log with later frames"
        ))),
        _ => Ok(clock),
    }
}
