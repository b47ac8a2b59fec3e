//! Reactive control: the least time between two frames, by states of the channel
//! \[TS 102 687 annex A\].

use crate::busy_ratio::BusyRatio;

/// Number of states: relaxed, three that are active, restrictive.
const STATES: usize = 5;

/// Least times between two frames, by states: each but the last has the ratio below which it
/// applies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReactiveTable {
    /// The longest time of a frame, in microseconds.
    airtime_us: u64,
    below: [f64; STATES - 1],
    intervals_us: [u64; STATES],
}

impl ReactiveTable {
    /// For frames of up to 1 ms \[TS 102 687 table A.1\].
    pub const ONE_MILLISECOND: Self = Self {
        airtime_us: 1_000,
        below: [0.3, 0.4, 0.5, 0.6],
        intervals_us: [100_000, 200_000, 400_000, 500_000, 1_000_000],
    };

    /// For frames of up to 0.5 ms \[TS 102 687 table A.2\].
    pub const HALF_A_MILLISECOND: Self = Self {
        airtime_us: 500,
        below: [0.3, 0.4, 0.5, 0.65],
        intervals_us: [50_000, 100_000, 200_000, 250_000, 1_000_000],
    };

    /// Returns the table for frames of a time on the air, in microseconds.
    #[must_use]
    pub const fn of(airtime_us: u64) -> Self {
        match airtime_us <= Self::HALF_A_MILLISECOND.airtime_us {
            true => Self::HALF_A_MILLISECOND,
            false => Self::ONE_MILLISECOND,
        }
    }
}

/// Reactive control of one station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReactiveControl {
    /// State by each table: for frames of up to half a millisecond, and for longer ones.
    states: [usize; 2],
}

impl ReactiveControl {
    const TABLES: [ReactiveTable; 2] = [
        ReactiveTable::HALF_A_MILLISECOND,
        ReactiveTable::ONE_MILLISECOND,
    ];

    /// A station that is relaxed.
    #[must_use]
    pub const fn new() -> Self {
        Self { states: [0; 2] }
    }

    /// Takes a measurement, each [`MEASUREMENT_US`](crate::MEASUREMENT_US): goes to the neighbour
    /// of the state that the ratio asks for, never farther.
    pub fn measured(&mut self, ratio: BusyRatio) {
        for (state, table) in self.states.iter_mut().zip(Self::TABLES) {
            let asked = table.below.iter().filter(|below| ratio.share() >= **below);
            *state = match asked.count().cmp(state) {
                core::cmp::Ordering::Less => *state - 1,
                core::cmp::Ordering::Equal => *state,
                core::cmp::Ordering::Greater => *state + 1,
            };
        }
    }

    /// Returns the state for a frame: 0 is relaxed, 4 restrictive.
    #[must_use]
    pub const fn state(&self, airtime_us: u64) -> usize {
        match airtime_us <= ReactiveTable::HALF_A_MILLISECOND.airtime_us {
            true => self.states[0],
            false => self.states[1],
        }
    }

    /// Returns the least time from the begin of a frame to that of the next one, in microseconds.
    /// One that is longer than the table knows waits in proportion.
    #[must_use]
    pub fn interval_us(&self, airtime_us: u64) -> u64 {
        let table = ReactiveTable::of(airtime_us);
        let interval = table.intervals_us[self.state(airtime_us)];
        interval.saturating_mul(airtime_us.div_ceil(table.airtime_us).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(ratio: f64, measurements: usize) -> ReactiveControl {
        let mut control = ReactiveControl::new();
        for _ in 0..measurements {
            control.measured(BusyRatio::new(ratio).unwrap());
        }
        control
    }

    /// The rows of tables A.1 and A.2, at the begin and right before the end of each.
    #[test]
    fn each_ratio_has_its_interval() {
        let rows = [
            (
                1_000,
                [
                    (0.0, 0.3, 100),
                    (0.3, 0.4, 200),
                    (0.4, 0.5, 400),
                    (0.5, 0.6, 500),
                    (0.6, 1.0, 1_000),
                ],
            ),
            (
                500,
                [
                    (0.0, 0.3, 50),
                    (0.3, 0.4, 100),
                    (0.4, 0.5, 200),
                    (0.5, 0.65, 250),
                    (0.65, 1.0, 1_000),
                ],
            ),
        ];
        for (airtime, table) in rows {
            for (begin, end, interval_ms) in table {
                for ratio in [begin, end - 1e-9] {
                    let control = after(ratio, 10);
                    assert_eq!(control.interval_us(airtime), interval_ms * 1_000, "{ratio}");
                }
            }
        }
    }

    #[test]
    fn a_state_changes_to_its_neighbour_only() {
        let mut control = ReactiveControl::new();
        let states = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.35, 0.35, 0.35].map(|ratio| {
            control.measured(BusyRatio::new(ratio).unwrap());
            control.state(1_000)
        });
        assert_eq!(states, [1, 2, 3, 4, 4, 3, 2, 1, 1]);
    }

    #[test]
    fn longer_frames_wait_in_proportion() {
        let control = after(0.35, 10);
        assert_eq!(control.interval_us(664), 200_000);
        assert_eq!(control.interval_us(1_001), 400_000);
        assert_eq!(control.interval_us(6_000), 1_200_000);
        assert_eq!(control.interval_us(u64::MAX), u64::MAX);
    }
}
