//! A stream connection, from its first byte to its last.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::outgoing::Outbox;
use super::places::Place;
use super::reader::{Ending, Reader};
use super::socket::Socket;
use super::writer::Writer;
use super::{ServiceServer, Stopped};
use waywarden_v2x_service_protocol::{ProtocolForm, RefusedRequest, Response, Status};

/// Longest time for a client to go on sending after its last response.
const LINGER: Duration = Duration::from_secs(1);

/// Longest wait for a connection above the limit to show its form.
const FIRST_BYTE: Duration = Duration::from_secs(1);

/// Serves a connection until it ends.
pub(super) async fn serve(
    server: &ServiceServer,
    socket: Socket,
    place: Place,
    mut stopped: Stopped,
) {
    let form = OnceLock::new();
    let open = Open::new(server);
    let (outbox, outgoing) = Outbox::new(server.statistics.clone());
    let is_connected = open.is_connected.clone();
    let reader = Reader::new(server, &socket, &form, is_connected, (place, outbox));
    let writer = Writer::new(server, &socket, &form);
    // The reader lives in its future: with it goes its share of the outbox, and the writer ends
    // once the requests under way are answered.
    let mut stopping = stopped.clone();
    let mut reading = pin!(async move {
        tokio::select! {
            biased;
            () = stopping.wait() => Ending::Finished,
            ending = reader.run() => ending,
        }
    });
    let mut writing = pin!(writer.run(outgoing, stopped.clone()));
    let written = tokio::select! {
        written = &mut writing => written,
        ending = &mut reading => match ending {
            Ending::Abandoned => return,
            Ending::Finished | Ending::Refused => writing.await,
        },
    };
    if written.is_ok() {
        tokio::select! {
            () = socket.close(LINGER) => {}
            () = stopped.wait() => socket.close(Duration::ZERO).await,
        }
    }
}

/// Tells a client which connections are too many.
pub(super) async fn refuse(server: &ServiceServer, socket: Socket, too_many: String) {
    let form = tokio::time::timeout(FIRST_BYTE, first_byte(&socket)).await;
    let form = form.ok().flatten().unwrap_or(ProtocolForm::Binary);
    let reason = format!(
        "{too_many} are open, which is the limit; close one, or raise the limit in the service's \
         configuration"
    );
    let refused = RefusedRequest::new(Status::TooManyConnections, reason);
    server.statistics.count_refusal(&refused);
    let response = Response {
        id: 0,
        body: Err(refused),
    };
    server.statistics.count_answer(&response);
    let bytes = form.encode_response(&response);
    let written = tokio::time::timeout(server.limits.write_timeout, socket.write(&bytes)).await;
    if matches!(written, Ok(Ok(()))) {
        socket.close(LINGER).await;
    }
}

/// Waits for the first byte, and returns the form that it announces.
async fn first_byte(socket: &Socket) -> Option<ProtocolForm> {
    let mut form = None;
    loop {
        socket.readable().await.ok()?;
        let read = socket.read_into(|bytes| {
            let first = bytes.first().copied();
            form = first.and_then(|first| ProtocolForm::of_first_byte(first).ok());
        });
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            _ => return form,
        }
    }
}

/// Counts a connection while it is open, and says whether it is.
struct Open<'c> {
    server: &'c ServiceServer,
    is_connected: Arc<AtomicBool>,
}

impl<'c> Open<'c> {
    fn new(server: &'c ServiceServer) -> Self {
        server.statistics.connections_accepted.increment();
        server.statistics.connections_open.increment();
        Self {
            server,
            is_connected: Arc::new(AtomicBool::new(true)),
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.is_connected.store(false, Ordering::Relaxed);
        self.server.statistics.connections_open.decrement();
    }
}
