//! Destinations of verdicts: a request of one message, or of many.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

use crate::service::{ClientId, Reply};
use waywarden_v2x_service_protocol::verdict::Verification;
use waywarden_v2x_service_protocol::{RefusedRequest, ResponseBody, Status};

/// Verdict on a message, or the reason for not verifying it.
pub(super) type Outcome = Result<Verification, RefusedRequest>;

/// Destination of a message's outcome.
pub(super) enum Answer {
    One(Reply),
    /// This index of a request of many messages.
    Part(Arc<Collector>, usize),
}

impl Answer {
    /// Returns the client that asked.
    pub(super) fn client(&self) -> ClientId {
        match self {
            Self::One(reply) => reply.client(),
            Self::Part(collector, _) => collector.client,
        }
    }

    pub(super) fn send(self, outcome: Outcome) {
        if let Some(task) = self.pass_on(outcome) {
            task.wake();
        }
    }

    /// See [`Reply::pass_on`].
    pub(super) fn pass_on(self, outcome: Outcome) -> Option<Waker> {
        match self {
            Self::One(reply) => reply.pass_on(outcome.map(ResponseBody::Verified)),
            Self::Part(collector, at) => collector.put(at, outcome),
        }
    }
}

/// Gathers the outcomes of a request of many messages, and answers when all are there.
pub(super) struct Collector {
    client: ClientId,
    gathered: Mutex<Gathered>,
}

struct Gathered {
    outcomes: Vec<Outcome>,
    missing: usize,
    reply: Option<Reply>,
}

impl Collector {
    /// Gathers so many outcomes, at least one.
    pub(super) fn new(count: usize, reply: Reply) -> Arc<Self> {
        // What is dropped without a verdict stays so.
        let failed = || Err(RefusedRequest::new(Status::Internal, "not verified"));
        Arc::new(Self {
            client: reply.client(),
            gathered: Mutex::new(Gathered {
                outcomes: std::iter::repeat_with(failed).take(count).collect(),
                missing: count,
                reply: Some(reply),
            }),
        })
    }

    fn put(&self, at: usize, outcome: Outcome) -> Option<Waker> {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = gathered.outcomes.get_mut(at) {
            *place = outcome;
        }
        gathered.missing = gathered.missing.saturating_sub(1);
        if gathered.missing > 0 {
            return None;
        }
        let reply = gathered.reply.take()?;
        let outcomes = std::mem::take(&mut gathered.outcomes);
        drop(gathered);
        reply.pass_on(Ok(ResponseBody::VerifiedMany(outcomes)))
    }
}

/// Tasks to be woken, each once. They are woken when this is dropped.
#[derive(Default)]
pub(super) struct Tasks(Vec<Waker>);

impl Tasks {
    /// Takes note of a task. A batch has few of them: one for each connection.
    pub(super) fn add(&mut self, task: Option<Waker>) {
        let Some(task) = task else { return };
        if !self.0.iter().any(|other| other.will_wake(&task)) {
            self.0.push(task);
        }
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.drain(..).for_each(Waker::wake);
    }
}
