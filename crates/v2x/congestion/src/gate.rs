//! The gate before the channel \[TS 102 687 annex B\].

/// The least time from a frame to the next one, in microseconds.
pub const GATE_LEAST_US: u64 = 25_000;
/// The greatest one.
pub const GATE_MOST_US: u64 = 1_000_000;

/// A gate that closes with each frame of a station, for a time by its duty cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gate {
    /// Begin and duration of the last frame; `None`: there was none, and the gate is open.
    last: Option<(u64, u64)>,
    interval_us: u64,
}

impl Gate {
    /// A gate that is open.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            last: None,
            interval_us: GATE_LEAST_US,
        }
    }

    /// Returns how long the gate is closed after a frame, by equation B.1: the time of the frame
    /// over the duty cycle, within the bounds.
    #[must_use]
    pub fn interval_us(airtime_us: u64, duty_cycle: f64) -> u64 {
        bounded(airtime_us as f64 / duty_cycle)
    }

    /// Closes the gate: a frame begins now.
    pub fn sent(&mut self, now_us: u64, airtime_us: u64, duty_cycle: f64) {
        self.last = Some((now_us, airtime_us));
        self.interval_us = Self::interval_us(airtime_us, duty_cycle);
    }

    /// Adapts what is left of the interval to another duty cycle, by equation B.2.
    pub fn adapt(&mut self, now_us: u64, duty_cycle: f64) {
        let Some((begin, airtime)) = self.last else {
            return;
        };
        let passed = now_us.saturating_sub(begin);
        let Some(left) = self
            .interval_us
            .checked_sub(passed)
            .filter(|left| *left > 0)
        else {
            return;
        };
        let share = left as f64 / self.interval_us as f64;
        self.interval_us = bounded(airtime as f64 / duty_cycle * share + passed as f64);
    }

    /// Returns when the gate opens, in microseconds; a time that has passed if it is open.
    #[must_use]
    pub fn opens_at_us(&self) -> u64 {
        self.last
            .map_or(0, |(begin, _)| begin.saturating_add(self.interval_us))
    }
}

fn bounded(interval_us: f64) -> u64 {
    // A float is converted within its bounds; no number is 0.
    (libm::round(interval_us) as u64).clamp(GATE_LEAST_US, GATE_MOST_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000;

    /// Known answers of the field, by equation B.1: 2 ms at a duty cycle of 0.02.
    #[test]
    fn intervals_follow_the_duty_cycle_within_their_bounds() {
        assert_eq!(Gate::interval_us(2 * MS, 0.02), 100 * MS);
        assert_eq!(Gate::interval_us(100, 0.02), 25 * MS);
        assert_eq!(Gate::interval_us(30 * MS, 0.02), 1_000 * MS);
    }

    /// Known answers of the field, by equation B.2.
    #[test]
    fn what_is_left_of_an_interval_adapts() {
        let mut gate = Gate::new();
        gate.adapt(0, 0.02);
        assert_eq!(gate.opens_at_us(), 0);
        gate.sent(0, MS, 0.02);
        assert_eq!(gate.opens_at_us(), 50 * MS);
        gate.adapt(10 * MS, 0.01);
        assert_eq!(gate.opens_at_us(), 90 * MS);
        gate.adapt(72 * MS, 0.04);
        assert_eq!(gate.opens_at_us(), 77 * MS);
        // One that is open stays so.
        gate.adapt(80 * MS, 0.0006);
        assert_eq!(gate.opens_at_us(), 77 * MS);
    }

    #[test]
    fn a_clock_that_steps_back_opens_no_gate() {
        let mut gate = Gate::new();
        gate.sent(500 * MS, MS, 0.02);
        gate.adapt(100 * MS, 0.02);
        assert_eq!(gate.opens_at_us(), 550 * MS);
    }
}
