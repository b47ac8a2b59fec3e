//! The bounds of a server.

use std::time::Duration;

use super::rate::RateLimit;

/// The bounds of a server: sizes, times and numbers.
#[derive(Clone, Copy, Debug)]
pub struct PkiServerLimits {
    /// The longest body of a request, in bytes. Requests of TS 102 941 have some 1,000.
    pub body_bytes: usize,
    /// The longest head of a request, in bytes; at least 8,192.
    pub head_bytes: usize,
    /// The most connections at once. Others wait until one ends.
    pub connections: usize,
    /// The most connections of one peer at once. Others are closed.
    pub connections_of_peer: usize,
    /// Rate limit of each peer.
    pub rate: RateLimit,
    /// Most peers whose rate is known.
    pub peers: usize,
    /// The most requests of a kind that roles answer at once. Others wait.
    pub at_once: usize,
    /// Longest time for the head of a request, and for an idle connection.
    pub head: Duration,
    /// Longest time for the body of a request.
    pub body: Duration,
    /// Longest time for a request's turn and its answer.
    pub answer: Duration,
    /// Longest time for a connection.
    pub connection: Duration,
    /// Longest time for requests under way at the end of the server.
    pub shutdown: Duration,
}

impl Default for PkiServerLimits {
    fn default() -> Self {
        Self {
            body_bytes: 16 << 10,
            head_bytes: 8 << 10,
            connections: 256,
            connections_of_peer: 32,
            rate: RateLimit {
                burst: 60,
                per_second: 20,
            },
            peers: 10_000,
            at_once: 4,
            head: Duration::from_secs(5),
            body: Duration::from_secs(10),
            answer: Duration::from_secs(20),
            connection: Duration::from_secs(120),
            shutdown: Duration::from_secs(10),
        }
    }
}

/// The kinds of requests that have threads of their own: three of roles, and documents.
pub(super) const KINDS: usize = 4;

impl PkiServerLimits {
    /// The number of threads that run roles.
    pub(super) fn threads(&self) -> usize {
        KINDS * self.at_once.max(1)
    }
}
