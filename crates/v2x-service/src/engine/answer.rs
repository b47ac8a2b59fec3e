//! Where verdicts go: to a request of one message, or to one of many.

use std::sync::{Arc, Mutex, PoisonError};

use crate::protocol::{Refused, ResponseBody, Status};
use crate::service::Reply;
use crate::verdict::Verification;

/// What becomes of a message: its verdict, or why it was not verified.
pub(super) type Outcome = Result<Verification, Refused>;

/// Where the outcome of a message goes.
pub(super) enum Answer {
    One(Reply),
    /// To this place of a request of many messages.
    Part(Arc<Collector>, usize),
}

impl Answer {
    pub(super) fn send(self, outcome: Outcome) {
        match self {
            Self::One(reply) => reply.send(outcome.map(ResponseBody::Verified)),
            Self::Part(collector, at) => collector.put(at, outcome),
        }
    }
}

/// Gathers the outcomes of a request of many messages, and answers when all are there.
pub(super) struct Collector {
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
        let failed = || Err(Refused::new(Status::Internal, "not verified"));
        Arc::new(Self {
            gathered: Mutex::new(Gathered {
                outcomes: std::iter::repeat_with(failed).take(count).collect(),
                missing: count,
                reply: Some(reply),
            }),
        })
    }

    fn put(&self, at: usize, outcome: Outcome) {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = gathered.outcomes.get_mut(at) {
            *place = outcome;
        }
        gathered.missing = gathered.missing.saturating_sub(1);
        if gathered.missing == 0
            && let Some(reply) = gathered.reply.take()
        {
            let outcomes = std::mem::take(&mut gathered.outcomes);
            drop(gathered);
            reply.send(Ok(ResponseBody::VerifiedMany(outcomes)));
        }
    }
}
