//! The time at which a packet is handed to Wireshark.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use waywarden_command_line::signals;

/// A wait ends at most this much after a signal, or after the end of Wireshark.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Speed at which a source runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Speed {
    /// Multiple of real time.
    Times(f64),
    /// No waiting.
    Max,
}

/// Reads `--speed`.
pub(super) fn speed(text: &str) -> Result<Speed, String> {
    let times: Option<f64> = text.parse().ok();
    let times = times.filter(|times| (0.001..=1e6).contains(times));
    match (text, times) {
        ("max", _) => Ok(Speed::Max),
        (_, Some(times)) => Ok(Speed::Times(times)),
        (_, None) => Err("a number from 0.001 to 1000000, or max".to_owned()),
    }
}

/// The end of a capture from outside: SIGINT, SIGTERM, or the end of the program that started it.
pub(super) struct CaptureEnd {
    signalled: &'static AtomicBool,
    parent: u32,
}

impl CaptureEnd {
    /// Watches from now on. A second signal ends the process at once.
    pub(super) fn watch() -> Self {
        Self {
            signalled: signals::end_input_first(),
            parent: std::os::unix::process::parent_id(),
        }
    }

    /// Returns true once the capture is to end.
    pub(super) fn has_come(&self) -> bool {
        // A pipe without a reader is seen only by a write, which may never come.
        self.signalled.load(Ordering::Relaxed) || std::os::unix::process::parent_id() != self.parent
    }
}

/// Waits for the moments of a source.
pub(super) struct Pace {
    begun: Instant,
    speed: Speed,
}

impl Pace {
    /// Begins the source's time now.
    pub(super) fn begin(speed: Speed) -> Self {
        let begun = Instant::now();
        Self { begun, speed }
    }

    /// Returns for how long a packet of this moment of the source has to wait; zero for none.
    pub(super) fn due_in(&self, since: Duration) -> Duration {
        match self.speed {
            Speed::Max => Duration::ZERO,
            Speed::Times(times) => {
                // More than 500 years are as good as never.
                let real = Duration::try_from_secs_f64(since.as_secs_f64() / times);
                let real = real.unwrap_or(Duration::MAX);
                real.saturating_sub(self.begun.elapsed())
            }
        }
    }

    /// Waits until the moment, or the end of the capture.
    pub(super) fn wait(&self, since: Duration, end: &CaptureEnd) {
        loop {
            let left = self.due_in(since);
            if left.is_zero() || end.has_come() {
                return;
            }
            std::thread::sleep(left.min(LOOK_EVERY));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_have_bounds() {
        assert_eq!(speed("max"), Ok(Speed::Max));
        assert_eq!(speed("0.5"), Ok(Speed::Times(0.5)));
        for wrong in ["", "0", "-1", "nan", "inf", "1e7", "fast"] {
            assert!(speed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_moment_is_due_by_the_speed() {
        let at = |speed| Pace::begin(speed).due_in(Duration::from_secs(10));
        assert_eq!(at(Speed::Max), Duration::ZERO);
        let slow = at(Speed::Times(0.5));
        assert!(slow > Duration::from_secs(19) && slow <= Duration::from_secs(20));
        let longest = Pace::begin(Speed::Times(0.001)).due_in(Duration::MAX);
        assert!(longest > Duration::from_secs(u64::MAX / 2));
    }
}
