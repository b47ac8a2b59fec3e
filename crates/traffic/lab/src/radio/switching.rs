//! Radios that alternate between the control channel and a service channel.

use super::frame::MICROSECOND;

/// Alternating access to the control channel \[1609.4 §6.2\]: all radios switch at the same time,
/// as their clocks are those of satellites. The control channel interval comes first in a sync
/// interval, and the first one begins with the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelSwitching {
    /// Time between the begins of two control channel intervals, in ns.
    pub sync_interval_ns: u64,
    /// Length of a control channel interval, its guard included, in ns.
    pub control_interval_ns: u64,
    /// Time that the channel counts as busy at the begin of an interval, in ns.
    pub guard_ns: u64,
}

impl ChannelSwitching {
    /// 50 ms of each 100 ms, 4 ms of which are the guard \[1609.4\]; Veins 5.3.1 and ns-3 3.37 have
    /// the same.
    pub const STANDARD: Self = Self {
        sync_interval_ns: 100_000 * MICROSECOND,
        control_interval_ns: 50_000 * MICROSECOND,
        guard_ns: 4_000 * MICROSECOND,
    };

    /// Returns from when and until when after the begin of a sync interval a frame may begin, in
    /// ns: after the guard, and so that it ends within the interval. `None`: a frame does not fit.
    #[must_use]
    pub fn frames_begin(&self, airtime_ns: u64) -> Option<(u64, u64)> {
        let interval = self.control_interval_ns.min(self.sync_interval_ns);
        let last = interval.checked_sub(airtime_ns)?;
        (self.guard_ns <= last).then_some((self.guard_ns, last))
    }

    /// Returns whether a time is in a control channel interval, its guard included.
    #[must_use]
    pub fn is_control_interval(&self, time_ns: u64) -> bool {
        time_ns % self.sync_interval_ns.max(1) < self.control_interval_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_begin_after_the_guard_and_end_within_the_interval() {
        let standard = ChannelSwitching::STANDARD;
        assert_eq!(
            standard.frames_begin(664_000),
            Some((4_000_000, 49_336_000))
        );
        assert_eq!(
            standard.frames_begin(46_000_000),
            Some((4_000_000, 4_000_000))
        );
        assert_eq!(standard.frames_begin(46_000_001), None);
        assert_eq!(standard.frames_begin(51_000_000), None);
        assert!(standard.is_control_interval(149_999_999));
        assert!(!standard.is_control_interval(150_000_000));
    }
}
