//! The connections of HTTP, of which one that waits for its client gives way to a new one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::service::ClientId;

/// The connections that are open, with how to end them.
#[derive(Default)]
pub(super) struct Places {
    order: Arc<Order>,
    open: Vec<(Arc<Place>, AbortHandle)>,
}

/// Says which connection has waited for longest.
#[derive(Default)]
struct Order {
    next: AtomicU64,
    /// A connection waits for its client.
    waits: Notify,
}

/// State of a connection.
pub(super) struct Place {
    order: Arc<Order>,
    pub(super) peer: SocketAddr,
    pub(super) client: ClientId,
    /// Number of wrong tokens that the client has shown.
    pub(super) wrong_tokens: AtomicUsize,
    /// Serial number of the start of its wait for the client, over all; 0 while it has a request.
    waits_since: AtomicU64,
}

/// The service works on a request of a connection until this is dropped.
pub(super) struct Working<'p>(&'p Place);

/// A connection waits for its client until this is dropped.
pub(super) struct Waiting<'p>(&'p Place);

impl Places {
    /// Makes the place of a connection, which waits for its client.
    pub(super) fn place(&self, peer: SocketAddr) -> Arc<Place> {
        let place = Place {
            order: Arc::clone(&self.order),
            peer,
            client: ClientId::next(),
            wrong_tokens: AtomicUsize::new(0),
            waits_since: AtomicU64::new(0),
        };
        place.wait();
        Arc::new(place)
    }

    /// Takes note of how to end a connection.
    pub(super) fn opened(&mut self, place: Arc<Place>, task: AbortHandle) {
        self.open.retain(|(_, task)| !task.is_finished());
        self.open.push((place, task));
    }

    /// Ends the connection that has waited for its client for longest. Returns whether there is
    /// one.
    pub(super) fn end_one(&mut self) -> bool {
        self.open.retain(|(_, task)| !task.is_finished());
        let waiting = self.open.iter().enumerate().filter_map(|(at, (place, _))| {
            let since = place.waits_since.load(Ordering::Relaxed);
            (since > 0).then_some((since, at))
        });
        let Some((_, at)) = waiting.min() else {
            return false;
        };
        let (_, task) = self.open.swap_remove(at);
        task.abort();
        true
    }

    /// Waits until a connection waits for its client.
    pub(super) async fn waits(&self) {
        self.order.waits.notified().await;
    }
}

impl Place {
    /// The service works on a request.
    pub(super) fn work(&self) -> Working<'_> {
        self.waits_since.store(0, Ordering::Relaxed);
        Working(self)
    }

    /// The service waits for the rest of a request, or delays an answer.
    pub(super) fn pause(&self) -> Waiting<'_> {
        self.wait();
        Waiting(self)
    }

    fn wait(&self) {
        let since = self.order.next.fetch_add(1, Ordering::Relaxed) + 1;
        self.waits_since.store(since, Ordering::Relaxed);
        self.order.waits.notify_one();
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.wait();
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waits_since.store(0, Ordering::Relaxed);
    }
}
