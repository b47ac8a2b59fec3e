//! Search for the combinations of terms that give an unexpected sum.

use std::fmt::Write;

/// Greatest count of a term that is tried.
const TIMES_MAX: usize = 4;

/// Limit on kept combinations; more carry no information.
const KEPT_MAX: usize = 10_000;

/// Something a sum may contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) name: String,
    pub(super) size: usize,
    /// Expected count of the term.
    pub(super) usual: usize,
}

/// Count of each term in a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Combination {
    pub(super) times: Vec<usize>,
    /// Sum of the differences from the expected counts.
    pub(super) distance: usize,
}

/// Finds all ways to add up at most [`TIMES_MAX`] of each term to a sum, the nearest to what is
/// expected first; among equals the one with more of the earlier terms.
pub(super) fn combinations(terms: &[Term], sum: usize) -> Vec<Combination> {
    let mut found = Vec::new();
    descend(terms, sum, &mut Vec::new(), &mut found);
    let mut found: Vec<Combination> = found
        .into_iter()
        .map(|times| {
            let pairs = times.iter().zip(terms);
            let distance = pairs.map(|(times, term)| times.abs_diff(term.usual)).sum();
            Combination { times, distance }
        })
        .collect();
    found.sort_by(|a, b| (a.distance, &b.times).cmp(&(b.distance, &a.times)));
    found
}

/// Number of sums that [`chances`] tries on each side of one.
pub(super) const NEIGHBOURS: usize = 50;

/// Counts how many of the sums next to one there are combinations for, too: how little it means
/// that there is one.
pub(super) fn chances(terms: &[Term], sum: usize) -> usize {
    let near = sum.saturating_sub(NEIGHBOURS)..=sum + NEIGHBOURS;
    let others = near.filter(|&other| other != sum);
    others
        .filter(|&other| !combinations(terms, other).is_empty())
        .count()
}

/// Goes one term deeper; as deep as there are terms.
fn descend(terms: &[Term], left: usize, times: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    let Some((term, others)) = terms.split_first() else {
        if left == 0 && found.len() < KEPT_MAX {
            found.push(times.clone());
        }
        return;
    };
    for count in 0..=TIMES_MAX {
        let Some(left) = left.checked_sub(count * term.size) else {
            return;
        };
        times.push(count);
        descend(others, left, times, found);
        times.pop();
    }
}

impl Combination {
    /// Words the sum.
    pub(super) fn words(&self, terms: &[Term]) -> String {
        let pairs = self.times.iter().zip(terms);
        let used = pairs.filter(|(times, _)| **times > 0);
        let words = used.map(|(times, term)| format!("{times} x {} {}", term.size, term.name));
        words.collect::<Vec<_>>().join(" + ")
    }

    /// Words what is more or fewer than expected.
    pub(super) fn difference(&self, terms: &[Term]) -> String {
        let mut words = String::new();
        for (&times, term) in self.times.iter().zip(terms) {
            let (count, word) = match times > term.usual {
                true => (times - term.usual, "more"),
                false => (term.usual - times, "fewer"),
            };
            if count > 0 {
                let comma = if words.is_empty() { "" } else { ", " };
                // Writing into memory has no way to fail.
                let _ = write!(words, "{comma}{count} {} {word}", term.name);
            }
        }
        words
    }
}
