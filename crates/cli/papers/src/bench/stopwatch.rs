//! Medians of processor time: what other programs do on the machine counts as little as it can.

use std::time::Duration;

/// The least time of one reading: far above what the clock costs.
const READING: Duration = Duration::from_micros(500);

/// Something that is timed again and again.
pub(crate) struct Timed {
    work: Box<dyn FnMut()>,
    /// Number of items that one call does.
    items: u32,
    /// Calls for one reading; 0 before the first.
    calls: u32,
    /// Microseconds of one item, by reading.
    readings: Vec<f64>,
}

impl Timed {
    /// `work` does `items` of what is measured, at least one.
    pub(crate) fn new(items: u32, work: impl FnMut() + 'static) -> Self {
        Self {
            work: Box::new(work),
            items,
            calls: 0,
            readings: Vec::new(),
        }
    }

    /// One reading more.
    pub(crate) fn read(&mut self) {
        if self.calls == 0 {
            // Caches are filled by one call, and the next says how many make a reading.
            (self.work)();
            let once = self.time(1).max(Duration::from_nanos(1));
            let calls = READING.as_nanos().div_ceil(once.as_nanos());
            self.calls = u32::try_from(calls).unwrap_or(u32::MAX);
        }
        let time = self.time(self.calls).as_secs_f64();
        let items = f64::from(self.calls) * f64::from(self.items);
        self.readings.push(1e6 * time / items);
    }

    fn time(&mut self, calls: u32) -> Duration {
        let start = thread_time();
        for _ in 0..calls {
            (self.work)();
        }
        thread_time().saturating_sub(start)
    }

    /// The median of the readings, in microseconds of one item; 0 if there are none.
    pub(crate) fn median(&self) -> f64 {
        let mut readings = self.readings.clone();
        readings.sort_unstable_by(f64::total_cmp);
        readings.get(readings.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Processor time that this thread has used.
#[cfg(unix)]
pub(crate) fn thread_time() -> Duration {
    processor_time(rustix::time::ClockId::ThreadCPUTime)
}

/// Processor time that all threads of this process have used.
#[cfg(unix)]
pub(crate) fn process_time() -> Duration {
    processor_time(rustix::time::ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn processor_time(clock: rustix::time::ClockId) -> Duration {
    let now = rustix::time::clock_gettime(clock);
    // Never negative: these clocks start at zero with thread and process.
    let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or(0);
    Duration::new(now.tv_sec.unsigned_abs(), nanoseconds)
}

/// Time that has passed: elsewhere there is no other clock at hand.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed()
}
