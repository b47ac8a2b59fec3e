//! Lines of the log that clients cause come at a bounded rate: a client that reconnects does not
//! fill the log.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most lines of a kind in a [`WINDOW`].
const LINES_MAX: u32 = 10;
/// Time after which as many lines are possible again.
pub(super) const WINDOW: Duration = Duration::from_secs(60);

/// The kinds of lines that clients cause.
#[derive(Debug, Default)]
pub(super) struct LogLimits {
    pub(super) not_granted: LogLimit,
    pub(super) wrong_token: LogLimit,
    pub(super) slow_reader: LogLimit,
}

/// The bound of one kind of line.
#[derive(Debug, Default)]
pub(super) struct LogLimit(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    began: Option<Instant>,
    lines: u32,
    left_out: u64,
}

/// A line may be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Number of like lines left out since the last one; `None` for none.
    pub(super) more: Option<u64>,
}

impl LogLimits {
    /// Logs how many lines were left out. Call it every [`WINDOW`].
    pub(super) fn report(&self) {
        for (kind, limit) in [
            ("not granted", &self.not_granted),
            ("a token is not known", &self.wrong_token),
            ("a connection is closed", &self.slow_reader),
        ] {
            if let Some(more) = limit.take_left_out() {
                tracing::warn!(kind, more, "lines were left out of the log");
            }
        }
    }
}

impl LogLimit {
    /// Returns the line to log; `None` if no line may be logged now.
    pub(super) fn admit(&self) -> Option<Line> {
        self.admit_at(Instant::now())
    }

    fn admit_at(&self, now: Instant) -> Option<Line> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |began: Instant| now.saturating_duration_since(began) >= WINDOW;
        if state.began.is_none_or(is_over) {
            state.began = Some(now);
            state.lines = 0;
        }
        if state.lines >= LINES_MAX {
            state.left_out = state.left_out.saturating_add(1);
            return None;
        }
        state.lines += 1;
        let left_out = std::mem::take(&mut state.left_out);
        Some(Line {
            more: (left_out > 0).then_some(left_out),
        })
    }

    fn take_left_out(&self) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left_out = std::mem::take(&mut state.left_out);
        (left_out > 0).then_some(left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_left_out_and_counted_until_the_next_window() {
        let limit = LogLimit::default();
        let now = Instant::now();
        for _ in 0..LINES_MAX {
            assert_eq!(limit.admit_at(now), Some(Line { more: None }));
        }
        for _ in 0..36_000 {
            assert_eq!(limit.admit_at(now), None);
        }
        let later = now + WINDOW;
        let more = Some(36_000);
        assert_eq!(limit.admit_at(later), Some(Line { more }));
        assert_eq!(limit.admit_at(later), Some(Line { more: None }));
        assert_eq!(limit.take_left_out(), None);
        (0..LINES_MAX).for_each(|_| _ = limit.admit_at(later));
        assert_eq!(limit.take_left_out(), Some(2));
    }
}
