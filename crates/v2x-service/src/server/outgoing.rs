//! What goes from a connection's reader, and from the service, to its writer.

use std::sync::Arc;

use tokio::sync::{broadcast, mpsc};

use super::Statistics;
use super::budget::Permit;
use crate::protocol::Response;
use crate::verdict::VerdictEvent;

/// Something to send to a client.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// An answer. Its request is under way until the client has been sent it.
    Answer(Response, Permit),
    /// Events of a request with this number from now on.
    Subscription(u64, broadcast::Receiver<VerdictEvent>),
    /// No more events.
    EndOfEvents,
}

/// Where a connection's answers go. What waits there has permits, so that it is bounded by the
/// connection's budget.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    sender: mpsc::UnboundedSender<Outgoing>,
    statistics: Arc<Statistics>,
}

impl Outbox {
    pub(super) fn new(statistics: Arc<Statistics>) -> (Self, mpsc::UnboundedReceiver<Outgoing>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender, statistics }, receiver)
    }

    /// Passes on an answer. It is dropped if the connection has ended.
    pub(super) fn answer(&self, response: Response, permit: Permit) {
        self.statistics.count_answer(&response);
        let answer = Outgoing::Answer(response, permit);
        if self.sender.send(answer).is_err() {
            self.statistics.answers_without_client.increment();
        }
    }

    pub(super) fn subscription(&self, id: u64, events: broadcast::Receiver<VerdictEvent>) {
        let _ = self.sender.send(Outgoing::Subscription(id, events));
    }

    pub(super) fn end_of_events(&self) {
        let _ = self.sender.send(Outgoing::EndOfEvents);
    }
}
