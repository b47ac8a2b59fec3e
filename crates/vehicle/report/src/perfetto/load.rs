//! The load of each bus in short windows, as a counter that follows the frames.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::BusConfig;
use waywarden_can_sim::trace::BusIndex;

/// Length of a window, in picoseconds: 10 ms.
const WINDOW: u64 = 10_000_000_000;

/// A value of the counter: the bus, from when on, how many percent.
pub(super) type Step = (BusIndex, Time, f64);

/// Loads by bus.
#[derive(Debug)]
pub(super) struct Loads(Vec<Load>);

#[derive(Debug, Default)]
struct Load {
    intermission: u64,
    /// The windows that are not complete: number and busy picoseconds, oldest first. A frame lies
    /// in two of them at most, unless its bus is slower than any real one.
    open: Vec<(u64, u64)>,
    /// The percentage written last.
    shown: Option<f64>,
}

impl Loads {
    pub(super) fn new(buses: &[BusConfig]) -> Self {
        let load = |bus: &BusConfig| Load {
            intermission: bus.timing.intermission().get(),
            ..Load::default()
        };
        Loads(buses.iter().map(load).collect())
    }

    /// Adds a frame that was sent, with its intermission; returns what is certain now. Frames of a
    /// bus come in order of time.
    pub(super) fn add(&mut self, bus: BusIndex, started: Time, ended: Time) -> Vec<Step> {
        let Some(load) = self.0.get_mut(bus.0) else {
            return Vec::new();
        };
        let steps = load.settle(bus, started.as_picos() / WINDOW);
        let (mut from, to) = (started.as_picos(), ended.as_picos() + load.intermission);
        while from < to {
            let window = from / WINDOW;
            let until = to.min((window + 1) * WINDOW);
            match load.open.last_mut().filter(|(last, _)| *last == window) {
                Some((_, busy)) => *busy += until - from,
                None => load.open.push((window, until - from)),
            }
            from = until;
        }
        steps
    }

    /// Returns the rest.
    pub(super) fn finish(&mut self) -> Vec<Step> {
        let settle = |(at, load): (usize, &mut Load)| load.settle(BusIndex(at), u64::MAX / WINDOW);
        self.0.iter_mut().enumerate().flat_map(settle).collect()
    }
}

impl Load {
    /// Takes the windows before `current`; a gap between them is one step down to zero.
    fn settle(&mut self, bus: BusIndex, current: u64) -> Vec<Step> {
        let mut steps = Vec::new();
        let complete = self
            .open
            .iter()
            .take_while(|(window, _)| *window < current)
            .count();
        let mut next = None;
        for (window, busy) in self.open.drain(..complete) {
            let percent = busy as f64 * 100.0 / WINDOW as f64;
            steps.push((bus, Time::from_picos(window * WINDOW), percent));
            next = Some(window + 1);
        }
        if let Some(next) = next.filter(|next| *next < current && self.open.is_empty()) {
            steps.push((bus, Time::from_picos(next * WINDOW), 0.0));
        }
        // A value that stays is not written again.
        steps.retain(|&(_, _, percent)| self.shown.replace(percent) != Some(percent));
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn a_frame_over_an_edge_counts_in_both_windows_and_silence_is_zero() {
        let mut loads = Loads(vec![Load::default()]);
        let bus = BusIndex(0);
        assert_eq!(loads.add(bus, millis(5), millis(12)), []);
        assert_eq!(
            loads.add(bus, millis(14), millis(15)),
            [(bus, millis(0), 50.0)]
        );
        let settled = [(bus, millis(10), 30.0), (bus, millis(20), 0.0)];
        assert_eq!(loads.add(bus, millis(45), millis(46)), settled);
        let rest = [(bus, millis(40), 10.0), (bus, millis(50), 0.0)];
        assert_eq!(loads.finish(), rest);
    }
}
