//! Error counters under errors that are bounded in number: how high they can get.
//!
//! A transmit error counter (TEC) goes up by 8 with each error and down by 1 with each frame sent
//! [ISO 11898-1 §12.1.4]. It never goes below zero, so its highest value is the largest of
//! 8 E(t) - S(t) over all windows t, with S(t) the frames that are sent in a window at least.

#[cfg(test)]
mod tests;

use crate::message::Errors;

/// The increment of a counter at an error.
const ERROR: u64 = 8;
/// A controller with a counter above this is error-passive.
pub const PASSIVE_ABOVE: u64 = 127;
/// A controller with a transmit error counter above this is in bus-off.
const OFF_ABOVE: u64 = 255;
/// Number of errors that are examined one by one; from there on the counter is bounded by its
/// slope.
const ERRORS_MAX: u64 = 10_000;
/// One, in the fixed-point numbers that rates are added in.
const WHOLE: u128 = 1 << 60;

/// Frames that are sent, or received, again and again without fail: each takes a counter down by 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterProgress {
    /// The longest time between two nominal releases, in picoseconds, above 0.
    pub period: u64,
    /// The longest delay of a frame's transmission after its nominal release, in picoseconds.
    pub late: u64,
}

impl CounterProgress {
    /// floor((t - late) / T): the frames in a window at least.
    const fn number(&self, t: u64) -> u64 {
        t.saturating_sub(self.late) / self.period
    }
}

/// Returns the highest value of an error counter if all errors hit it; none if it grows without
/// end.
#[must_use]
pub fn counter_peak(errors: &Errors, progress: &[CounterProgress]) -> Option<u64> {
    let interval = errors.interval.max(1);
    let up = (u128::from(ERROR) * WHOLE).div_ceil(u128::from(interval));
    let down: u128 = progress
        .iter()
        .map(|one| WHOLE / u128::from(one.period))
        .sum();
    if up > down {
        return None;
    }
    // Where it is highest, an error has just come.
    let at = |number: u64| {
        let window = number.saturating_mul(interval);
        let down = progress.iter().map(|one| one.number(window));
        let up = ERROR.saturating_mul(errors.burst.saturating_add(number));
        up.saturating_sub(down.fold(0, u64::saturating_add))
    };
    // S(t) >= sum of (t - late) / T - 1, so that 8 E(t) - S(t) is at most this, and falling.
    let lag = |one: &CounterProgress| u128::from(one.late.div_ceil(one.period)) + 1;
    let lag: u128 = progress.iter().map(lag).sum();
    let limit = |number: u64| {
        let fall = u128::from(number) * u128::from(interval) * (down - up) / WHOLE;
        let limit = u128::from(ERROR) * u128::from(errors.burst) + lag;
        u64::try_from(limit.saturating_sub(fall)).unwrap_or(u64::MAX)
    };
    let mut peak = 0;
    for number in 0..ERRORS_MAX {
        peak = peak.max(at(number));
        if limit(number + 1) <= peak {
            return Some(peak);
        }
    }
    Some(peak.max(limit(ERRORS_MAX)))
}

/// Returns true if a controller with this peak of its transmit error counter may go bus-off.
#[must_use]
pub fn is_bus_off(peak: Option<u64>) -> bool {
    peak.is_none_or(|peak| peak > OFF_ABOVE)
}
