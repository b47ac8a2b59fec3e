//! The HTTP face of the service: `/sign` as US roadside systems have it, `/verify` beside it,
//! `/metrics` and `/health`.
//!
//! `docs/service-protocol.md` has the paths and bodies. Signing needs a bearer token. There is no
//! TLS: listen on a loopback address, or behind a proxy.

mod answer;
mod body;
mod places;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::ServerStatistics;
use crate::access::Grant;
use crate::service::Service;
use answer::Answerer;
use places::{Place, Places};

/// Bounds and choices of the HTTP face.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// The application that `/sign` signs for where a request names none; `None`: a request has to
    /// name one.
    pub sign_psid: Option<Psid>,
    /// Applications by the type that a request names; if there are any, others are refused.
    pub sign_types: BTreeMap<String, Psid>,
    /// The grant of a client without a token; a browser does not get it.
    pub without_token: Grant,
    /// The most connections at once. One more takes the place of that which has waited for its
    /// client for longest, or waits until there is one. 1 to 10,000.
    pub connections: usize,
    /// The longest body of a request, in bytes.
    pub body_bytes: usize,
    /// The longest head of a request, in bytes; at least 8,192.
    pub head_bytes: usize,
    /// Number of wrong tokens after which a connection is closed.
    pub wrong_tokens: usize,
    /// Delay of the answer to a wrong token.
    pub wrong_token_delay: Duration,
    /// Longest time for the head of a request, and for an idle connection.
    pub head: Duration,
    /// Longest time for the body of a request.
    pub body: Duration,
    /// Longest time for an answer.
    pub answer: Duration,
    /// Longest time for a connection.
    pub connection: Duration,
    /// Longest time for requests under way at the end of the server.
    pub shutdown: Duration,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            sign_psid: None,
            sign_types: BTreeMap::new(),
            without_token: Grant::default(),
            connections: 64,
            // The longest message in base64 and what is around it.
            body_bytes: 112 << 10,
            head_bytes: 8 << 10,
            wrong_tokens: 5,
            wrong_token_delay: Duration::from_millis(500),
            head: Duration::from_secs(5),
            body: Duration::from_secs(10),
            answer: Duration::from_secs(5),
            connection: Duration::from_secs(120),
            shutdown: Duration::from_secs(5),
        }
    }
}

type GrantOfToken = dyn Fn(&[u8]) -> Option<Grant> + Send + Sync;

/// Says what a bearer token grants; `None` for an unknown one. It compares in constant time.
#[derive(Clone)]
pub struct TokenGrants(Arc<GrantOfToken>);

impl TokenGrants {
    /// Makes it of a function.
    #[must_use]
    pub fn new(grant: impl Fn(&[u8]) -> Option<Grant> + Send + Sync + 'static) -> Self {
        Self(Arc::new(grant))
    }

    fn of(&self, token: &[u8]) -> Option<Grant> {
        (self.0)(token)
    }
}

impl fmt::Debug for TokenGrants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenGrants")
    }
}

/// Pause after the operating system refused a connection, such as for want of descriptors: time for
/// other connections to end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop` is true or its sender is gone, and counts in `statistics` what it refuses.
/// Requests under way are answered first, for at most [`HttpSettings::shutdown`].
pub async fn serve_http(
    listener: TcpListener,
    service: Arc<dyn Service>,
    tokens: TokenGrants,
    settings: HttpSettings,
    statistics: Arc<ServerStatistics>,
    mut stop: watch::Receiver<bool>,
) {
    let settings = Arc::new(settings);
    let answerer = Arc::new(Answerer::new(service, tokens, settings.clone(), statistics));
    let mut open = JoinSet::new();
    let mut places = Places::default();
    // A connection that has no place yet.
    let mut next = None;
    let most = settings.connections.max(1);
    let stopped = stop.clone();
    loop {
        if next.is_some() && open.len() >= most && places.end_one() {
            // The connection ends at once.
            open.join_next().await;
        }
        if open.len() < most
            && let Some((stream, peer)) = next.take()
        {
            let place = places.place(peer);
            let (answerer, settings) = (answerer.clone(), settings.clone());
            let serving = connection(stream, place.clone(), (answerer, settings), stopped.clone());
            places.opened(place, open.spawn(serving));
        }
        tokio::select! {
            _ = stop.wait_for(|is_stopped| *is_stopped) => break,
            Some(_) = open.join_next(), if !open.is_empty() => {}
            () = places.waits(), if next.is_some() => {}
            accepted = listener.accept(), if next.is_none() => {
                match accepted {
                    Ok(accepted) => next = Some(accepted),
                    Err(error) => {
                        tracing::warn!(%error, "no HTTP connection can be accepted");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                }
            },
        }
    }
    drop(listener);
    let finish = async { while open.join_next().await.is_some() {} };
    // The rest is aborted as the set is dropped.
    let _ = tokio::time::timeout(settings.shutdown, finish).await;
}

/// Serves one connection. An error is the client's affair: it is gone, or speaks no HTTP.
async fn connection(
    stream: TcpStream,
    place: Arc<Place>,
    (answerer, settings): (Arc<Answerer>, Arc<HttpSettings>),
    mut stop: watch::Receiver<bool>,
) {
    let service = service_fn(move |request| {
        let (answerer, place) = (answerer.clone(), place.clone());
        async move { answerer.answer(request, &place).await }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(settings.head)
        .max_buf_size(settings.head_bytes.max(8 << 10))
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = std::pin::pin!(serving);
    let ended = tokio::time::timeout(settings.connection, async {
        tokio::select! {
            ended = &mut serving => return ended,
            _ = stop.wait_for(|is_stopped| *is_stopped) => serving.as_mut().graceful_shutdown(),
        }
        serving.await
    });
    let _ = ended.await;
}
