//! A CAN interface of this machine, read as a log that comes while it is worked on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use waywarden_can::Frame;
use waywarden_can_linux::link::{Host as _, Link as _, Received};
use waywarden_can_linux::{Interface, OpenError, SocketLink, SystemHost};
use waywarden_can_log::{Channel, Channels, Direction, Entry, Record};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::{messages, signals};
use waywarden_work::Duration;

/// The longest time that a signal may go unnoticed.
const WATCH: Duration = Duration::from_millis(50);

/// Frames of one interface, until a signal.
pub(crate) struct Listener {
    host: SystemHost,
    links: [SocketLink; 1],
    name: String,
    channels: Channels,
    channel: Channel,
    ended: &'static AtomicBool,
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
            is_down: false,
        })
    }

    /// Returns the next frame with the time at which it was read; none once a signal came.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, Failure> {
        while !self.ended.load(Ordering::Relaxed) {
            let received = self.links[0].receive();
            match received.map_err(|error| failure(&error))? {
                Received::Frame(frame) => return Ok(Some(self.record(frame, Direction::Rx))),
                Received::Echo(frame) => return Ok(Some(self.record(frame, Direction::Tx))),
                Received::Down if !self.is_down => {
                    self.is_down = true;
                    let name = &self.name;
                    messages::warning(format_args!(
                        "{name} went down; waiting for `ip link set {name} up`"
                    ));
                }
                Received::Nothing | Received::Down => {
                    let waited = self.host.wait(&self.links, Some(WATCH));
                    waited.map_err(|error| Failure::file(&self.name, &error))?;
                }
                Received::State(_) | Received::Restarted | Received::Unreadable => {}
            }
        }
        Ok(None)
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

    fn record(&mut self, frame: Frame, direction: Direction) -> Record {
        self.is_down = false;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Record {
            at_ns: now.map_or(0, |now| now.as_nanos() as u64),
            channel: self.channel,
            entry: Entry::Frame {
                frame,
                direction: Some(direction),
            },
        }
    }
}

/// Names what the operating system says, too.
fn failure(error: &impl std::error::Error) -> Failure {
    match error.source() {
        Some(source) => Failure::new(format_args!("--interface {error}: {source}")),
        None => Failure::new(format_args!("--interface {error}")),
    }
}
