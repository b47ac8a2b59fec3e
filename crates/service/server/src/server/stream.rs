//! Accepts stream connections.

use std::io;
use std::sync::Arc;

use tokio::net::{TcpListener, UnixListener};
use tokio::task::JoinSet;

use super::places::Places;
use super::socket::Socket;
use super::{ServiceServer, Stopped, connection};

/// Most connections above the limit that get a refusal at once. More are closed without one.
const REFUSED_MAX: usize = 64;

/// Accepts connections until it is stopped, then waits for those that are open.
pub(super) async fn serve(
    server: &Arc<ServiceServer>,
    unix: Option<UnixListener>,
    tcp: Option<TcpListener>,
    mut stopped: Stopped,
) {
    let places = Places::new(&server.limits);
    let mut open = JoinSet::new();
    let mut refused = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stopped.wait() => break,
            Some(_) = open.join_next(), if !open.is_empty() => continue,
            Some(_) = refused.join_next(), if !refused.is_empty() => continue,
            accepted = accept_unix(unix.as_ref()) => accepted,
            accepted = accept_tcp(tcp.as_ref()) => accepted,
        };
        let socket = match accepted {
            Ok(socket) => socket,
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(super::ERROR_PAUSE).await;
                continue;
            }
        };
        let server = server.clone();
        let limit = server.limits.connections;
        let taken = if open.len() < limit {
            let peer = socket.peer();
            let grant = server.access.grant_of_peer(peer);
            places.take(peer, !grant.is_empty())
        } else {
            Err(format!("{limit} connections"))
        };
        match taken {
            Ok(place) => {
                let stopped = stopped.clone();
                open.spawn(async move { connection::serve(&server, socket, place, stopped).await });
            }
            Err(too_many) => {
                server.statistics.connections_refused.increment();
                if refused.len() < REFUSED_MAX {
                    refused
                        .spawn(async move { connection::refuse(&server, socket, too_many).await });
                }
            }
        }
    }
    // From here on the operating system refuses connections.
    drop((unix, tcp, refused));
    while open.join_next().await.is_some() {}
}

async fn accept_unix(listener: Option<&UnixListener>) -> io::Result<Socket> {
    match listener {
        Some(listener) => listener
            .accept()
            .await
            .map(|(socket, _)| Socket::Unix(socket)),
        None => std::future::pending().await,
    }
}

async fn accept_tcp(listener: Option<&TcpListener>) -> io::Result<Socket> {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    let (socket, _) = listener.accept().await?;
    // Responses are written in batches already. Without it they only come later.
    let _ = socket.set_nodelay(true);
    Ok(Socket::Tcp(socket))
}
