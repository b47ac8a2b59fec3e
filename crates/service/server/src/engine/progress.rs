//! Working time of each thread of the engine at one thing, so that one that hangs is found.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A thread of the engine that is at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusyThread {
    /// Its name: `sign`, `decrypt`, `encrypt`, `expand`, or `verify-` and a number.
    pub name: String,
    /// Time spent so far on one request, one batch of messages, or one part of a list.
    pub busy: Duration,
}

/// The threads of an engine.
#[derive(Default)]
pub(super) struct Threads(Mutex<Vec<Arc<Progress>>>);

/// The progress of a thread.
pub(super) struct Progress {
    name: String,
    made: Instant,
    /// Start of its present work, in microseconds after `made`, plus 1; 0 while it waits for work.
    began: AtomicU64,
}

/// A thread is at work until this is dropped.
pub(super) struct Busy<'p>(&'p Progress);

impl Threads {
    /// Adds a thread that is about to start.
    pub(super) fn add(&self, name: &str) -> Arc<Progress> {
        let progress = Arc::new(Progress {
            name: name.to_owned(),
            made: Instant::now(),
            began: AtomicU64::new(0),
        });
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(&progress));
        progress
    }

    /// Returns the threads that have been at one thing for at least so long.
    pub(super) fn busy(&self, least: Duration) -> Vec<BusyThread> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let busy = all.iter().filter_map(|one| {
            let busy = one.busy()?;
            (busy >= least).then(|| BusyThread {
                name: one.name.clone(),
                busy,
            })
        });
        busy.collect()
    }
}

impl Progress {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The thread begins to work.
    pub(super) fn begin(&self) -> Busy<'_> {
        self.advance();
        Busy(self)
    }

    /// The thread has done a part of long work, and begins the next.
    pub(super) fn advance(&self) {
        self.began.store(self.now() + 1, Ordering::Relaxed);
    }

    fn busy(&self) -> Option<Duration> {
        let began = self.began.load(Ordering::Relaxed).checked_sub(1)?;
        Some(Duration::from_micros(self.now().saturating_sub(began)))
    }

    fn now(&self) -> u64 {
        let passed = self.made.elapsed().as_micros();
        u64::try_from(passed).unwrap_or(u64::MAX - 1)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        // A thread that panics will do no more work: it stays busy, so that it is found.
        if !thread::panicking() {
            self.0.began.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_busy_while_it_works_and_for_ever_once_it_panicked() {
        let threads = Threads::default();
        let names = || -> Vec<String> {
            let busy = threads.busy(Duration::ZERO).into_iter();
            busy.map(|one| one.name).collect()
        };
        let worker = threads.add("worker");
        assert!(names().is_empty());
        let busy = worker.begin();
        worker.advance();
        assert_eq!(names(), ["worker"]);
        assert!(threads.busy(Duration::from_secs(3_600)).is_empty());
        drop(busy);
        assert!(names().is_empty());
        let failing = threads.add("failing");
        let ended = thread::spawn(move || {
            let _busy = failing.begin();
            panic!("as a test wants it");
        });
        assert!(ended.join().is_err());
        assert_eq!(names(), ["failing"]);
    }
}
