//! Requests that a thread of their own answers, with materials that can be replaced.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::Shared;
use super::worker::Worker;
use crate::service::Reply;
use waywarden_v2x_service_protocol::{ExhaustedShare, RefusedRequest, ResponseBody, Status};

/// A worker that answers requests on a thread.
pub(super) trait Handler: Send + 'static {
    /// Type of the requests.
    type Request: Send + 'static;
    /// Keys and certificates that it answers with.
    type Materials: Send + 'static;

    /// Answers with these from now on.
    fn replace(&mut self, materials: Self::Materials);

    /// Answers a request that came at this time.
    fn answer(
        &mut self,
        request: &Self::Request,
        arrived: Instant,
    ) -> Result<ResponseBody, RefusedRequest>;
}

/// The thread of a handler.
pub(super) struct Requests<H: Handler> {
    worker: Worker<Job<H>>,
    shared: Arc<Shared>,
    /// Requested operation, for the reason of a refusal.
    what: &'static str,
}

enum Job<H: Handler> {
    Answer {
        request: H::Request,
        arrived: Instant,
        deadline: Duration,
        reply: Reply,
    },
    /// Answer with these from now on; then say so.
    Replace(H::Materials, SyncSender<()>),
}

impl<H: Handler> Requests<H> {
    /// Starts the thread, with its name and what it is asked, and room for so many requests.
    pub(super) fn start(
        shared: &Arc<Shared>,
        (name, what): (&str, &'static str),
        room: usize,
        mut handler: H,
    ) -> io::Result<Self> {
        let worker = Worker::start(shared.threads.add(name), room, move |job| match job {
            Job::Replace(materials, done) => {
                handler.replace(materials);
                let _ = done.send(());
            }
            Job::Answer {
                request,
                arrived,
                deadline,
                reply,
            } => match arrived.elapsed() > deadline {
                true => reply.send(Err(late())),
                false => reply.send(handler.answer(&request, arrived)),
            },
        })?;
        Ok(Self {
            worker,
            shared: Arc::clone(shared),
            what,
        })
    }

    /// Takes a request. If too many wait, it refuses one of the client of whom most wait.
    pub(super) fn take(&self, request: H::Request, deadline: Duration, reply: Reply) {
        let client = reply.client();
        let job = Job::Answer {
            request,
            arrived: Instant::now(),
            deadline,
            reply,
        };
        if let Some(Job::Answer { reply, .. }) = self.worker.offer(client, job) {
            self.shared.observer.refused(Status::Overloaded);
            reply.send(Err(overloaded(self.what)));
        }
    }

    /// Answers with other materials from when it returns.
    pub(super) fn replace(&self, materials: H::Materials) {
        let (done, is_done) = sync_channel(1);
        self.worker.put_first(Job::Replace(materials, done));
        let _ = is_done.recv();
    }
}

/// Returns the refusal of a request that came to a full queue.
fn overloaded(what: &str) -> RefusedRequest {
    let reason = format!("too many requests to {what} wait; try again later");
    RefusedRequest::overloaded(ExhaustedShare::Queue, reason)
}

/// Returns the refusal of a request that has waited for too long.
fn late() -> RefusedRequest {
    let reason = "the request waited longer than its deadline";
    RefusedRequest::new(Status::DeadlineExceeded, reason)
}
