//! Answers and events on the way from a connection's reader, and the service, to its writer.
//!
//! Not a channel of tokio: its sender wakes the writer for each answer, and the writer then writes
//! each by itself. Here who answers says when the writer is woken.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

use tokio::sync::{Notify, broadcast};

use super::ServerStatistics;
use super::budget::Permit;
use super::memory::PoolPermit;
use waywarden_v2x_service_protocol::Response;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;

/// Number of answers for which an empty queue has room.
const KEPT_MAX: usize = 8;

/// Something to send to a client.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// An answer. Its request is under way until the client has been sent it.
    Answer(Response, Permit),
    /// Events of a request with this number from now on, and room for them.
    Subscription(u64, (broadcast::Receiver<VerdictEvent>, PoolPermit)),
    /// No more events.
    EndOfEvents,
}

/// The sending end of a connection's answers. Waiting answers have permits, so that they are
/// bounded by the connection's budget.
#[derive(Debug)]
pub(super) struct Outbox {
    mail: Arc<Mail>,
    statistics: Arc<ServerStatistics>,
}

/// The receiving end. Without it, answers are dropped.
#[derive(Debug)]
pub(super) struct Inbox(Arc<Mail>);

/// Answers and events that wait for a writer.
#[derive(Debug)]
struct Mail {
    waiting: Mutex<Waiting>,
    /// Something waits, or the last outbox has gone.
    changed: Notify,
    outboxes: AtomicUsize,
}

#[derive(Debug)]
struct Waiting {
    outgoing: VecDeque<Outgoing>,
    is_read: bool,
}

impl Mail {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts something in, unless there is no inbox. Returns whether it did.
    fn put(&self, outgoing: Outgoing) -> bool {
        let mut waiting = self.waiting();
        if waiting.is_read {
            waiting.outgoing.push_back(outgoing);
        }
        waiting.is_read
    }
}

impl Wake for Mail {
    fn wake(self: Arc<Self>) {
        self.changed.notify_one();
    }
}

impl Outbox {
    pub(super) fn new(statistics: Arc<ServerStatistics>) -> (Self, Inbox) {
        let mail = Arc::new(Mail {
            waiting: Mutex::new(Waiting {
                outgoing: VecDeque::new(),
                is_read: true,
            }),
            changed: Notify::new(),
            outboxes: AtomicUsize::new(1),
        });
        let inbox = Inbox(Arc::clone(&mail));
        (Self { mail, statistics }, inbox)
    }

    /// Passes on an answer. Returns how the writer is woken. The answer is dropped if the
    /// connection has ended.
    #[must_use = "the writer writes the answer when it is woken"]
    pub(super) fn pass_on(&self, response: Response, permit: Permit) -> Option<Waker> {
        self.statistics.count_answer(&response);
        if self.mail.put(Outgoing::Answer(response, permit)) {
            return Some(Waker::from(Arc::clone(&self.mail)));
        }
        self.statistics.answers_without_client.increment();
        None
    }

    /// Passes on an answer and wakes the writer.
    pub(super) fn answer(&self, response: Response, permit: Permit) {
        if let Some(writer) = self.pass_on(response, permit) {
            writer.wake();
        }
    }

    pub(super) fn subscription(
        &self,
        id: u64,
        events: (broadcast::Receiver<VerdictEvent>, PoolPermit),
    ) {
        self.mail.put(Outgoing::Subscription(id, events));
        self.mail.changed.notify_one();
    }

    pub(super) fn end_of_events(&self) {
        self.mail.put(Outgoing::EndOfEvents);
        self.mail.changed.notify_one();
    }
}

impl Clone for Outbox {
    fn clone(&self) -> Self {
        self.mail.outboxes.fetch_add(1, Ordering::Relaxed);
        Self {
            mail: Arc::clone(&self.mail),
            statistics: Arc::clone(&self.statistics),
        }
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        // Release: what was put in before is seen by who sees that this was the last.
        if self.mail.outboxes.fetch_sub(1, Ordering::Release) == 1 {
            self.mail.changed.notify_one();
        }
    }
}

impl Inbox {
    /// Takes what is there.
    pub(super) fn try_next(&self) -> Option<Outgoing> {
        self.0.waiting().outgoing.pop_front()
    }

    /// Returns true if nothing is there. Then the memory of a queue that was long is given back.
    pub(super) fn is_empty(&self) -> bool {
        let mut waiting = self.0.waiting();
        let is_empty = waiting.outgoing.is_empty();
        if is_empty {
            waiting.outgoing.shrink_to(KEPT_MAX);
        }
        is_empty
    }

    /// Waits for something; `None` once no more can come.
    pub(super) async fn next(&self) -> Option<Outgoing> {
        loop {
            let is_last = self.0.outboxes.load(Ordering::Acquire) == 0;
            if let Some(next) = self.try_next() {
                return Some(next);
            }
            if is_last {
                return None;
            }
            // A call of `notify_one` from before this line is kept.
            self.0.changed.notified().await;
        }
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting();
        waiting.is_read = false;
        let dropped = std::mem::take(&mut waiting.outgoing);
        drop(waiting);
        drop(dropped);
    }
}
