//! A connection to gpsd, closed when the peer does not behave like gpsd.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::GpsdSettings;
use super::lines::{LINE_BYTES_MAX, Lines};
use super::report::{Report, parse};
use crate::ReceiverFix;

/// Maximum number of addresses of a name that are tried.
const ADDRESSES_MAX: usize = 4;

/// Time limit for connecting to one address, and for sending a request.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Time limit of one call that waits for bytes.
const RECEIVE_TIMEOUT: Duration = Duration::from_millis(200);

/// Maximum number of lines in a row that are not gpsd's.
const GARBAGE_LINES_MAX: u32 = 16;

/// Maximum number of lines in a second: a receiver with 20 fixes a second needs 100.
const LINES_PER_SECOND_MAX: u32 = 2_000;

/// Reason why a connection is closed.
#[derive(Debug)]
pub(super) enum ConnectionError {
    Resolve(io::Error),
    NoAddress,
    Connect(io::Error),
    Transfer(io::Error),
    Closed,
    Silent(Duration),
    LineTooLong,
    Garbage,
    TooManyLines,
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolve(error) => write!(f, "the host's name does not resolve: {error}"),
            Self::NoAddress => f.write_str("the host's name has no address"),
            Self::Connect(error) => write!(f, "cannot connect: {error}; is gpsd running there?"),
            Self::Transfer(error) => write!(f, "the connection broke: {error}"),
            Self::Closed => f.write_str("gpsd closed the connection"),
            Self::Silent(span) => write!(f, "nothing was heard for {} s", span.as_secs()),
            Self::LineTooLong => write!(f, "a line is longer than {LINE_BYTES_MAX} bytes"),
            Self::Garbage => f.write_str("what it sends is not gpsd's JSON; check host and port"),
            Self::TooManyLines => {
                write!(
                    f,
                    "it sends more than {LINES_PER_SECOND_MAX} lines a second"
                )
            }
        }
    }
}

/// A connection on which gpsd was asked for reports.
pub(super) struct Connection {
    stream: TcpStream,
    device: Option<String>,
    max_silence: Duration,
    lines: Lines,
    buffer: Box<[u8]>,
    garbage: u32,
    /// Number of lines that could not be read; `reported` is this number when it was last reported.
    skipped: u64,
    reported: u64,
    /// Time of the last report; `has_asked` is true if gpsd was asked for one since.
    heard: Option<Duration>,
    has_asked: bool,
    /// Second in which lines are counted; `in_second` is their number.
    second: Duration,
    in_second: u32,
}

/// Connects, and asks for reports.
pub(super) fn connect(settings: &GpsdSettings) -> Result<Connection, ConnectionError> {
    let addresses = (settings.host.as_str(), settings.port).to_socket_addrs();
    let mut last = ConnectionError::NoAddress;
    for address in addresses
        .map_err(ConnectionError::Resolve)?
        .take(ADDRESSES_MAX)
    {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Connection::new(stream, settings),
            Err(error) => last = ConnectionError::Connect(error),
        }
    }
    Err(last)
}

impl Connection {
    fn new(stream: TcpStream, settings: &GpsdSettings) -> Result<Self, ConnectionError> {
        let set_up = || {
            stream.set_read_timeout(Some(RECEIVE_TIMEOUT))?;
            stream.set_write_timeout(Some(CONNECT_TIMEOUT))?;
            stream.set_nodelay(true)?;
            (&stream).write_all(b"?WATCH={\"enable\":true,\"json\":true};\n")
        };
        set_up().map_err(ConnectionError::Transfer)?;
        Ok(Self {
            stream,
            device: settings.device.clone(),
            max_silence: settings.max_silence,
            lines: Lines::default(),
            // Room for seconds of reports: what waited is read at once, see `take`.
            buffer: vec![0; 64 * 1024].into_boxed_slice(),
            garbage: 0,
            skipped: 0,
            reported: 0,
            heard: None,
            has_asked: false,
            second: Duration::ZERO,
            in_second: 0,
        })
    }

    /// Returns the number of lines that could not be read, if it has a digit more than when it was
    /// last returned: a log does not grow with what is sent.
    pub(super) fn skipped(&mut self) -> Option<u64> {
        let is_news = self.skipped.checked_ilog10() > self.reported.checked_ilog10();
        is_news.then(|| {
            self.reported = self.skipped;
            self.skipped
        })
    }

    /// Waits for bytes for at most 200 ms, and returns the newest fix in them. `now` is the
    /// monotonic clock before the call.
    pub(super) fn receive(
        &mut self,
        now: Duration,
    ) -> Result<Option<ReceiverFix>, ConnectionError> {
        self.check_silence(now)?;
        match self.stream.read(&mut self.buffer) {
            Ok(0) => Err(ConnectionError::Closed),
            Ok(length) => self.take(length, now),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(None),
                _ => Err(ConnectionError::Transfer(error)),
            },
        }
    }

    /// After half of the allowed silence, asks gpsd for its version: without a receiver it sends
    /// nothing else.
    fn check_silence(&mut self, now: Duration) -> Result<(), ConnectionError> {
        let silence = now.saturating_sub(*self.heard.get_or_insert(now));
        if silence > self.max_silence {
            return Err(ConnectionError::Silent(self.max_silence));
        }
        if silence > self.max_silence / 2 && !self.has_asked {
            self.has_asked = true;
            let sent = self.stream.write_all(b"?VERSION;\n");
            sent.map_err(ConnectionError::Transfer)?;
        }
        Ok(())
    }

    /// Takes bytes. Of several fixes that waited together only the newest has arrived just now; the
    /// others would look late, like a jump of the time.
    fn take(
        &mut self,
        length: usize,
        now: Duration,
    ) -> Result<Option<ReceiverFix>, ConnectionError> {
        let bytes = self.buffer.get(..length).unwrap_or_default();
        let (mut newest, mut garbage, mut count) = (None, self.garbage, 0_u32);
        let (mut is_garbage, mut skipped) = (false, 0);
        let mut has_heard = false;
        let device = self.device.as_deref();
        let taken = self.lines.push(bytes, |line| {
            count = count.saturating_add(1);
            match parse(line, device) {
                Some(report) => {
                    (garbage, has_heard) = (0, true);
                    if let Report::Fix(fix) = report {
                        newest = Some(fix);
                    }
                }
                None => (garbage, skipped) = (garbage.saturating_add(1), skipped + 1),
            }
            is_garbage |= garbage > GARBAGE_LINES_MAX;
        });
        self.garbage = garbage;
        self.skipped += skipped;
        taken.map_err(|_| ConnectionError::LineTooLong)?;
        if is_garbage {
            return Err(ConnectionError::Garbage);
        }
        if has_heard {
            (self.heard, self.has_asked) = (Some(now), false);
        }
        if now.saturating_sub(self.second) > Duration::from_secs(1) {
            (self.second, self.in_second) = (now, 0);
        }
        self.in_second = self.in_second.saturating_add(count);
        match self.in_second > LINES_PER_SECOND_MAX {
            true => Err(ConnectionError::TooManyLines),
            false => Ok(newest),
        }
    }
}
