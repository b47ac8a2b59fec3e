//! Writes the responses and events of a connection.

use std::sync::OnceLock;

use tokio::sync::broadcast::{self, error::RecvError, error::TryRecvError};

use super::budget::Permit;
use super::memory::PoolPermit;
use super::outgoing::{Inbox, Outgoing};
use super::socket::Socket;
use super::{ServiceServer, Stopped};
use waywarden_v2x_service_protocol::verdict::VerdictEvent;
use waywarden_v2x_service_protocol::{ProtocolForm, Response, ResponseBody};

/// Bytes written at once, but for the last response of a batch. An answer waits for at most this
/// many bytes of events.
const BATCH_BYTES: usize = 1 << 16;

/// Writes the responses and events of a connection, in the order in which they come. Events wait
/// for responses.
pub(super) struct Writer<'c> {
    server: &'c ServiceServer,
    socket: &'c Socket,
    form: &'c OnceLock<ProtocolForm>,
    subscription: Option<Subscription>,
    batch: Vec<u8>,
    /// Those of the answers in the batch.
    permits: Vec<Permit>,
}

/// The client does not take its responses: it has gone, or reads too slowly.
#[derive(Debug)]
pub(super) struct Unwritable;

struct Subscription {
    id: u64,
    events: broadcast::Receiver<VerdictEvent>,
    /// Number of events lost since the last one that was sent.
    lost: u64,
    /// Room for the events in the batch.
    _room: PoolPermit,
}

/// The next item to write.
enum Next {
    /// `None`: nothing follows.
    Outgoing(Option<Outgoing>),
    Event(Result<VerdictEvent, RecvError>),
}

impl<'c> Writer<'c> {
    pub(super) fn new(
        server: &'c ServiceServer,
        socket: &'c Socket,
        form: &'c OnceLock<ProtocolForm>,
    ) -> Self {
        Self {
            server,
            socket,
            form,
            subscription: None,
            batch: Vec::new(),
            permits: Vec::new(),
        }
    }

    /// Writes until all answers have come and events are not wanted, or no longer.
    pub(super) async fn run(
        mut self,
        outgoing: Inbox,
        mut stopped: Stopped,
    ) -> Result<(), Unwritable> {
        let mut is_open = true;
        while is_open || self.subscription.is_some() {
            if outgoing.is_empty() {
                // There are many connections, most of them idle.
                self.batch = Vec::new();
                self.permits = Vec::new();
            }
            let has_events = self.subscription.is_some();
            let next = tokio::select! {
                biased;
                next = outgoing.next(), if is_open => Next::Outgoing(next),
                () = stopped.wait(), if has_events => {
                    self.subscription = None;
                    continue;
                }
                event = next_event(&mut self.subscription), if has_events => Next::Event(event),
            };
            match next {
                Next::Outgoing(Some(next)) => self.take(next),
                Next::Outgoing(None) => is_open = false,
                Next::Event(event) => self.take_event(event),
            }
            self.fill(&outgoing);
            self.flush().await?;
        }
        Ok(())
    }

    /// Takes into the batch what waits: answers first.
    fn fill(&mut self, outgoing: &Inbox) {
        while self.batch.len() < BATCH_BYTES
            && let Some(next) = outgoing.try_next()
        {
            self.take(next);
        }
        while self.batch.len() < BATCH_BYTES
            && let Some(subscription) = &mut self.subscription
        {
            let event = match subscription.events.try_recv() {
                Ok(event) => Ok(event),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Lagged(lost)) => Err(RecvError::Lagged(lost)),
                Err(TryRecvError::Closed) => Err(RecvError::Closed),
            };
            self.take_event(event);
        }
    }

    fn take(&mut self, next: Outgoing) {
        match next {
            Outgoing::Answer(response, permit) => {
                self.encode(&response);
                self.permits.push(permit);
            }
            Outgoing::Subscription(id, (events, room)) => {
                self.subscription = Some(Subscription {
                    id,
                    events,
                    lost: 0,
                    _room: room,
                });
            }
            Outgoing::EndOfEvents => self.subscription = None,
        }
    }

    fn take_event(&mut self, event: Result<VerdictEvent, RecvError>) {
        let Some(subscription) = &mut self.subscription else {
            return;
        };
        let statistics = &self.server.statistics;
        match event {
            Ok(event) => {
                let lost = std::mem::take(&mut subscription.lost);
                let id = subscription.id;
                let body = Ok(ResponseBody::Event { lost, event });
                statistics.events_sent.increment();
                self.encode(&Response { id, body });
            }
            Err(RecvError::Lagged(lost)) => {
                statistics.events_lost.add(lost);
                subscription.lost = subscription.lost.saturating_add(lost);
            }
            Err(RecvError::Closed) => self.subscription = None,
        }
    }

    fn encode(&mut self, response: &Response) {
        // Without a form no request has been read, and the answer is about that.
        let form = self.form.get().copied().unwrap_or(ProtocolForm::Binary);
        self.batch
            .extend_from_slice(&form.encode_response(response));
    }

    /// Writes the batch. Its requests are no longer under way.
    async fn flush(&mut self) -> Result<(), Unwritable> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let written = self.socket.write(&self.batch);
        match tokio::time::timeout(self.server.limits.write_timeout, written).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "the client has gone");
                return Err(Unwritable);
            }
            Err(_) => {
                self.server.statistics.write_timeouts.increment();
                if let Some(line) = self.server.statistics.logged.slow_reader.admit() {
                    let more = line.more;
                    tracing::info!(
                        more,
                        "a connection is closed: the client does not read its responses"
                    );
                }
                return Err(Unwritable);
            }
        }
        self.permits.clear();
        self.batch.clear();
        self.batch.shrink_to(2 * BATCH_BYTES);
        Ok(())
    }
}

/// Waits for the next event of a subscription. Without one it waits for ever.
async fn next_event(subscription: &mut Option<Subscription>) -> Result<VerdictEvent, RecvError> {
    match subscription {
        Some(subscription) => subscription.events.recv().await,
        None => std::future::pending().await,
    }
}
