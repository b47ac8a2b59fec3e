//! Jobs side by side, on threads that Ctrl-C leaves behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::Failure;
use crate::watch::Watch;

/// Time between two looks for signals while no job ends.
const TICK: Duration = Duration::from_millis(5);

/// True once the results are not wanted any more.
pub(crate) type Stop = AtomicBool;

/// Runs `work` on each number below `count`, `number` at a time. `take` gets each result as it
/// comes, in any order. A signal ends the wait at once: a job that runs ends by itself, as soon as
/// it looks at its [`Stop`].
pub(crate) fn fold<R: Send + 'static>(
    py: Python<'_>,
    (count, number): (usize, usize),
    mut watch: Watch,
    work: impl Fn(usize, &Stop) -> R + Send + Sync + 'static,
    mut take: impl FnMut(usize, R) + Send,
) -> PyResult<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let (next, work) = (Arc::new(AtomicUsize::new(0)), Arc::new(work));
    let (sender, done) = mpsc::sync_channel(number);
    for _ in 0..number.min(count) {
        let (is_over, next) = (Arc::clone(&stop), Arc::clone(&next));
        let (work, sender) = (Arc::clone(&work), sender.clone());
        let turn = move || {
            while !is_over.load(Ordering::Relaxed) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count || sender.send((at, work(at, &is_over))).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("waywarden".to_owned());
        if let Err(error) = thread.spawn(turn) {
            stop.store(true, Ordering::Relaxed);
            let why = format!("the system starts no thread: {error}; take fewer jobs");
            return Err(Failure::new("SimulationError", why).into());
        }
    }
    drop(sender);
    let watching = &mut watch;
    // A sender that waits ends with `done`, which this takes.
    let is_broken = py.detach(move || {
        let mut ended = 0;
        while ended < count {
            match done.recv_timeout(TICK) {
                Ok((at, result)) => {
                    take(at, result);
                    ended += 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                // A job has panicked.
                Err(RecvTimeoutError::Disconnected) => return true,
            }
            if !watching.go_on(ended as f64 / count as f64) {
                return false;
            }
        }
        false
    });
    stop.store(true, Ordering::Relaxed);
    if is_broken {
        let why = "a job ended without a result: a fault of this package, please report it";
        return Err(Failure::new("SimulationError", why).into());
    }
    watch.finish(py)
}

/// Runs `work` on each number below `count` as [`fold`] does; returns the results in order.
pub(crate) fn in_order<R: Send + 'static>(
    py: Python<'_>,
    (count, number): (usize, usize),
    watch: Watch,
    work: impl Fn(usize, &Stop) -> Option<R> + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    let mut results = Vec::with_capacity(count);
    fold(py, (count, number), watch, work, |at, result| {
        results.extend(result.map(|result| (at, result)));
    })?;
    results.sort_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
