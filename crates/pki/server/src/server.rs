//! The HTTP server of a PKI: requests of stations in, responses of the roles out.
//!
//! One thread reads and writes; a bounded number of others run the roles, which sign and wait for
//! the medium. Each kind of request has its own threads, so that an enrolment authority that does
//! not answer leaves the others alone. Every queue, size and time has a bound in
//! [`PkiServerLimits`].
//!
//! Paths and content types are those of ETSI TS 102 941 where it has them: see [`Endpoint`] and
//! [`PublicDocument`].

mod answer;
mod limits;
mod rate;
mod route;
mod signals;

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use answer::{NoResponse, RequestEvent};
pub use limits::PkiServerLimits;
pub use rate::{RateLimit, RateLimiter};
pub use route::{Endpoint, PublicDocument, REQUEST_TYPE, RESPONSE_TYPE};

use answer::Shared;
use signals::Signals;

/// The service behind a server. Calls come from several threads at once.
pub trait PkiService: Send + Sync + 'static {
    /// Answers a request. What it issues is on the medium before it returns.
    ///
    /// # Errors
    /// [`NoResponse`] where the standard has no response to send.
    fn answer(&self, endpoint: Endpoint, request: &[u8]) -> Result<Vec<u8>, NoResponse>;

    /// Returns a document that anyone may have.
    fn document(&self, document: PublicDocument) -> Option<Vec<u8>>;

    /// Takes note of a request that was answered or refused.
    fn log(&self, event: &RequestEvent<'_>);

    /// Loads again what it serves, on SIGHUP. Requests are answered meanwhile, and what cannot be
    /// loaded changes nothing.
    fn reload(&self) {}
}

/// An error that ends the server, or prevents its start.
#[derive(Debug)]
pub enum ServerError {
    /// The operating system gives no threads or signals.
    Runtime(io::Error),
    /// The address cannot be listened on.
    Listen(io::Error),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runtime(error) => write!(f, "the server cannot start: {error}"),
            Self::Listen(error) => write!(f, "the address cannot be served: {error}"),
        }
    }
}

impl std::error::Error for ServerError {}

/// Ends a server: from another thread, or when it is dropped.
#[derive(Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Makes a handle, and what [`PkiServer::serve`] waits on.
    #[must_use]
    pub fn new() -> (Self, Stopped) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Stopped(receiver))
    }

    /// Has the server take no more connections, finish its requests and end.
    pub fn stop(&self) {
        let _ = self.0.send(true);
    }
}

/// The receiving end of [`Stop`], for a server.
#[derive(Clone, Debug)]
pub struct Stopped(watch::Receiver<bool>);

impl Stopped {
    async fn wait(&mut self) {
        // An error means that the handle is gone, which ends the server as well.
        let _ = self.0.wait_for(|is_stopped| *is_stopped).await;
    }
}

/// A server that is ready to serve.
pub struct PkiServer<S> {
    runtime: Runtime,
    listener: TcpListener,
    shared: Arc<Shared<S>>,
    limits: PkiServerLimits,
    signals: Option<Signals>,
}

impl<S: PkiService> PkiServer<S> {
    /// Takes what is served, and where.
    ///
    /// # Errors
    /// [`ServerError::Runtime`].
    pub fn new(
        listener: TcpListener,
        service: Arc<S>,
        limits: PkiServerLimits,
    ) -> Result<Self, ServerError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            // One more, which reloads.
            .max_blocking_threads(limits.threads() + 1)
            .build()
            .map_err(ServerError::Runtime)?;
        Ok(Self {
            runtime,
            listener,
            shared: Arc::new(Shared::new(service, limits)),
            limits,
            signals: None,
        })
    }

    /// Ends on SIGTERM and SIGINT, too, and reloads on SIGHUP, from now on: those that come before
    /// it serves are not lost.
    ///
    /// # Errors
    /// [`ServerError::Runtime`].
    pub fn with_signals(mut self) -> Result<Self, ServerError> {
        let signals = {
            let _entered = self.runtime.enter();
            Signals::new().map_err(ServerError::Runtime)?
        };
        self.signals = Some(signals);
        Ok(self)
    }

    /// Serves until the handle or a signal ends it. Requests that are under way are answered first,
    /// for at most [`PkiServerLimits::shutdown`].
    ///
    /// # Errors
    /// [`ServerError::Listen`].
    pub fn serve(self, mut stopped: Stopped) -> Result<(), ServerError> {
        let Self {
            runtime,
            listener,
            shared,
            limits,
            signals,
        } = self;
        let served = runtime.block_on(async {
            listener
                .set_nonblocking(true)
                .map_err(ServerError::Listen)?;
            let listener =
                tokio::net::TcpListener::from_std(listener).map_err(ServerError::Listen)?;
            let (stop, inner) = Stop::new();
            let service = shared.service();
            let mut serving = std::pin::pin!(accept(listener, shared, limits, inner));
            tokio::select! {
                () = &mut serving => return Ok(()),
                () = stopped.wait() => {}
                () = signals::until_ordered_to_end(signals, service) => {}
            }
            stop.stop();
            let _ = tokio::time::timeout(limits.shutdown, serving).await;
            Ok(())
        });
        // A role that waits for another authority, or a reload, must not hold up the end.
        runtime.shutdown_timeout(Duration::from_millis(100));
        served
    }
}

/// Pause after the operating system refused a connection, such as for want of descriptors: time for
/// other connections to end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Takes connections until it is stopped, then waits for those that are open.
async fn accept<S: PkiService>(
    listener: tokio::net::TcpListener,
    shared: Arc<Shared<S>>,
    limits: PkiServerLimits,
    mut stopped: Stopped,
) {
    let mut open = JoinSet::new();
    let mut by_peer: HashMap<IpAddr, usize> = HashMap::new();
    loop {
        tokio::select! {
            () = stopped.wait() => break,
            Some(ended) = open.join_next(), if !open.is_empty() => {
                leave(&mut by_peer, ended.ok());
            }
            accepted = listener.accept(), if open.len() < limits.connections => match accepted {
                Ok((stream, peer)) => {
                    let group = rate::group(peer.ip());
                    let own = by_peer.entry(group).or_default();
                    // Above its share a connection is closed: it has not been read.
                    if *own < limits.connections_of_peer {
                        *own += 1;
                        let one = connection(stream, peer, shared.clone(), limits, stopped.clone());
                        open.spawn(async move {
                            one.await;
                            group
                        });
                    }
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// Counts a connection that ended. The share of one whose task failed is lost, not its place.
fn leave(by_peer: &mut HashMap<IpAddr, usize>, group: Option<IpAddr>) {
    let Some(group) = group else { return };
    if let Some(own) = by_peer.get_mut(&group) {
        *own -= 1;
        if *own == 0 {
            by_peer.remove(&group);
        }
    }
}

/// Serves one connection. An error is the peer's affair: it is gone, or speaks no HTTP.
async fn connection<S: PkiService>(
    stream: TcpStream,
    peer: SocketAddr,
    shared: Arc<Shared<S>>,
    limits: PkiServerLimits,
    mut stopped: Stopped,
) {
    let service = service_fn(move |request| {
        let shared = shared.clone();
        async move { shared.answer(peer, request).await }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(limits.head_bytes)
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = std::pin::pin!(serving);
    let ended = tokio::time::timeout(limits.connection, async {
        tokio::select! {
            ended = &mut serving => return ended,
            () = stopped.wait() => serving.as_mut().graceful_shutdown(),
        }
        serving.await
    });
    let _ = ended.await;
}
