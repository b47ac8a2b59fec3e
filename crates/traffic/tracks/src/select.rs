//! The samples of a vehicle that make a track: times rise, and it can get from one to the next.
//!
//! A single sample with a wrong time or place must not cost those that follow, so the largest
//! number of samples that fit together is kept, and not those that fit the first one.

use crate::error::Location;
use crate::faults::TrackFaultKind;
use crate::sample::Sample;
use crate::track::{GAP_S, TrackError, follows};

/// The number of samples before one that are tried as its predecessor: more than receivers report
/// in [`GAP_S`], after which a vehicle may be anywhere.
const LOOK_BACK: usize = 48;

/// A sample, and its place in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    pub(crate) sample: Sample,
    pub(crate) location: Location,
}

/// A sample that is left out.
#[derive(Debug)]
pub(crate) struct LeftOut {
    pub(crate) kind: TrackFaultKind,
    pub(crate) location: Location,
    pub(crate) cause: TrackError,
}

/// Keeps the samples that make a track, in their order, and hands over each of the others.
pub(crate) fn select(samples: Vec<Located>, mut left_out: impl FnMut(LeftOut)) -> Vec<Sample> {
    let is_track = |pair: &[Located]| match pair {
        [from, to] => follows(&from.sample, &to.sample).is_ok(),
        _ => true,
    };
    if samples.windows(2).all(is_track) {
        return samples.iter().map(|one| one.sample).collect();
    }
    let rising = rising(&samples);
    let samples = kept(samples, &rising, |one, last| {
        let time_s = one.sample.time_s;
        let last_s = last.map(|last| last.time_s);
        left_out(LeftOut {
            kind: match last_s == Some(time_s) {
                true => TrackFaultKind::SameTime,
                false => TrackFaultKind::OutOfOrder,
            },
            location: one.location,
            cause: TrackError::Order {
                time_s,
                last_s: last_s.unwrap_or(time_s),
            },
        });
    });
    let reached = reached(&samples);
    let samples = kept(samples, &reached, |one, last| {
        let cause = last.and_then(|last| follows(&last, &one.sample).err());
        left_out(LeftOut {
            kind: TrackFaultKind::Jump,
            location: one.location,
            cause: cause.unwrap_or(TrackError::Unreachable {
                time_s: one.sample.time_s,
            }),
        });
    });
    samples.into_iter().map(|one| one.sample).collect()
}

/// Keeps the samples at these indices, which rise; `left_out` gets each other one and the last
/// sample that was kept before it.
fn kept(
    samples: Vec<Located>,
    indices: &[usize],
    mut left_out: impl FnMut(Located, Option<Sample>),
) -> Vec<Located> {
    let mut kept: Vec<Located> = Vec::with_capacity(indices.len());
    let mut next = indices.iter().copied().peekable();
    for (at, one) in samples.into_iter().enumerate() {
        match next.next_if_eq(&at) {
            Some(_) => kept.push(one),
            None => left_out(one, kept.last().map(|last| last.sample)),
        }
    }
    kept
}

/// Follows a chain of predecessors back from its end.
fn chain(before: &[Option<usize>], end: Option<usize>) -> Vec<usize> {
    let next = |at: &usize| before.get(*at).copied().flatten();
    let mut chain: Vec<usize> = std::iter::successors(end, next).collect();
    chain.reverse();
    chain
}

/// The longest series of samples whose times rise: by patience sorting, in n log n steps. Of equal
/// times, the first counts.
fn rising(samples: &[Located]) -> Vec<usize> {
    let time = |at: usize| samples.get(at).map_or(0.0, |one| one.sample.time_s);
    // By length of a series: the sample that ends one of this length at the earliest time.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(samples.len());
    for at in 0..samples.len() {
        let length = ends.partition_point(|end| time(*end) < time(at));
        let last = length.checked_sub(1);
        before.push(last.and_then(|last| ends.get(last).copied()));
        match ends.get_mut(length) {
            None => ends.push(at),
            Some(end) if time(*end) > time(at) => *end = at,
            Some(_) => {}
        }
    }
    let mut chain = chain(&before, ends.last().copied());
    // Several can be the first one: that with the time nearest to the second.
    if let [first, second, ..] = chain.as_mut_slice() {
        for at in 0..*second {
            if time(at) < time(*second) && time(at) > time(*first) {
                *first = at;
            }
        }
    }
    chain
}

/// A long series of samples each of which can be reached from the one before; their times rise.
fn reached(samples: &[Located]) -> Vec<usize> {
    let mut lengths: Vec<u32> = Vec::with_capacity(samples.len());
    let mut before: Vec<Option<usize>> = Vec::with_capacity(samples.len());
    // The ends of the longest series: of all, and of those that end before a gap.
    let (mut top, mut top_before_gap, mut gap) = (None, None, 0);
    let longer = |one: Option<(usize, u32)>, other: (usize, u32)| match one {
        Some(one) if one.1 >= other.1 => Some(one),
        _ => Some(other),
    };
    for (at, one) in samples.iter().enumerate() {
        while samples
            .get(gap)
            .is_some_and(|old| one.sample.time_s - old.sample.time_s > GAP_S)
        {
            top_before_gap = longer(
                top_before_gap,
                (gap, lengths.get(gap).copied().unwrap_or(0)),
            );
            gap += 1;
        }
        let mut best = top_before_gap;
        for near in (gap.max(at.saturating_sub(LOOK_BACK))..at).rev() {
            let length = lengths.get(near).copied().unwrap_or(0);
            let is_better = best.is_none_or(|best| length > best.1);
            let from = samples.get(near).filter(|_| is_better);
            if from.is_some_and(|from| follows(&from.sample, &one.sample).is_ok()) {
                best = Some((near, length));
            }
            // No series is longer than the longest one.
            if best.map(|best| best.1) == top.map(|top: (usize, u32)| top.1) {
                break;
            }
        }
        let length = best.map_or(0, |best| best.1) + 1;
        before.push(best.map(|best| best.0));
        lengths.push(length);
        top = longer(top, (at, length));
    }
    chain(&before, top.map(|top| top.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps the numbers of the samples that make a track.
    fn numbers(samples: &[(f64, f64)]) -> (Vec<f64>, Vec<TrackFaultKind>) {
        let located = samples
            .iter()
            .zip(1..)
            .map(|((time_s, north), line)| Located {
                sample: Sample {
                    time_s: *time_s,
                    latitude: 48.0 + north * 1e-4,
                    longitude: 11.0,
                    altitude_m: None,
                    speed_m_s: None,
                    heading_degrees: None,
                },
                location: Location::Line(line),
            });
        let mut kinds = Vec::new();
        let kept = select(located.collect(), |one| kinds.push(one.kind));
        (kept.iter().map(|one| one.time_s).collect(), kinds)
    }

    fn drive(change: impl Fn(usize) -> Option<(f64, f64)>) -> (Vec<f64>, Vec<TrackFaultKind>) {
        let samples = (0..8).map(|at| change(at).unwrap_or((at as f64, at as f64)));
        numbers(&samples.collect::<Vec<_>>())
    }

    #[test]
    fn one_wrong_sample_costs_none_that_follows() {
        let all = |but: usize| (0..8).filter(move |at| *at != but).map(|at| at as f64);
        for wrong in 0..8 {
            let at = wrong as f64;
            for (time, place) in [(at - 100.0, at), (at + 100.0, at), (at, 1e5)] {
                let (kept, kinds) = drive(|one| (one == wrong).then_some((time, place)));
                // A wrong time at either end can be right.
                let is_end = (wrong == 0 && time < at) || (wrong == 7 && time > at);
                if is_end {
                    assert_eq!((kept.len(), kinds.len()), (8, 0));
                } else {
                    assert_eq!(
                        kept,
                        all(wrong).collect::<Vec<_>>(),
                        "{wrong}: {time} {place}"
                    );
                    assert_eq!(kinds.len(), 1);
                }
            }
        }
        let (kept, kinds) = drive(|one| (one == 4).then_some((3.0, 4.0)));
        assert_eq!(
            (kept.len(), &kinds[..]),
            (7, &[TrackFaultKind::SameTime][..])
        );
    }

    #[test]
    fn a_vehicle_may_be_anywhere_after_a_gap() {
        let (kept, kinds) = numbers(&[(0.0, 0.0), (1.0, 1.0), (4.0, 1e5), (5.0, 1e5 + 1.0)]);
        assert_eq!((kept.len(), kinds.len()), (4, 0));
    }
}
