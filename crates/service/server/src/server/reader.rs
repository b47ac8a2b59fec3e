//! Reads the requests of a connection and begins them.

use std::future::Future;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use tokio::time::Instant;

use super::ServiceServer;
use super::budget::{Budget, Permit};
use super::memory::{LongFrame, SHARE_BYTES, SUBSCRIPTION_BYTES, weight};
use super::outgoing::Outbox;
use super::places::Place;
use super::socket::Socket;
use crate::access::{Grant, Peer};
use crate::service::{ClientId, Reply};
use waywarden_v2x_service_protocol::{
    ClientToken, ExhaustedShare, Frames, ProtocolForm, RefusedRequest, Request, RequestedOperation,
    Response, ResponseBody, Status, Unreadable,
};

/// The end of reading a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The client has no more requests, but may wait for answers.
    Finished,
    /// The client was told why the connection is closed.
    Refused,
    /// The client has gone, or nothing happened for too long.
    Abandoned,
}

/// Reads the requests of a connection.
pub(super) struct Reader<'c> {
    server: &'c ServiceServer,
    socket: &'c Socket,
    form: &'c OnceLock<ProtocolForm>,
    is_connected: Arc<AtomicBool>,
    outbox: Outbox,
    budget: Budget,
    place: Place,
    frames: Frames,
    /// Room for a frame that is longer than the share of a connection.
    long_frame: Option<LongFrame>,
    /// Start time of the frame that is not complete.
    frame_began: Option<Instant>,
    client: ClientId,
    peer: Option<Peer>,
    grant: Grant,
    wrong_tokens: usize,
    subscription: Option<u64>,
    /// True if a refusal for want of a grant is in the log.
    is_logged: bool,
}

impl<'c> Reader<'c> {
    pub(super) fn new(
        server: &'c ServiceServer,
        socket: &'c Socket,
        form: &'c OnceLock<ProtocolForm>,
        is_connected: Arc<AtomicBool>,
        (place, outbox): (Place, Outbox),
    ) -> Self {
        let peer = socket.peer();
        Self {
            server,
            socket,
            form,
            is_connected,
            outbox,
            place,
            budget: Budget::new(&server.limits, server.memory.clone()),
            frames: Frames::new(),
            long_frame: None,
            frame_began: None,
            client: ClientId::next(),
            peer,
            grant: server.access.grant_of_peer(peer),
            wrong_tokens: 0,
            subscription: None,
            is_logged: false,
        }
    }

    /// Reads until the client or the server ends it.
    pub(super) async fn run(mut self) -> Ending {
        match self.read().await {
            Ok(never) => match never {},
            Err(ending) => ending,
        }
    }

    async fn read(&mut self) -> Result<std::convert::Infallible, Ending> {
        loop {
            self.wait().await?;
            // Of this turn alone, so that an idle connection has none.
            let mut bytes = Vec::new();
            match self.socket.read_into(|read| bytes.extend_from_slice(read)) {
                Ok(0) => return Err(self.finish().await?),
                Ok(_) => self.take_bytes(&bytes).await?,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Err(Ending::Abandoned),
            }
        }
    }

    /// Waits until the socket can be read, at most as long as the limits say, and until there is
    /// room for the rest of a long frame.
    async fn wait(&mut self) -> Result<(), Ending> {
        if self.frames.waiting() > SHARE_BYTES / 2 && self.long_frame.is_none() {
            let user = self.peer.map(|peer| peer.uid);
            let room = self.server.memory.long_frame(user, self.is_granted());
            self.long_frame = room.await;
            // The time in which the server had no room does not count.
            self.frame_began = Some(Instant::now());
        }
        let limits = &self.server.limits;
        let statistics = &self.server.statistics;
        let idle = limits.idle_timeout.map(|idle| Instant::now() + idle);
        let deadline = match self.frame_began {
            Some(began) => Some(began + limits.frame_timeout),
            None => idle,
        };
        match before(deadline, self.socket.readable()).await {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => Err(Ending::Abandoned),
            None if self.frame_began.is_some() => {
                statistics.frame_timeouts.increment();
                let reason = format!(
                    "a frame was not complete {:?} after its first byte",
                    limits.frame_timeout
                );
                Err(self
                    .refuse(RefusedRequest::new(Status::Malformed, reason))
                    .await)
            }
            None if self.budget.is_whole() && self.subscription.is_none() => {
                statistics.idle_timeouts.increment();
                Err(Ending::Abandoned)
            }
            None => Ok(()),
        }
    }

    async fn take_bytes(&mut self, bytes: &[u8]) -> Result<(), Ending> {
        let mut rest = bytes;
        let mut has_frame = false;
        loop {
            let frame = self.frames.next(&mut rest);
            let form = self.frames.form();
            if let Some(form) = form {
                // Before the first frame is complete: it may never be.
                let _ = self.form.set(form);
            }
            let form = form.unwrap_or(ProtocolForm::Binary);
            match frame {
                Ok(Some(frame)) => {
                    has_frame = true;
                    let request = form.decode_request(&frame);
                    let length = frame.len();
                    drop(frame);
                    self.take(request, length).await?;
                    self.long_frame = None;
                }
                Ok(None) => break,
                Err(refused) => {
                    self.server.statistics.wrong_lengths.increment();
                    return Err(self.refuse(refused).await);
                }
            }
        }
        self.frame_began = match self.frames.waiting() {
            0 => None,
            // The time in which the server took the frames before does not count.
            _ if has_frame => Some(Instant::now()),
            _ => self.frame_began.or_else(|| Some(Instant::now())),
        };
        Ok(())
    }

    /// Takes the end of the client's requests.
    async fn finish(&mut self) -> Result<Ending, Ending> {
        if self.socket.is_abandoned().await {
            return Ok(Ending::Abandoned);
        }
        if self.frames.form() == Some(ProtocolForm::Json) {
            // The last line of a script may lack its end.
            self.take_bytes(b"\n").await?;
        } else if self.frames.waiting() > 0 {
            let refused =
                RefusedRequest::new(Status::Malformed, "the connection ends within a frame");
            return Ok(self.refuse(refused).await);
        }
        Ok(Ending::Finished)
    }

    /// Tells the client why the connection is closed.
    async fn refuse(&mut self, refused: RefusedRequest) -> Ending {
        tracing::debug!(reason = %refused, "a connection is closed");
        self.outbox.end_of_events();
        let Some(permit) = self.budget.acquire(0, self.is_granted()).await else {
            return Ending::Abandoned;
        };
        self.answer(0, Err(refused), permit);
        Ending::Refused
    }

    /// Begins a request, as soon as the budget has room for it.
    async fn take(
        &mut self,
        request: Result<Request, Unreadable>,
        length: usize,
    ) -> Result<(), Ending> {
        let weight = weight(&request, length);
        let Some(permit) = self.budget.acquire(weight, self.is_granted()).await else {
            return Err(Ending::Abandoned);
        };
        let request = match request {
            Ok(request) => request,
            Err(Unreadable { id, refused }) => {
                self.answer(id, Err(refused), permit);
                return Ok(());
            }
        };
        let id = request.id;
        self.server
            .statistics
            .count_request(request.operation.kind());
        match &request.operation {
            RequestedOperation::Authenticate(token) => {
                return self.authenticate(id, token, permit).await;
            }
            RequestedOperation::Subscribe => self.subscribe(id, permit),
            operation => match self.grant.check(operation) {
                Ok(()) => self.submit(request, permit),
                Err(refused) => {
                    // Once a connection: a client must not fill the log.
                    if !std::mem::replace(&mut self.is_logged, true)
                        && let Some(line) = self.server.statistics.logged.not_granted.admit()
                    {
                        let more = line.more;
                        tracing::info!(peer = ?self.peer, reason = %refused, more, "not granted");
                    }
                    self.answer(id, Err(refused), permit);
                }
            },
        }
        Ok(())
    }

    fn submit(&self, request: Request, permit: Permit) {
        let outbox = self.outbox.clone();
        let reply = Reply::to_task(request.id, move |response| outbox.pass_on(response, permit));
        let reply = reply.to_client(self.is_connected.clone());
        let reply = reply.of_client(self.client);
        self.server.service.submit(&self.grant, request, reply);
    }

    async fn authenticate(
        &mut self,
        id: u64,
        token: &ClientToken,
        permit: Permit,
    ) -> Result<(), Ending> {
        if let Some(grant) = self.server.access.grant_of_token(&token.0) {
            self.grant = self.grant.and(&grant);
            if self.is_granted() {
                self.place.is_granted();
            }
            self.answer(id, Ok(ResponseBody::Authenticated), permit);
            return Ok(());
        }
        let limits = &self.server.limits;
        self.server.statistics.wrong_tokens.increment();
        self.wrong_tokens += 1;
        if let Some(line) = self.server.statistics.logged.wrong_token.admit() {
            let (count, more) = (self.wrong_tokens, line.more);
            tracing::warn!(peer = ?self.peer, count, more, "a token is not known");
        }
        tokio::time::sleep(limits.wrong_token_delay).await;
        let left = limits.wrong_tokens.saturating_sub(self.wrong_tokens);
        let reason = match left {
            0 => "the token is not known; the connection is closed".to_owned(),
            _ => format!("the token is not known; after {left} more the connection is closed"),
        };
        if left == 0 {
            self.outbox.end_of_events();
        }
        let refused = RefusedRequest::new(Status::NotAuthorized, reason);
        self.answer(id, Err(refused), permit);
        if left == 0 {
            Err(Ending::Refused)
        } else {
            Ok(())
        }
    }

    fn subscribe(&mut self, id: u64, permit: Permit) {
        if let Some(first) = self.subscription {
            let reason = format!("request {first} of this connection has subscribed already");
            self.answer(
                id,
                Err(RefusedRequest::new(Status::Unsupported, reason)),
                permit,
            );
            return;
        }
        let requests = &self.server.memory.requests;
        let Some(room) = requests.try_acquire(SUBSCRIPTION_BYTES, self.is_granted()) else {
            let reason = "there are too many subscriptions, or requests under way; try again later";
            self.answer(
                id,
                Err(RefusedRequest::overloaded(ExhaustedShare::Memory, reason)),
                permit,
            );
            return;
        };
        self.subscription = Some(id);
        let events = self.server.service.subscribe();
        self.answer(id, Ok(ResponseBody::Subscribed), permit);
        self.outbox.subscription(id, (events, room));
    }

    fn is_granted(&self) -> bool {
        !self.grant.is_empty()
    }

    /// Answers what the service is not asked.
    fn answer(&self, id: u64, body: Result<ResponseBody, RefusedRequest>, permit: Permit) {
        if let Err(refused) = &body {
            self.server.statistics.count_refusal(refused);
        }
        self.outbox.answer(Response { id, body }, permit);
    }
}

/// Awaits what is to happen before a time; `None` if it did not.
async fn before<T>(deadline: Option<Instant>, future: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, future).await.ok(),
        None => Some(future.await),
    }
}
