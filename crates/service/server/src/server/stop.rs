//! Shutdown of a server.

use tokio::sync::watch;

/// Ends a server: from another thread, or when it is dropped.
#[derive(Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Makes a handle, and what servers wait on.
    #[must_use]
    pub fn new() -> (Self, Stopped) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Stopped(receiver))
    }

    /// Has the servers take no more requests, answer those that are under way, and end.
    pub fn stop(&self) {
        let _ = self.0.send(true);
    }
}

/// The receiving end of [`Stop`], for a server.
#[derive(Clone, Debug)]
pub struct Stopped(watch::Receiver<bool>);

impl Stopped {
    /// Waits until the server is to end.
    pub async fn wait(&mut self) {
        // An error means that the handle is gone, which ends the server as well.
        let _ = self.0.wait_for(|is_stopped| *is_stopped).await;
    }
}

impl From<Stopped> for watch::Receiver<bool> {
    /// Returns a receiver that turns true at the end, for a server that waits on that.
    fn from(Stopped(receiver): Stopped) -> Self {
        receiver
    }
}
