//! Runs of vehicles side by side, with a bar on a terminal and else a line a minute.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_command_line::messages;
use waywarden_command_line::progress::{ProgressLine, TICK};

/// Number of jobs at a time, and the words of the lines about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jobs {
    /// Number of jobs at a time; by default as many as there are processors.
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Name of the command in these lines.
    pub(crate) command: &'static str,
    /// Name of the jobs, in the plural.
    pub(crate) what: &'static str,
}

/// Runs `work` on each item; the results are in the order of the items, in whichever they ended.
pub(crate) fn run<T: Sync, R: Send>(
    items: &[T],
    jobs: Jobs,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut results = Vec::with_capacity(items.len());
    let work = |at: usize| items.get(at).map(&work);
    fold(items.len(), jobs, work, |at, result| {
        results.extend(result.map(|result| (at, result)));
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Runs `work` on each number below `count`. `take` gets each result as it comes, in any order;
/// only as many wait for it as run at a time.
pub(crate) fn fold<R: Send>(
    count: usize,
    jobs: Jobs,
    work: impl Fn(usize) -> R + Sync,
    take: impl FnMut(usize, R),
) {
    let one = NonZeroUsize::MIN;
    let number = jobs.jobs.or(thread::available_parallelism().ok());
    let number = number.unwrap_or(one).get().min(count);
    let next = AtomicUsize::new(0);
    let (sender, done) = mpsc::sync_channel(number);
    let worker = |sender: mpsc::SyncSender<(usize, R)>| {
        // Each turn takes another number, so there are as many turns as numbers.
        while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < count) {
            if sender.send((at, work(at))).is_err() {
                return;
            }
        }
    };
    let worker = &worker;
    thread::scope(|scope| {
        for _ in 0..number {
            let sender = sender.clone();
            scope.spawn(move || worker(sender));
        }
        // The results end when the last worker has dropped its sender.
        drop(sender);
        gather(&done, count, jobs, take);
    });
}

/// Hands on the results as they come, and shows how many there are.
fn gather<R>(
    done: &mpsc::Receiver<(usize, R)>,
    all: usize,
    jobs: Jobs,
    mut take: impl FnMut(usize, R),
) {
    let bar = bar(all, jobs.what);
    let mut lines = ProgressLine::new(jobs.what, all);
    let begun = Instant::now();
    let mut number = 0;
    loop {
        match done.recv_timeout(TICK) {
            Ok((at, result)) => {
                take(at, result);
                number += 1;
                bar.inc(1);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let line = lines.line(begun.elapsed(), number);
        if let Some(line) = line.filter(|_| bar.is_hidden()) {
            messages::status(format_args!("{}: {line}", jobs.command));
        }
    }
    bar.finish_and_clear();
}

fn bar(all: usize, what: &str) -> ProgressBar {
    let bar = if messages::shows_progress() {
        ProgressBar::new(all as u64)
    } else {
        ProgressBar::hidden()
    };
    let template = format!("{{bar:40}} {{pos}} of {{len}} {what} {{elapsed}} ({{eta}} to go)");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}
