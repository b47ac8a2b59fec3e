//! The bounds of a server.

use std::time::Duration;

use super::rate::RateLimit;

/// The bounds of a server: sizes, times and numbers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest body of a request, in bytes. Requests of TS 102 941 have some 1,000.
    pub body_bytes: usize,
    /// The longest head of a request, in bytes; at least 8,192.
    pub head_bytes: usize,
    /// The most connections at once. Others wait until one ends.
    pub connections: usize,
    /// The most connections of one peer at once. Others are closed.
    pub connections_of_peer: usize,
    /// How often a peer may ask.
    pub rate: RateLimit,
    /// The most peers whose rate is known.
    pub peers: usize,
    /// The most requests of a kind that roles answer at once. Others wait.
    pub at_once: usize,
    /// How long the head of a request may take, and an idle connection stays open.
    pub head: Duration,
    /// How long the body of a request may take.
    pub body: Duration,
    /// How long a request waits for its turn and its answer.
    pub answer: Duration,
    /// How long a connection stays open.
    pub connection: Duration,
    /// How long requests under way have once the server is to end.
    pub shutdown: Duration,
}

impl Default for Limits {
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

impl Limits {
    /// The number of threads that run roles.
    pub(super) fn threads(&self) -> usize {
        KINDS * self.at_once.max(1)
    }
}
