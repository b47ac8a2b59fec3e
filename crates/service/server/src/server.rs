//! The sockets of the service: Unix-domain streams and datagrams, and TCP.
//!
//! Each connection has a reader and a writer on one thread. The reader begins requests until as
//! many are under way as [`ServiceLimits`] permits; then it reads no further, and the client's
//! socket fills up. An answer goes out when it is done, so that a client tells its requests apart
//! by their numbers. A request is under way until its answer is written: that bounds what waits for
//! a client that does not read.
//!
//! [`Listeners::open`] makes the sockets, before the process gives up its privileges.
//! [`ServiceServer::serve`] then serves them, on the runtime of its caller.

mod budget;
mod connection;
mod datagram;
mod descriptors;
pub mod http;
mod limits;
mod listen_error;
mod listeners;
mod log_limit;
mod memory;
mod outgoing;
mod passed;
mod places;
mod reader;
mod shares;
mod socket;
mod socket_file;
mod statistics;
mod stop;
mod stream;
mod user_frames;
mod writer;

use std::fmt;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

pub use limits::{LimitError, ServiceLimits};
pub use listen_error::{ListenError, PassedSocketError, SocketProblem};
pub use listeners::{Listeners, Sockets};
pub use passed::PassedSockets;
pub(crate) use statistics::Counts;
pub use statistics::{Counter, ServerStatistics};
pub use stop::{Stop, Stopped};

use memory::Memory;

use crate::access::Access;
use crate::service::Service;

/// Pause of a socket after the operating system refused it, such as for want of descriptors: time
/// for other connections to end.
const ERROR_PAUSE: Duration = Duration::from_millis(100);

/// Serves clients at sockets.
pub struct ServiceServer {
    service: Arc<dyn Service>,
    access: Arc<Access>,
    limits: ServiceLimits,
    statistics: Arc<ServerStatistics>,
    memory: Arc<Memory>,
}

impl fmt::Debug for ServiceServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl ServiceServer {
    /// Makes a server of a service.
    ///
    /// # Errors
    /// A limit that is out of its range.
    pub fn new(
        service: Arc<dyn Service>,
        access: Arc<Access>,
        limits: ServiceLimits,
    ) -> Result<Arc<Self>, LimitError> {
        Self::counting_in(Arc::default(), service, access, limits)
    }

    /// Makes a server that counts in `statistics`, such as those of [`Metrics::sockets`].
    ///
    /// # Errors
    /// A limit that is out of its range.
    ///
    /// [`Metrics::sockets`]: crate::metrics::Metrics::sockets
    pub fn counting_in(
        statistics: Arc<ServerStatistics>,
        service: Arc<dyn Service>,
        access: Arc<Access>,
        limits: ServiceLimits,
    ) -> Result<Arc<Self>, LimitError> {
        limits.check()?;
        Ok(Arc::new(Self {
            memory: Arc::new(Memory::new(&limits)),
            service,
            access,
            limits,
            statistics,
        }))
    }

    /// Returns the statistics of the server.
    #[must_use]
    pub fn statistics(&self) -> Arc<ServerStatistics> {
        self.statistics.clone()
    }

    /// Serves until it is stopped. Then it answers the requests that are under way, for at most
    /// [`ServiceLimits::shutdown`], closes the connections and removes the sockets' files.
    ///
    /// It runs on a tokio runtime with I/O and time. One thread is enough.
    ///
    /// # Errors
    /// The runtime cannot use the sockets.
    pub async fn serve(self: &Arc<Self>, listeners: Listeners, stopped: Stopped) -> io::Result<()> {
        descriptors::reserve(self.limits.connections);
        let Listeners {
            stream,
            datagram,
            tcp,
        } = listeners;
        let (unix, _stream_file) = stream.unzip();
        let (datagram, _datagram_file) = datagram.unzip();
        let unix = unix.map(tokio::net::UnixListener::from_std).transpose()?;
        let tcp = tcp.map(tokio::net::TcpListener::from_std).transpose()?;
        let datagram = datagram
            .map(tokio::net::UnixDatagram::from_std)
            .transpose()?;
        let mut serving = pin!(async {
            tokio::join!(
                stream::serve(self, unix, tcp, stopped.clone()),
                datagram::serve(self, datagram, stopped.clone()),
            )
        });
        let mut stopping = stopped.clone();
        tokio::select! {
            _ = &mut serving => return Ok(()),
            () = stopping.wait() => {}
            () = report(&self.statistics) => {}
        }
        let ended = tokio::time::timeout(self.limits.shutdown, serving).await;
        if ended.is_err() {
            tracing::warn!("requests were not answered before the service ended");
        }
        Ok(())
    }
}

/// Logs now and then how many lines were left out of the log.
async fn report(statistics: &ServerStatistics) {
    loop {
        tokio::time::sleep(log_limit::WINDOW).await;
        statistics.logged.report();
    }
}
