//! The bounds of the server: each queue, size and time has one.

use std::fmt;
use std::time::Duration;

use waywarden_v2x_service_protocol::FRAME_BYTES_MAX;

/// The bounds of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceLimits {
    /// Most stream connections at once: 1 to 65,536. One more is refused.
    pub connections: usize,
    /// Most of these of one user, and most over TCP, where no user is known: 1 to 65,536. A number
    /// that is not less than `connections` bounds nothing.
    pub connections_of_user: usize,
    /// Most of these of clients without a grant, so that they cannot keep out those with one: 1 to
    /// 65,536, likewise. A client over TCP has a grant once it has shown its token.
    pub connections_ungranted: usize,
    /// Most requests of a connection under way: 1 to 65,536. At this limit the server reads no
    /// further, and the client's socket fills.
    pub requests_of_connection: usize,
    /// Most bytes of the requests of a connection under way, where each message counts for 1 KiB
    /// more: from [`FRAME_BYTES_MAX`] to 1 GiB. The bytes that wait to be sent to a client grow
    /// with it.
    pub request_bytes_of_connection: usize,
    /// Most bytes of those of all connections together, with their answers: 16 MiB to 4 GiB. A
    /// quarter of it is for frames of more than 32 KiB while they are read, 1 MiB for each. A
    /// connection that finds no room waits, except that each may have 32 KiB beside it. A quarter
    /// of the room is for clients with a grant.
    pub request_bytes: usize,
    /// Most requests by datagram under way: 1 to 65,536. At this limit the server reads no further
    /// datagrams.
    pub datagrams: usize,
    /// Most of these of one user: 1 to 65,536. One more is refused with
    /// [`Status::Overloaded`](waywarden_v2x_service_protocol::Status), so that a user cannot take
    /// all. A number that is not less than `datagrams` bounds nothing.
    pub datagrams_of_user: usize,
    /// Longest time for a client to read a batch of responses: 1 ms to 1 h. Then its connection is
    /// closed.
    pub write_timeout: Duration,
    /// Longest time from the first byte of a client's frame to the last: 1 ms to 1 h. Then its
    /// connection is closed.
    pub frame_timeout: Duration,
    /// Longest time for a connection with nothing under way, from 1 ms; `None` for no limit.
    pub idle_timeout: Option<Duration>,
    /// Number of wrong tokens after which a connection is closed: 1 to 100.
    pub wrong_tokens: usize,
    /// Delay of the answer to a wrong token: at most 1 min.
    pub wrong_token_delay: Duration,
    /// Longest wait for requests under way when the service ends: at most 1 h.
    pub shutdown: Duration,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self {
            connections: 1024,
            connections_of_user: 512,
            connections_ungranted: 896,
            requests_of_connection: 256,
            request_bytes_of_connection: 4 * FRAME_BYTES_MAX,
            request_bytes: 64 << 20,
            datagrams: 256,
            datagrams_of_user: 128,
            write_timeout: Duration::from_secs(10),
            frame_timeout: Duration::from_secs(10),
            idle_timeout: None,
            wrong_tokens: 5,
            wrong_token_delay: Duration::from_millis(500),
            shutdown: Duration::from_secs(5),
        }
    }
}

/// A limit that is out of its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitError {
    /// The limit's name, as in [`ServiceLimits`].
    pub limit: &'static str,
    /// Its range in words.
    pub range: String,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: it may be {}", self.limit, self.range)
    }
}

impl std::error::Error for LimitError {}

/// The most connections, requests or datagrams that may be configured.
const COUNT_MAX: usize = 1 << 16;
const REQUEST_BYTES_MAX: usize = 1 << 30;
/// Least number of bytes for all connections: a few of the longest frames.
const ALL_REQUEST_BYTES_MIN: usize = 16 << 20;
const ALL_REQUEST_BYTES_MAX: usize = 4 << 30;
const MILLISECOND: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

impl ServiceLimits {
    /// Checks the range of each limit.
    ///
    /// # Errors
    /// The first that is out of range.
    pub fn check(&self) -> Result<(), LimitError> {
        count("connections", self.connections, 1, COUNT_MAX)?;
        let of_user = self.connections_of_user;
        count("connections_of_user", of_user, 1, COUNT_MAX)?;
        let ungranted = self.connections_ungranted;
        count("connections_ungranted", ungranted, 1, COUNT_MAX)?;
        let requests = self.requests_of_connection;
        count("requests_of_connection", requests, 1, COUNT_MAX)?;
        count(
            "request_bytes_of_connection",
            self.request_bytes_of_connection,
            FRAME_BYTES_MAX,
            REQUEST_BYTES_MAX,
        )?;
        count(
            "request_bytes",
            self.request_bytes,
            ALL_REQUEST_BYTES_MIN,
            ALL_REQUEST_BYTES_MAX,
        )?;
        count("datagrams", self.datagrams, 1, COUNT_MAX)?;
        let of_user = self.datagrams_of_user;
        count("datagrams_of_user", of_user, 1, COUNT_MAX)?;
        time("write_timeout", self.write_timeout, MILLISECOND, HOUR)?;
        time("frame_timeout", self.frame_timeout, MILLISECOND, HOUR)?;
        if let Some(idle) = self.idle_timeout {
            time("idle_timeout", idle, MILLISECOND, Duration::MAX)?;
        }
        count("wrong_tokens", self.wrong_tokens, 1, 100)?;
        let delay = self.wrong_token_delay;
        time("wrong_token_delay", delay, Duration::ZERO, MINUTE)?;
        time("shutdown", self.shutdown, Duration::ZERO, HOUR)
    }
}

fn count(limit: &'static str, value: usize, least: usize, most: usize) -> Result<(), LimitError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let range = format!("{least} to {most}, and is {value}");
    Err(LimitError { limit, range })
}

fn time(
    limit: &'static str,
    value: Duration,
    least: Duration,
    most: Duration,
) -> Result<(), LimitError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let range = format!("{least:?} to {most:?}, and is {value:?}");
    Err(LimitError { limit, range })
}
