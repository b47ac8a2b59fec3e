//! Signals to a server process: reload and shutdown.

use std::future::pending;
use std::io;
use std::sync::Arc;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(unix)]
use tokio::task::spawn_blocking;

use super::PkiService;

/// Receivers of the signals: SIGHUP, SIGTERM and SIGINT.
#[cfg(unix)]
pub(super) struct Signals {
    reload: Signal,
    terminate: Signal,
    interrupt: Signal,
}

#[cfg(unix)]
impl Signals {
    /// Registers for the signals; call it within a Tokio runtime.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            reload: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Reloads the service on each SIGHUP, one reload at a time, until SIGTERM or SIGINT.
    async fn wait<S: PkiService>(mut self, service: Arc<S>) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.reload.recv() => {}
            }
            let service = Arc::clone(&service);
            let reloaded = spawn_blocking(move || service.reload());
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                // A reload that panicked changed nothing.
                _ = reloaded => {}
            }
        }
    }
}

/// Other platforms have only ^C.
#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn wait<S: PkiService>(self, _: Arc<S>) {
        // Without signals, only the handle ends the server.
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
    }
}

/// Waits until a signal ends the server; never returns without signals.
pub(super) async fn until_ordered_to_end<S: PkiService>(signals: Option<Signals>, service: Arc<S>) {
    match signals {
        Some(signals) => signals.wait(service).await,
        None => pending().await,
    }
}
