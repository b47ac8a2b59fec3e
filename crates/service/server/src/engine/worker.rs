//! A thread with a bounded queue of work.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::fair::FairQueue;
use super::progress::Progress;
use crate::service::ClientId;

/// A thread that does the work of each client in the order in which it comes, and that of several
/// clients in turn. It ends when the worker is dropped, after the work that waits.
pub(super) struct Worker<T> {
    queue: Arc<FairQueue<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts a thread of the name that `progress` has, with room for so much waiting work.
    pub(super) fn start(
        progress: Arc<Progress>,
        room: usize,
        mut work: impl FnMut(T) + Send + 'static,
    ) -> io::Result<Self> {
        let queue = Arc::new(FairQueue::new(room));
        let own = Taker(Arc::clone(&queue));
        let thread = thread::Builder::new().name(progress.name().to_owned());
        let thread = thread.spawn(move || {
            while let Some(job) = own.0.take() {
                let _busy = progress.begin();
                work(job);
            }
        })?;
        Ok(Self {
            queue,
            thread: Some(thread),
        })
    }

    /// Hands over work of a client. Returns work that has no room: this, or the last of the client
    /// of whom most waits.
    pub(super) fn offer(&self, client: ClientId, work: T) -> Option<T> {
        self.queue.push(client, work)
    }

    /// Hands over work that comes before all that waits. It is dropped if the thread is gone.
    pub(super) fn put_first(&self, work: T) {
        drop(self.queue.push_first(work));
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread's end of the queue. With it goes what waits, also if the thread panics, so that it is
/// answered.
struct Taker<T>(Arc<FairQueue<T>>);

impl<T> Drop for Taker<T> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
