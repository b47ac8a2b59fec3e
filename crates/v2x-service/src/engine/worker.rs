//! A thread with a bounded queue of work.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use super::progress::Progress;

/// A thread that does work in the order in which it comes. It ends when the worker is dropped,
/// after the work that waits.
pub(super) struct Worker<T> {
    sender: Option<SyncSender<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts a thread of the name that `progress` has, with room for so much waiting work.
    pub(super) fn start(
        progress: Arc<Progress>,
        room: usize,
        mut work: impl FnMut(T) + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(room.max(1));
        let thread = thread::Builder::new().name(progress.name().to_owned());
        let thread = thread.spawn(move || {
            for job in &receiver {
                let _busy = progress.begin();
                work(job);
            }
        })?;
        Ok(Self {
            sender: Some(sender),
            thread: Some(thread),
        })
    }

    /// Hands over work, or gives it back if there is no room or the thread is gone.
    pub(super) fn offer(&self, work: T) -> Result<(), T> {
        match &self.sender {
            None => Err(work),
            Some(sender) => sender.try_send(work).map_err(|error| match error {
                TrySendError::Full(work) | TrySendError::Disconnected(work) => work,
            }),
        }
    }

    /// Hands over work, and waits for room.
    pub(super) fn put(&self, work: T) {
        if let Some(sender) = &self.sender {
            // An error means that the thread is gone, and its work with it.
            let _ = sender.send(work);
        }
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
