//! The seam between sockets and the work: a request comes in, its answer goes out once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Waker;

use tokio::sync::broadcast;

use crate::access::Grant;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;
use waywarden_v2x_service_protocol::{RefusedRequest, Request, Response, ResponseBody, Status};

/// A service that works on requests. Calls come from several threads.
pub trait Service: Send + Sync + 'static {
    /// Takes a request. It returns at once; the answer comes later, from another thread.
    ///
    /// [`RequestedOperation::Authenticate`](waywarden_v2x_service_protocol::RequestedOperation) and
    /// `Subscribe` are the connection's own business and do not come here.
    fn submit(&self, grant: &Grant, request: Request, reply: Reply);

    /// Returns a receiver of all verdicts from now on. A slow receiver loses the oldest ones, and
    /// gets their number.
    fn subscribe(&self) -> broadcast::Receiver<VerdictEvent>;

    /// Returns the metrics, in the text format of Prometheus.
    fn metrics(&self) -> String;
}

/// A number that tells clients apart, so that one with many requests does not keep out others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClientId(u64);

impl ClientId {
    /// All clients that are not known.
    pub const UNKNOWN: Self = Self(0);

    /// Returns a number for a connection, which no other one in this process has.
    #[must_use]
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the number of a user whose requests come without a connection.
    #[must_use]
    pub fn of_user(uid: u32) -> Self {
        // No process has so many connections.
        Self(u64::MAX - u64::from(uid))
    }
}

/// Passes an answer on. What it returns has to be woken to write the answer.
type PassOn = dyn FnOnce(Response) -> Option<Waker> + Send;

/// The destination of the answer to one request. A request is answered once: [`send`](Self::send)
/// uses the reply up, and one that is dropped answers that the service failed.
pub struct Reply {
    id: u64,
    pass_on: Option<Box<PassOn>>,
    /// True while the client is connected; `None` if that is not known.
    is_connected: Option<Arc<AtomicBool>>,
    client: ClientId,
}

impl Reply {
    /// Makes a reply to the request of this number. `send` is called once; it must not wait.
    #[must_use]
    pub fn new(id: u64, send: impl FnOnce(Response) + Send + 'static) -> Self {
        Self::to_task(id, move |response| {
            send(response);
            None
        })
    }

    /// Makes a reply to the request of this number which is written by a task. `pass_on` is called
    /// once; it must not wait, and returns how the task is woken.
    #[must_use]
    pub fn to_task(
        id: u64,
        pass_on: impl FnOnce(Response) -> Option<Waker> + Send + 'static,
    ) -> Self {
        Self {
            id,
            pass_on: Some(Box::new(pass_on)),
            is_connected: None,
            client: ClientId::UNKNOWN,
        }
    }

    /// Takes note of where to look whether the client is still there.
    #[must_use]
    pub fn to_client(mut self, is_connected: Arc<AtomicBool>) -> Self {
        self.is_connected = Some(is_connected);
        self
    }

    /// Takes note of whose request it is.
    #[must_use]
    pub fn of_client(mut self, client: ClientId) -> Self {
        self.client = client;
        self
    }

    /// Returns whose request it is.
    #[must_use]
    pub fn client(&self) -> ClientId {
        self.client
    }

    /// Has `look` see the answer before it goes out.
    #[must_use]
    pub fn observed(mut self, look: impl FnOnce(&Response) + Send + 'static) -> Self {
        self.pass_on = self.pass_on.take().map(|pass_on| {
            let observed: Box<PassOn> = Box::new(move |response| {
                look(&response);
                pass_on(response)
            });
            observed
        });
        self
    }

    /// Returns true if the answer is still of use: a client that has gone does not read it. The
    /// service may drop such work, and answers with anything.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        let is_connected = self.is_connected.as_ref();
        is_connected.is_none_or(|is_connected| is_connected.load(Ordering::Relaxed))
    }

    /// Answers.
    pub fn send(self, body: Result<ResponseBody, RefusedRequest>) {
        if let Some(task) = self.pass_on(body) {
            task.wake();
        }
    }

    /// Answers, but for waking the task that writes the answer. Who has many answers passes all of
    /// them on first, so that the task writes them together.
    #[must_use = "the task writes the answer when it is woken"]
    pub fn pass_on(mut self, body: Result<ResponseBody, RefusedRequest>) -> Option<Waker> {
        self.answer(body)
    }

    fn answer(&mut self, body: Result<ResponseBody, RefusedRequest>) -> Option<Waker> {
        let pass_on = self.pass_on.take()?;
        pass_on(Response { id: self.id, body })
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        let reason = "the service failed before the request was done; try again";
        if let Some(task) = self.answer(Err(RefusedRequest::new(Status::Internal, reason))) {
            task.wake();
        }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
