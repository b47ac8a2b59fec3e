//! The error counters of one controller over a whole run, in bounded memory.

use waywarden_can_sim::clock::Time;

/// Limit on the steps of a line; when it is full, every other one is merged away.
const STEPS_MAX: usize = 2_048;

/// TEC and REC over time: after each step's time, up to the next one's.
#[derive(Clone, Debug, Default)]
pub(crate) struct CounterLine {
    steps: Vec<Step>,
    /// Steps closer together than this are merged, in picoseconds; 0 at first.
    grain: u64,
}

/// The counters in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Beginning of the step.
    pub(crate) at: Time,
    /// The highest values within it: TEC, REC.
    pub(crate) highest: (u16, u16),
    /// The values at its end.
    pub(crate) last: (u16, u16),
}

impl CounterLine {
    /// Adds a change; time never goes back.
    pub(crate) fn add(&mut self, at: Time, tec: u16, rec: u16) {
        let step = Step {
            at,
            highest: (tec, rec),
            last: (tec, rec),
        };
        match self.steps.last_mut() {
            Some(last) if at.since(last.at).get() <= self.grain => last.absorb(&step),
            _ => self.steps.push(step),
        }
        if self.steps.len() == STEPS_MAX {
            self.thin();
        }
    }

    /// Returns the steps in order of time.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Merges pairs, and from now on whatever is closer together than the pairs are on average.
    fn thin(&mut self) {
        let length = self
            .steps
            .last()
            .map_or(0, |last| last.at.since(self.steps[0].at).get());
        self.grain = length / (STEPS_MAX as u64 / 2);
        let pairs = self.steps.chunks(2).map(|pair| {
            let mut merged = pair[0];
            pair[1..].iter().for_each(|step| merged.absorb(step));
            merged
        });
        self.steps = pairs.collect();
    }
}

impl Step {
    fn absorb(&mut self, later: &Step) {
        let ((tec, rec), other) = (self.highest, later.highest);
        self.highest = (tec.max(other.0), rec.max(other.1));
        self.last = later.last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_changes_fit_and_the_peak_and_the_end_survive() {
        let mut line = CounterLine::default();
        for change in 0..1_000_000_u64 {
            let tec = if change == 777_777 {
                255
            } else {
                (change % 100) as u16
            };
            line.add(Time::from_nanos(change * 1_000), tec, 1);
        }
        let steps = line.steps();
        assert!(
            steps.len() < STEPS_MAX && steps.len() > STEPS_MAX / 8,
            "{}",
            steps.len()
        );
        assert!(steps.is_sorted_by_key(|step| step.at));
        let peak = steps.iter().find(|step| step.highest.0 == 255).unwrap();
        assert!(peak.at <= Time::from_nanos(777_777_000));
        assert_eq!(steps.last().unwrap().last, (99, 1));
    }
}
