//! The start of a receiver, before which it remembers no message.
//!
//! After a restart the memory of accepted messages is empty. A message that was made before, and is
//! not too old yet, may have been accepted then: it is refused as a replay. Messages come from
//! clocks that are ahead by up to [`SecurityProfile::future`], so those that were made so long
//! after the start are refused, too: an honest sender is accepted again that much later.

use core::time::Duration;

use waywarden_v2x_wire::ieee1609dot2::{HeaderInfo, Time64};

use crate::profile::SecurityProfile;
use crate::result::{Refusal, ResultCode};

/// Difference between a receiver's trusted clock before and after a restart, in microseconds:
/// 200 ms, as the sources of time allow between two readings, and `STEP_US`.
pub const CLOCK_TOLERANCE_US: u64 = 200_000 + STEP_US;

/// Change of the start by which it is not set again, in microseconds.
const STEP_US: u64 = 50_000;

/// Span after the start in which a clock that is set forward moves the start: the ten minutes after
/// which messages are too old for every profile, and more than clocks may differ.
const FOLLOWED: Duration = Duration::from_secs(610);

/// The start of a receiver by the clock that messages are checked with.
///
/// A clock that is set later shows another time for the moment of the start. Until a trusted
/// reading comes the start is a guess, which follows the clock both ways; then it follows only a
/// clock that is set forward, for as long as messages of before are not too old. A clock that is
/// set back never makes messages of before acceptable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartTime {
    time: Time64,
    is_trusted: bool,
}

impl StartTime {
    /// A start at a time that is not trusted yet.
    #[must_use]
    pub fn new(guess: Time64) -> Self {
        Self {
            time: guess,
            is_trusted: false,
        }
    }

    /// Returns the time of the start.
    #[must_use]
    pub fn time(&self) -> Time64 {
        self.time
    }

    /// Takes a reading of the clock, `elapsed` after the start by a monotonic clock. Returns the
    /// start if it has changed.
    pub fn observe(&mut self, elapsed: Duration, now: Time64, is_trusted: bool) -> Option<Time64> {
        let elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let start = Time64(now.0.saturating_sub(elapsed_us));
        let is_changed = match (self.is_trusted, is_trusted) {
            (false, true) => true,
            (false, false) => start.0.abs_diff(self.time.0) > STEP_US,
            (true, true) => elapsed <= FOLLOWED && start.0 > self.time.0.saturating_add(STEP_US),
            (true, false) => false,
        };
        if !is_changed {
            return None;
        }
        *self = Self {
            time: start,
            is_trusted,
        };
        Some(start)
    }
}

/// A message was made after the start, by more than clocks may differ.
pub(crate) fn check_start(
    header: &HeaderInfo<'_>,
    profile: &SecurityProfile,
    start: Option<Time64>,
) -> Result<(), Refusal> {
    let (Some(start), Some(made)) = (start, header.generation_time) else {
        return Ok(());
    };
    // Choice: an application that takes messages from any time ahead has the usual bound here;
    // without one, all of its messages would be refused for ever.
    let usual = SecurityProfile::DEFAULT.future.unwrap_or(0);
    let ahead = profile.future.unwrap_or(usual);
    let first = start
        .0
        .saturating_add(ahead)
        .saturating_add(CLOCK_TOLERANCE_US);
    match profile.checks_replay && made.0 <= first {
        true => Err(Refusal::message(
            ResultCode::RelevanceReplayedSpdu,
            "generationTime",
            "made before this receiver started, or no later after it than clocks may differ: of \
             messages from before the start it remembers none",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    fn after(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_guess_follows_the_clock_until_a_trusted_reading_replaces_it() {
        let at = |seconds: u64| Time64(seconds * SECOND);
        let mut start = StartTime::new(at(1_000));
        assert_eq!(start.observe(after(1), at(1_001), false), None);
        assert_eq!(start.observe(after(2), at(902), false), Some(at(900)));
        // A garage without reception, for longer than anything is followed.
        assert_eq!(
            start.observe(after(3_000), at(7_000), true),
            Some(at(4_000))
        );
        assert_eq!(start.observe(after(3_001), at(9_001), true), None);
        assert_eq!(start.observe(after(3_002), at(1), false), None);
        assert_eq!(start.time(), at(4_000));
    }

    #[test]
    fn a_trusted_start_moves_forward_with_the_clock_for_a_while_and_never_back() {
        let at = |seconds: u64| Time64(seconds * SECOND);
        let mut start = StartTime::new(at(0));
        assert_eq!(start.observe(after(0), at(1_000), true), Some(at(1_000)));
        let jitter = Time64(at(1_001).0 + STEP_US);
        assert_eq!(start.observe(after(1), jitter, true), None);
        assert_eq!(start.observe(after(2), at(402), true), None);
        assert_eq!(start.observe(after(3), at(5_003), false), None);
        assert_eq!(start.observe(after(610), at(1_910), true), Some(at(1_300)));
        assert_eq!(start.observe(after(611), at(9_611), true), None);
        assert_eq!(start.observe(Duration::MAX, at(1), true), None);
        assert_eq!(start.time(), at(1_300));
    }
}
