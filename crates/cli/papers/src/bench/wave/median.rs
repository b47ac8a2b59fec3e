//! Medians of processor time: what other programs do on the machine counts as little as it can.

use std::hint::black_box;
use std::time::Duration;

use crate::bench::stopwatch::thread_time;

/// The least time of one reading: far above what the clock costs.
const READING: Duration = Duration::from_micros(500);

/// The least and the greatest number of readings of an operation.
const READINGS: (u32, u32) = (5, 101);

/// Processor times whose median is wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct Median(Vec<Duration>);

impl Median {
    pub(super) fn add(&mut self, spent: Duration) {
        self.0.push(spent);
    }

    /// Returns the median; zero of nothing.
    pub(super) fn get(&self) -> Duration {
        let mut readings = self.0.clone();
        readings.sort_unstable();
        readings
            .get(readings.len() / 2)
            .copied()
            .unwrap_or_default()
    }

    /// Returns the median time of `work` on this thread, over about `runs` calls after a first one;
    /// more calls where `runs` gives fewer than five readings.
    pub(super) fn of<T>(runs: u32, mut work: impl FnMut() -> T) -> Duration {
        black_box(work());
        let mut time = |calls: u32| {
            let begun = thread_time();
            for _ in 0..calls {
                black_box(work());
            }
            thread_time().saturating_sub(begun)
        };
        let once = time(1).max(Duration::from_nanos(1));
        let calls = READING.as_nanos().div_ceil(once.as_nanos());
        let calls = u32::try_from(calls).unwrap_or(u32::MAX);
        let mut median = Self::default();
        for _ in 0..(runs / calls).clamp(READINGS.0, READINGS.1) {
            median.add(time(calls) / calls);
        }
        median.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_disturbed_reading_does_not_count() {
        let mut median = Median::default();
        assert_eq!(median.get(), Duration::ZERO);
        for micros in [20, 21, 9_000, 19, 22] {
            median.add(Duration::from_micros(micros));
        }
        assert_eq!(median.get(), Duration::from_micros(21));
    }

    #[test]
    fn sleeping_takes_no_processor_time() {
        let spent = Median::of(1, || std::thread::sleep(Duration::from_millis(2)));
        assert!(spent < Duration::from_millis(1), "{spent:?}");
    }
}
