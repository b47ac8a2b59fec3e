//! Counts of a recording, for metrics.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts of a recording so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingCounts {
    /// Verdicts that were handed to the operating system.
    pub recorded: u64,
    /// Verdicts that were lost because the recording was too slow. The recording may not have
    /// been meant to have all of them.
    pub lagged: u64,
    /// Verdicts that were lost because a file could not be written.
    pub unwritten: u64,
    /// Files that were begun.
    pub files: u64,
    /// Old files that were removed.
    pub removed: u64,
    /// True while files cannot be written.
    pub is_failing: bool,
}

/// The same, shared between threads. Each number is read by itself.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) recorded: AtomicU64,
    pub(super) lagged: AtomicU64,
    pub(super) unwritten: AtomicU64,
    pub(super) files: AtomicU64,
    pub(super) removed: AtomicU64,
    pub(super) is_failing: AtomicBool,
}

impl Counters {
    pub(super) fn read(&self) -> RecordingCounts {
        RecordingCounts {
            recorded: self.recorded.load(Ordering::Relaxed),
            lagged: self.lagged.load(Ordering::Relaxed),
            unwritten: self.unwritten.load(Ordering::Relaxed),
            files: self.files.load(Ordering::Relaxed),
            removed: self.removed.load(Ordering::Relaxed),
            is_failing: self.is_failing.load(Ordering::Relaxed),
        }
    }
}

/// Adds to a number.
pub(super) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}
