//! Requests that come as datagrams: each is one frame or one JSON object, and so is its answer.
//!
//! A user may have a share of those under way, so that other users find room.
//!
//! A datagram has no connection. Its sender is granted what its user and group are; a token or a
//! subscription needs a stream.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendFlags, SocketAddrUnix,
};
use tokio::io::Interest;
use tokio::net::UnixDatagram;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::memory::{PoolPermit, SHARE_BYTES, weight};
use super::shares::{Share, Shares};
use super::{ServiceServer, Stopped};
use crate::access::{Grant, Peer};
use crate::service::{ClientId, Reply};
use waywarden_v2x_service_protocol::{
    ExhaustedShare, FRAME_BYTES_MAX, ProtocolForm, RefusedRequest, Request, RequestedOperation,
    Response, Status, Unreadable,
};

/// The longest datagram: a frame with its length.
const DATAGRAM_BYTES_MAX: usize = FRAME_BYTES_MAX + 4;

/// A received datagram.
struct Received {
    length: usize,
    /// True if it is longer than the buffer.
    is_cut: bool,
    sender: Option<SocketAddrUnix>,
    peer: Option<Peer>,
}

/// The destination of an answer, and its form.
struct Destination {
    sender: SocketAddrUnix,
    form: ProtocolForm,
    /// The request is under way until its answer is sent.
    permit: OwnedSemaphorePermit,
    /// `None`: the request is refused.
    share: Option<Share>,
    /// Room for a long request.
    room: Option<PoolPermit>,
}

/// An answer and where it goes. What waits to be sent has permits, so that it is bounded by
/// [`ServiceLimits::datagrams`](super::ServiceLimits).
type Answer = (Response, Destination);

/// Serves datagrams until it is stopped, then waits for the requests under way.
pub(super) async fn serve(
    server: &ServiceServer,
    socket: Option<UnixDatagram>,
    mut stopped: Stopped,
) {
    let Some(socket) = socket else { return };
    let (outbox, answers) = unbounded_channel();
    let receiving = async {
        // The outbox goes with the future, so that sending ends with the last answer.
        let receiving = receive(server, &socket, outbox);
        tokio::select! {
            () = stopped.wait() => {}
            () = receiving => {}
        }
    };
    tokio::join!(receiving, send(server, &socket, answers));
}

async fn receive(server: &ServiceServer, socket: &UnixDatagram, outbox: UnboundedSender<Answer>) {
    let under_way = Arc::new(Semaphore::new(server.limits.datagrams));
    let shares = Shares::new(server.limits.datagrams_of_user);
    let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
    loop {
        // While too many are under way, datagrams wait in the socket's queue, and their senders
        // once that is full. `None` does not come: the semaphore is never closed.
        let Ok(permit) = under_way.clone().acquire_owned().await else {
            return;
        };
        let received = socket.async_io(Interest::READABLE, || receive_one(socket, &mut buffer));
        match received.await {
            Ok(received) => take(server, &buffer, received, (permit, &shares), &outbox),
            Err(error) => {
                tracing::warn!(%error, "a datagram cannot be read");
                tokio::time::sleep(super::ERROR_PAUSE).await;
            }
        }
    }
}

fn receive_one(socket: &UnixDatagram, buffer: &mut [u8]) -> io::Result<Received> {
    // Room for the credentials alone: the kernel closes descriptors that a client sends.
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmCredentials(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let mut slices = [IoSliceMut::new(buffer)];
    let message = rustix::net::recvmsg(socket, &mut slices, &mut control, flags)?;
    let mut peer = None;
    for part in control.drain() {
        if let RecvAncillaryMessage::ScmCredentials(credentials) = part {
            peer = Some(Peer {
                uid: credentials.uid.as_raw(),
                gid: credentials.gid.as_raw(),
            });
        }
    }
    let sender = message
        .address
        .and_then(|it| SocketAddrUnix::try_from(it).ok());
    Ok(Received {
        length: message.bytes,
        is_cut: message.flags.contains(ReturnFlags::TRUNC),
        sender: sender.filter(|sender| !sender.is_unnamed()),
        peer,
    })
}

/// Begins the request of a datagram, or answers why not.
fn take(
    server: &ServiceServer,
    buffer: &[u8],
    received: Received,
    (permit, shares): (OwnedSemaphorePermit, &Arc<Shares>),
    outbox: &UnboundedSender<Answer>,
) {
    server.statistics.datagrams.increment();
    let Some(sender) = received.sender else {
        server.statistics.datagrams_unnamed.increment();
        return;
    };
    let datagram = buffer.get(..received.length).unwrap_or(buffer);
    let (form, request) = decode(datagram, received.is_cut);
    let id = match &request {
        Ok(request) => request.id,
        Err(unreadable) => unreadable.id,
    };
    let share = shares.take(received.peer.map(|peer| peer.uid));
    let grant = server.access.grant_of_peer(received.peer);
    let weight = weight(&request, received.length);
    let is_long = weight > SHARE_BYTES;
    let pool = &server.memory.requests;
    let room = is_long.then(|| pool.try_acquire(weight, !grant.is_empty()));
    let room = room.flatten();
    let overload = match (&share, &room) {
        (None, _) => Some(overloaded(server)),
        (Some(_), None) if is_long => Some(no_room()),
        _ => None,
    };
    let destination = Destination {
        sender,
        form,
        permit,
        share,
        room,
    };
    let outbox = outbox.clone();
    let statistics = server.statistics.clone();
    let reply = Reply::new(id, move |response| {
        statistics.count_answer(&response);
        let _ = outbox.send((response, destination));
    });
    let user = received.peer.map(|peer| ClientId::of_user(peer.uid));
    let reply = reply.of_client(user.unwrap_or_default());
    match request {
        Err(Unreadable { refused, .. }) => refuse(server, refused, reply),
        Ok(request) => match overload {
            Some(refused) => refuse(server, refused, reply),
            None => begin(server, request, (received.peer, grant), reply),
        },
    }
}

fn decode(datagram: &[u8], is_cut: bool) -> (ProtocolForm, Result<Request, Unreadable>) {
    let refuse = |refused| Unreadable { id: 0, refused };
    let first = datagram
        .first()
        .map(|first| ProtocolForm::of_first_byte(*first));
    let form = first.and_then(Result::ok).unwrap_or(ProtocolForm::Binary);
    if is_cut {
        let reason = format!("a datagram has at most {DATAGRAM_BYTES_MAX} bytes");
        return (
            form,
            Err(refuse(RefusedRequest::new(Status::TooLong, reason))),
        );
    }
    match ProtocolForm::of_datagram(datagram) {
        Ok((form, frame)) => (form, form.decode_request(frame)),
        Err(refused) => (form, Err(refuse(refused))),
    }
}

fn begin(
    server: &ServiceServer,
    request: Request,
    (peer, grant): (Option<Peer>, Grant),
    reply: Reply,
) {
    server.statistics.count_request(request.operation.kind());
    let checked = match request.operation {
        RequestedOperation::Authenticate(_) | RequestedOperation::Subscribe => {
            Err(RefusedRequest::new(
                Status::Unsupported,
                "a datagram has no connection that this could count for; use a stream socket",
            ))
        }
        _ => grant.check(&request.operation),
    };
    match checked {
        Ok(()) => server.service.submit(&grant, request, reply),
        Err(refused) => {
            tracing::debug!(?peer, reason = %refused, "a request is refused");
            refuse(server, refused, reply);
        }
    }
}

/// Returns the refusal for a user with too many datagrams.
fn overloaded(server: &ServiceServer) -> RefusedRequest {
    let reason = format!(
        "{} datagrams of this user are under way, which is the limit; wait for answers, or use a \
         stream socket",
        server.limits.datagrams_of_user
    );
    RefusedRequest::overloaded(ExhaustedShare::User, reason)
}

fn no_room() -> RefusedRequest {
    let reason = "long requests of other clients are under way; try again later";
    RefusedRequest::overloaded(ExhaustedShare::Memory, reason)
}

/// Answers without asking the service.
fn refuse(server: &ServiceServer, refused: RefusedRequest, reply: Reply) {
    server.statistics.count_refusal(&refused);
    reply.send(Err(refused));
}

/// Sends answers until no more can come.
async fn send(
    server: &ServiceServer,
    socket: &UnixDatagram,
    mut answers: UnboundedReceiver<Answer>,
) {
    while let Some((response, destination)) = answers.recv().await {
        let mut sent = send_one(socket, &response, &destination);
        if sent == Err(Errno::MSGSIZE) {
            let reason = "the response does not fit into a datagram; use a stream socket";
            let refusal = Response {
                id: response.id,
                body: Err(RefusedRequest::new(Status::TooLong, reason)),
            };
            sent = send_one(socket, &refusal, &destination);
        }
        if sent.is_err() {
            server.statistics.datagram_answers_dropped.increment();
        }
        drop((destination.permit, destination.share, destination.room));
    }
}

/// Sends an answer if the client's queue has room now.
fn send_one(
    socket: &UnixDatagram,
    response: &Response,
    destination: &Destination,
) -> Result<(), Errno> {
    let bytes = destination.form.encode_response(response);
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    rustix::net::sendto(socket, &bytes, flags, &destination.sender).map(drop)
}
