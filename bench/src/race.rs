//! Measurement of contestants.
//!
//! All contestants of a case run in one process and take turns: each round gives everyone one slice
//! of about a millisecond of CPU time, in an order that rotates, so that a change of the core's
//! clock or a noisy neighbour meets all of them alike. Our figure is the median of our rounds. A
//! ratio is the median of the ratios of each round, where both met the same machine; the peer's
//! figure is that ratio times ours. (Two medians apart would compare two different rounds: on a
//! shared machine that changes pace half-way they were seen to be off by a seventh.) Inputs rotate
//! through a pool, so that no branch predictor learns one key by heart.

use std::hint::black_box;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

use crate::clock::thread_time;

/// CPU time of one contestant's turn.
const SLICE: Duration = Duration::from_millis(1);
/// Limit on the calls in one turn.
const CALLS_MAX: u32 = 1 << 20;

/// One comparison: ours against each peer.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Description in one line: the operation, and the unit of the figures.
    pub(crate) what: &'static str,
    pub(crate) ours: Contestant,
    pub(crate) peers: Vec<Contestant>,
}

/// One implementation of the work.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    run: Run,
}

/// Timing of a contestant.
enum Run {
    /// Called as often as fits a slice; one call does `items`.
    Calls { items: u32, call: Box<dyn FnMut()> },
    /// Does one round's work of its own size and returns nanoseconds of CPU time per item.
    Timed(Box<dyn FnMut() -> Result<f64>>),
}

impl Case {
    /// Ours first.
    fn contestants(&mut self) -> Vec<&mut Contestant> {
        std::iter::once(&mut self.ours)
            .chain(&mut self.peers)
            .collect()
    }
}

/// Result of a case for one peer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Row {
    pub(crate) case: &'static str,
    pub(crate) peer: &'static str,
    /// Median CPU time of ours.
    pub(crate) ours_ns: f64,
    /// CPU time of the peer in such a round: `ratio` times `ours_ns`.
    pub(crate) peer_ns: f64,
    /// Median of the peer's time over ours, round by round: above 1 ours is faster.
    pub(crate) ratio: f64,
}

impl Contestant {
    /// Creates a contestant that calls `operation` on the inputs in turn.
    pub(crate) fn new<T: 'static, R>(
        name: &'static str,
        inputs: Vec<T>,
        operation: impl FnMut(&T) -> R + 'static,
    ) -> Self {
        Self::with_items(name, 1, inputs, operation)
    }

    /// As [`Contestant::new`], where one call does several items; figures are per item.
    pub(crate) fn with_items<T: 'static, R>(
        name: &'static str,
        items: u32,
        inputs: Vec<T>,
        mut operation: impl FnMut(&T) -> R + 'static,
    ) -> Self {
        let mut next = 0;
        let call = Box::new(move || {
            let input = &inputs[next];
            next = (next + 1) % inputs.len();
            black_box(operation(black_box(input)));
        });
        let run = Run::Calls { items, call };
        Contestant { name, run }
    }

    /// Creates a contestant that does a round's work and times it.
    pub(crate) fn timed(name: &'static str, round: impl FnMut() -> Result<f64> + 'static) -> Self {
        let run = Run::Timed(Box::new(round));
        Contestant { name, run }
    }

    /// Warms up; returns how many calls make a slice.
    fn calibrate(&mut self) -> Result<u32> {
        let call = match &mut self.run {
            Run::Calls { call, .. } => call,
            Run::Timed(round) => return round().map(|_| 1),
        };
        let mut calls = 1;
        loop {
            let start = thread_time();
            (0..calls).for_each(|_| call());
            let spent = thread_time().saturating_sub(start);
            if spent >= SLICE || calls >= CALLS_MAX {
                let calls = f64::from(calls) * SLICE.as_secs_f64() / spent.as_secs_f64().max(1e-9);
                return Ok((calls.round() as u32).clamp(1, CALLS_MAX));
            }
            calls *= 2;
        }
    }

    /// One turn: nanoseconds per item.
    fn turn(&mut self, calls: u32) -> Result<f64> {
        match &mut self.run {
            Run::Calls { items, call } => {
                let start = thread_time();
                (0..calls).for_each(|_| call());
                let spent = thread_time().saturating_sub(start);
                Ok(spent.as_nanos() as f64 / f64::from(calls) / f64::from(*items))
            }
            Run::Timed(round) => round(),
        }
    }
}

/// Measures all cases; shows progress if standard error is a terminal.
///
/// # Errors
/// What a contestant that times itself reports; before anything is measured, if it can be.
pub(crate) fn run(mut cases: Vec<Case>, rounds: u32) -> Result<Vec<Row>> {
    let calls = cases
        .iter_mut()
        .map(|case| {
            case.contestants()
                .into_iter()
                .map(Contestant::calibrate)
                .collect()
        })
        .collect::<Result<Vec<Vec<u32>>>>()?;
    let bar = ProgressBar::new(u64::from(rounds) * cases.len() as u64);
    bar.set_style(ProgressStyle::with_template(
        "{msg:16} {wide_bar} {percent:>3} %",
    )?);
    let mut rows = Vec::new();
    for (case, calls) in cases.iter_mut().zip(&calls) {
        bar.set_message(case.name);
        rows.extend(measure(case, calls, rounds, &bar)?);
    }
    bar.finish_and_clear();
    Ok(rows)
}

fn measure(case: &mut Case, calls: &[u32], rounds: u32, bar: &ProgressBar) -> Result<Vec<Row>> {
    let name = case.name;
    let mut contestants = case.contestants();
    let mut times = vec![Vec::with_capacity(rounds as usize); contestants.len()];
    for round in 0..rounds as usize {
        for turn in 0..contestants.len() {
            let at = (round + turn) % contestants.len();
            times[at].push(contestants[at].turn(calls[at])?);
        }
        bar.inc(1);
    }
    let ours = &times[0];
    let ours_ns = median(ours.clone());
    let rows = contestants.iter().zip(&times).skip(1).map(|(peer, times)| {
        let ratio = median(
            times
                .iter()
                .zip(ours)
                .map(|(peer, ours)| peer / ours)
                .collect(),
        );
        Row {
            case: name,
            peer: peer.name,
            ours_ns,
            peer_ns: ours_ns * ratio,
            ratio,
        }
    });
    Ok(rows.collect())
}

/// The middle value, or the mean of the two middle ones. `values` is not empty.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn the_median_ignores_outliers() {
        assert_eq!(median(vec![9.0, 1.0, 1e9]), 9.0);
        assert_eq!(median(vec![1.0, 3.0, 2.0, 1e9]), 2.5);
    }

    #[test]
    fn everyone_has_a_turn_a_round_and_the_ratio_is_peer_over_ours() {
        let turns = Rc::new(Cell::new((0, 0)));
        let counted = |name, ns: f64, ours: bool| {
            let turns = Rc::clone(&turns);
            Contestant::timed(name, move || {
                let (a, b) = turns.get();
                turns.set(if ours { (a + 1, b) } else { (a, b + 1) });
                Ok(ns)
            })
        };
        let case = Case {
            name: "case",
            what: "",
            ours: counted("ours", 20.0, true),
            peers: vec![counted("peer", 50.0, false)],
        };
        let rows = run(vec![case], 5).unwrap();
        assert_eq!(turns.get(), (6, 6), "five rounds after one to warm up");
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].ratio, 2.5);
    }

    #[test]
    fn a_change_of_pace_does_not_touch_the_ratio() {
        let paced = |name, ns: f64| {
            let mut round = 0;
            Contestant::timed(name, move || {
                round += 1;
                Ok(if round % 2 == 0 { ns } else { ns * 1.5 })
            })
        };
        let case = Case {
            name: "case",
            what: "",
            ours: paced("ours", 10.0),
            peers: vec![paced("peer", 30.0)],
        };
        let rows = run(vec![case], 6).unwrap();
        assert_eq!(
            (rows[0].ratio, rows[0].peer_ns),
            (3.0, 3.0 * rows[0].ours_ns)
        );
    }

    #[test]
    fn a_call_that_does_several_items_counts_them_all() {
        let spin = |_: &()| (0..20_000_u64).fold(0, |sum, i| black_box(sum ^ i));
        let case = Case {
            name: "case",
            what: "",
            ours: Contestant::new("one", vec![()], spin),
            peers: vec![Contestant::with_items("four", 4, vec![()], spin)],
        };
        let rows = run(vec![case], 5).unwrap();
        assert!(rows[0].ours_ns > 0.0 && rows[0].ratio > 0.0);
        assert!(
            rows[0].ratio < 1.0,
            "four items in the time of one: {rows:?}"
        );
    }
}
