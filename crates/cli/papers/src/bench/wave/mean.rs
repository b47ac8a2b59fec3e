//! Mean times.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// A mean time that grows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    spent: Duration,
    count: u32,
}

impl Mean {
    pub(super) fn add(&mut self, spent: Duration) {
        self.spent += spent;
        self.count += 1;
    }

    /// Returns the mean; zero of nothing.
    pub(super) fn get(self) -> Duration {
        self.spent / self.count.max(1)
    }

    /// Does something so many times, once more before.
    pub(super) fn of<T>(runs: u32, mut work: impl FnMut() -> T) -> Duration {
        black_box(work());
        let begun = Instant::now();
        for _ in 0..runs {
            black_box(work());
        }
        begun.elapsed() / runs.max(1)
    }
}
