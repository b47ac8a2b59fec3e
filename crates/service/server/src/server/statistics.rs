//! Statistics of the server.

mod families;

use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use families::Counts;

use super::log_limit::LogLimits;
use waywarden_v2x_service_protocol::{OperationKind, RefusedRequest, Response, Status};

/// A number that goes up, and down again where its owner says so.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Returns the number.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, number: u64) {
        self.0.fetch_add(number, Ordering::Relaxed);
    }

    pub(super) fn increment(&self) {
        self.add(1);
    }

    pub(super) fn decrement(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Statistics of the server since it began. Reading it takes no lock.
#[derive(Debug)]
pub struct ServerStatistics {
    /// The stream connections that are open.
    pub connections_open: Counter,
    /// The stream connections that were accepted.
    pub connections_accepted: Counter,
    /// The connections above [`ServiceLimits::connections`](super::ServiceLimits).
    pub connections_refused: Counter,
    /// The connections closed because the client did not read its responses in time.
    pub write_timeouts: Counter,
    /// The connections closed because the client did not finish a frame in time.
    pub frame_timeouts: Counter,
    /// The connections closed because nothing was under way for too long.
    pub idle_timeouts: Counter,
    /// The connections closed because a frame had a wrong length.
    pub wrong_lengths: Counter,
    /// The tokens that no rule has.
    pub wrong_tokens: Counter,
    /// The datagrams that came.
    pub datagrams: Counter,
    /// The datagrams without a bound sender, which get no answer and are not worked on.
    pub datagrams_unnamed: Counter,
    /// The answers to datagrams that could not be delivered at once.
    pub datagram_answers_dropped: Counter,
    /// The answers whose connection had gone.
    pub answers_without_client: Counter,
    /// The events that were sent to subscribers.
    pub events_sent: Counter,
    /// The events that subscribers lost because they read too slowly.
    pub events_lost: Counter,
    /// Limits on the log lines that clients cause.
    pub(super) logged: LogLimits,
    requests: Vec<Counter>,
    answers: Vec<Counter>,
    refused: Vec<Counter>,
    http_refused: [Counter; HTTP_CODES.len()],
}

/// The codes with which HTTP requests are refused before the engine, and their names in metrics.
const HTTP_CODES: [(u16, &str); 6] = [
    (400, "400"),
    (401, "401"),
    (404, "404"),
    (405, "405"),
    (408, "408"),
    (413, "413"),
];

impl Default for ServerStatistics {
    fn default() -> Self {
        Self {
            connections_open: Counter::default(),
            connections_accepted: Counter::default(),
            connections_refused: Counter::default(),
            write_timeouts: Counter::default(),
            frame_timeouts: Counter::default(),
            idle_timeouts: Counter::default(),
            wrong_lengths: Counter::default(),
            wrong_tokens: Counter::default(),
            datagrams: Counter::default(),
            datagrams_unnamed: Counter::default(),
            datagram_answers_dropped: Counter::default(),
            answers_without_client: Counter::default(),
            events_sent: Counter::default(),
            events_lost: Counter::default(),
            logged: LogLimits::default(),
            requests: OperationKind::ALL
                .iter()
                .map(|_| Counter::default())
                .collect(),
            answers: Status::ALL.iter().map(|_| Counter::default()).collect(),
            refused: Status::ALL.iter().map(|_| Counter::default()).collect(),
            http_refused: Default::default(),
        }
    }
}

impl ServerStatistics {
    /// Returns the number of requests that came, by operation.
    pub fn requests(&self) -> impl Iterator<Item = (OperationKind, u64)> + '_ {
        let counts = self.requests.iter().map(Counter::read);
        OperationKind::ALL.iter().copied().zip(counts)
    }

    /// Returns the number of answered requests, by status. Events do not count.
    pub fn answers(&self) -> impl Iterator<Item = (Status, u64)> + '_ {
        let counts = self.answers.iter().map(Counter::read);
        Status::ALL.iter().copied().zip(counts)
    }

    /// Returns how many requests were refused before the engine saw them, by status: frames that
    /// cannot be read or are too long, requests without a grant, wrong tokens, datagrams above a
    /// user's share, and connections above the limit. They are among the
    /// [`answers`](Self::answers), too.
    pub fn refused(&self) -> impl Iterator<Item = (Status, u64)> + '_ {
        let counts = self.refused.iter().map(Counter::read);
        Status::ALL.iter().copied().zip(counts)
    }

    /// Returns the number of HTTP requests refused before the engine saw them, by their code.
    pub fn http_refused(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        let counts = self.http_refused.iter().map(Counter::read);
        HTTP_CODES.iter().map(|(code, _)| *code).zip(counts)
    }

    /// Returns the number of requests that were answered with a status.
    #[must_use]
    pub fn answers_with(&self, status: Status) -> u64 {
        let mut answers = self.answers();
        answers
            .find(|(one, _)| *one == status)
            .map_or(0, |(_, count)| count)
    }

    pub(super) fn count_request(&self, kind: OperationKind) {
        let place = OperationKind::ALL.iter().position(|one| *one == kind);
        if let Some(counter) = place.and_then(|place| self.requests.get(place)) {
            counter.increment();
        }
    }

    pub(super) fn count_answer(&self, response: &Response) {
        let status = response.body.as_ref().err();
        let status = status.map_or(Status::Ok, |refused| refused.status);
        count_status(&self.answers, status);
    }

    /// Counts a request that the engine does not see.
    pub(super) fn count_refusal(&self, refused: &RefusedRequest) {
        count_status(&self.refused, refused.status);
    }

    /// Counts an HTTP request that the engine does not see.
    pub(super) fn count_http_refusal(&self, code: u16) {
        let place = HTTP_CODES.iter().position(|(one, _)| *one == code);
        if let Some(counter) = place.and_then(|place| self.http_refused.get(place)) {
            counter.increment();
        }
    }
}

fn count_status(counters: &[Counter], status: Status) {
    let place = Status::ALL.iter().position(|one| *one == status);
    if let Some(counter) = place.and_then(|place| counters.get(place)) {
        counter.increment();
    }
}
