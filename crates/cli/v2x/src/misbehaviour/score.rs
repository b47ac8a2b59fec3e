//! Comparison of verdicts with the truth: precision, recall and F1 with their intervals.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_random::split_mix;

/// Samples of the bootstrap.
const SAMPLES: usize = 1000;

/// Counts of messages by truth and verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Confusion {
    pub(super) true_positives: u64,
    pub(super) false_positives: u64,
    pub(super) true_negatives: u64,
    pub(super) false_negatives: u64,
}

/// A share, with the interval that has it with 95 % confidence.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Share {
    /// The share, from 0 to 1.
    pub(super) value: f64,
    /// Lower end of the interval.
    pub(super) low: f64,
    /// Upper end of the interval.
    pub(super) high: f64,
}

impl Confusion {
    pub(super) fn count(&mut self, attacks: bool, suspicious: bool) {
        let counter = match (attacks, suspicious) {
            (true, true) => &mut self.true_positives,
            (false, true) => &mut self.false_positives,
            (false, false) => &mut self.true_negatives,
            (true, false) => &mut self.false_negatives,
        };
        *counter += 1;
    }

    fn add(&mut self, other: &Self) {
        self.true_positives += other.true_positives;
        self.false_positives += other.false_positives;
        self.true_negatives += other.true_negatives;
        self.false_negatives += other.false_negatives;
    }

    pub(super) fn of<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        all.into_iter().for_each(|one| sum.add(one));
        sum
    }

    pub(super) fn precision(&self) -> f64 {
        ratio(
            self.true_positives,
            self.true_positives + self.false_positives,
        )
    }

    pub(super) fn recall(&self) -> f64 {
        ratio(
            self.true_positives,
            self.true_positives + self.false_negatives,
        )
    }

    pub(super) fn f1(&self) -> f64 {
        let wrong = self.false_positives + self.false_negatives;
        ratio(2 * self.true_positives, 2 * self.true_positives + wrong)
    }

    /// Returns the share of honest messages that are suspicious.
    pub(super) fn false_alarms(&self) -> f64 {
        ratio(
            self.false_positives,
            self.false_positives + self.true_negatives,
        )
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Estimates a measure with its interval by a bootstrap over senders: messages of one sender depend
/// on each other, so that an interval over messages would be too narrow. The samples depend on the
/// number of senders alone.
pub(super) fn share<Name: Ord>(
    senders: &BTreeMap<Name, Confusion>,
    measure: impl Fn(&Confusion) -> f64,
) -> Share {
    let all: Vec<&Confusion> = senders.values().collect();
    let value = measure(&Confusion::of(all.iter().copied()));
    if all.is_empty() {
        return Share {
            value,
            low: value,
            high: value,
        };
    }
    let mut state = 0x5EED;
    let mut draw = || all[(split_mix(&mut state) % all.len() as u64) as usize];
    let mut sample = || measure(&Confusion::of((0..all.len()).map(|_| draw())));
    let mut values: Vec<f64> = (0..SAMPLES).map(|_| sample()).collect();
    values.sort_unstable_by(f64::total_cmp);
    Share {
        value,
        low: values[SAMPLES / 40],
        high: values[SAMPLES - 1 - SAMPLES / 40],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_of_their_definitions() {
        let confusion = Confusion {
            true_positives: 6,
            false_positives: 2,
            true_negatives: 18,
            false_negatives: 4,
        };
        assert_eq!(confusion.precision(), 0.75);
        assert_eq!(confusion.recall(), 0.6);
        assert!((confusion.f1() - 2.0 * 0.75 * 0.6 / 1.35).abs() < 1e-12);
        assert_eq!(confusion.false_alarms(), 0.1);
        assert_eq!(Confusion::default().f1(), 0.0);
    }

    #[test]
    fn interval_contains_the_value_and_narrows_with_equal_senders() {
        let good = Confusion {
            true_positives: 10,
            ..Confusion::default()
        };
        let bad = Confusion {
            false_negatives: 10,
            ..Confusion::default()
        };
        let mixed: BTreeMap<u32, Confusion> = (0..20)
            .map(|at| (at, if at % 2 == 0 { good } else { bad }))
            .collect();
        let found = share(&mixed, Confusion::recall);
        assert!(
            found.low < 0.5 && 0.5 < found.high && found.low > 0.2,
            "{found:?}"
        );
        let equal = (0..20).map(|at| (at, good)).collect();
        let found = share(&equal, Confusion::recall);
        assert_eq!((found.low, found.high), (1.0, 1.0));
    }
}
