//! A CAN interface of this machine, read as a log that comes while it is worked on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use waywarden_can::Frame;
use waywarden_can_linux::link::{CanLink as _, Host as _, LinkEvent};
use waywarden_can_linux::{Interface, OpenError, SocketLink, SystemHost};
use waywarden_can_log::{Channel, Channels, Direction, LogEntry, Record};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::{messages, signals};
use waywarden_work::Duration;

use super::live::Polled;

/// The longest time that a signal may go unnoticed.
const WATCH: Duration = Duration::from_millis(50);

/// The most frames that may follow a signal: more than the kernel's queue holds, so that a bus that
/// is never silent ends all the same.
const LEFT_MAX: u32 = 1 << 14;

/// Frames of one interface, until a signal.
pub(crate) struct Listener {
    host: SystemHost,
    links: [SocketLink; 1],
    name: String,
    channels: Channels,
    channel: Channel,
    ended: &'static AtomicBool,
    left: u32,
    is_down: bool,
}

impl Listener {
    /// Opens an interface that is up; one that carries classic frames only is read as it is.
    pub(crate) fn open(name: &str) -> Result<Self, Failure> {
        let link = match SocketLink::open(&Interface::fd(name)) {
            Err(OpenError::ClassicMtu { .. }) => SocketLink::open(&Interface::classic(name)),
            other => other,
        };
        let link = link.map_err(|error| failure(&error))?;
        let mut channels = Channels::default();
        let channel = channels.intern(name.as_bytes());
        let channel =
            channel.map_err(|error| Failure::new(format_args!("--interface {name}: {error}")))?;
        Ok(Listener {
            host: SystemHost::new(),
            links: [link],
            name: name.to_owned(),
            channels,
            channel,
            ended: signals::end_input_first(),
            left: LEFT_MAX,
            is_down: false,
        })
    }

    /// Returns the next frame with the time at which it was read. After a signal come the frames
    /// that the kernel has received by then, so that the summary counts what was on the bus.
    pub(crate) fn poll(&mut self) -> Result<Polled, Failure> {
        let mut has_waited = false;
        loop {
            let has_ended = self.ended.load(Ordering::Relaxed);
            if has_ended && self.left == 0 {
                return Ok(Polled::End);
            }
            self.left -= u32::from(has_ended);
            let received = self.links[0].receive();
            match received.map_err(|error| failure(&error))? {
                LinkEvent::Frame(frame) => return Ok(self.record(frame, Direction::Rx)),
                LinkEvent::Echo(frame) => return Ok(self.record(frame, Direction::Tx)),
                LinkEvent::Down => self.say_down(),
                LinkEvent::Nothing if has_ended => return Ok(Polled::End),
                LinkEvent::Nothing if has_waited => return Ok(Polled::Silence),
                LinkEvent::Nothing => {
                    let waited = self.host.wait(&self.links, Some(WATCH));
                    waited.map_err(|error| Failure::file(&self.name, &error))?;
                    has_waited = true;
                }
                LinkEvent::State(_) | LinkEvent::Restarted | LinkEvent::Unreadable => {}
            }
        }
    }

    pub(crate) fn channels(&self) -> &Channels {
        &self.channels
    }

    /// Warns of frames that the kernel threw away because this process was too slow.
    pub(crate) fn finish(&mut self) {
        if let Ok(lost @ 1..) = self.links[0].lost() {
            let name = &self.name;
            messages::warning(format_args!(
                "{name}: {lost} frames came faster than they were read, and are missing"
            ));
        }
    }

    /// Warns once of an interface that goes down; frames come again once it is up.
    fn say_down(&mut self) {
        if !self.is_down {
            self.is_down = true;
            let name = &self.name;
            messages::warning(format_args!(
                "{name} went down; waiting for `ip link set {name} up`"
            ));
        }
    }

    /// Stamps a frame in microseconds, as candump does: canplayer refuses a log with more digits.
    fn record(&mut self, frame: Frame, direction: Direction) -> Polled {
        self.is_down = false;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Polled::Record(Record {
            at_ns: now.map_or(0, |now| now.as_micros() as u64 * 1_000),
            channel: self.channel,
            entry: LogEntry::Frame {
                frame,
                direction: Some(direction),
            },
        })
    }
}

/// Names what the operating system says, too.
fn failure(error: &impl std::error::Error) -> Failure {
    match error.source() {
        Some(source) => Failure::new(format_args!("--interface {error}: {source}")),
        None => Failure::new(format_args!("--interface {error}")),
    }
}
