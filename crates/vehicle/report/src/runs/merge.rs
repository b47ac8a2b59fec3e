//! Merging the folds of several commands or machines.

use std::fmt;

use super::{RunRange, Runs, StreamRuns, greatest};

/// Reason for not merging two folds of runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MergeError {
    /// The runs are of different vehicles.
    Vehicle {
        /// Names of both.
        names: [String; 2],
    },
    /// The runs have different lengths, in milliseconds.
    Duration([f64; 2]),
    /// Both have runs of this seed.
    Seed(u64),
    /// A fold contradicts itself: no command wrote it so.
    Unsound(&'static str),
}

impl fmt::Display for MergeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Vehicle {
                names: [one, other],
            } if one == other => write!(
                out,
                "runs of different files of the vehicle {one:?}: the SHA-256 of the file, or of a \
                 board or log that it names, differs; run them all on the same files"
            ),
            MergeError::Vehicle {
                names: [one, other],
            } => write!(
                out,
                "runs of the vehicle {other:?}, not of {one:?}; merge runs of one vehicle"
            ),
            MergeError::Duration([one, other]) => write!(
                out,
                "runs of {other} ms, not of {one} ms; give all runs the same --duration"
            ),
            MergeError::Seed(seed) => write!(
                out,
                "has runs of seed {seed}, as a document before it; give each machine seeds of its \
                 own with --seed and --seeds"
            ),
            MergeError::Unsound(what) => write!(
                out,
                "{what} do not fit together; print the document again with `waywarden run FILE \
                 --phases N --format json`"
            ),
        }
    }
}

impl core::error::Error for MergeError {}

impl Runs {
    /// Checks a document that was read for contradictions.
    ///
    /// # Errors
    /// [`MergeError::Unsound`].
    pub fn check(&self) -> Result<(), MergeError> {
        let unsound = |what| Err(MergeError::Unsound(what));
        let runs = self.ranges.iter().try_fold(0_u64, |sum, range| {
            sum.checked_add(range.seeds.checked_mul(range.phases)?)
        });
        let ends = |range: &RunRange| range.first_seed.checked_add(range.seeds.saturating_sub(1));
        if runs != Some(self.runs) || self.ranges.iter().any(|range| ends(range).is_none()) {
            return unsound("`runs` and `ranges`");
        }
        let mut pairs = self.ranges.windows(2);
        if pairs.any(|pair| common(&pair[0], &pair[1]).is_some()) {
            return unsound("`ranges`");
        }
        if self.runs_met > self.runs || self.met != (self.runs_met == self.runs) {
            return unsound("`runs`, `runs_met` and `met`");
        }
        let fits = |one: &StreamRuns| {
            let counted = one.worsts.counts.iter().map(|&(_, runs)| u128::from(runs));
            let counted = counted.sum::<u128>() + u128::from(one.runs_without_delivery);
            let delivered = !one.worsts.counts.is_empty();
            one.worsts.is_sound()
                && counted == u128::from(self.runs)
                && [one.best_ms.is_some(), one.worst_ms.is_some()] == [delivered; 2]
                && one.worst_in.is_some() == delivered
        };
        match self.streams.iter().all(fits) {
            true => Ok(()),
            false => unsound("`runs` and the figures of a stream"),
        }
    }

    /// Adds the runs of another document of the same vehicle.
    ///
    /// # Errors
    /// [`MergeError`] by cause; this one is then as before.
    pub fn merge(&mut self, other: Self) -> Result<(), MergeError> {
        let same_streams = self.streams.len() == other.streams.len()
            && (self.streams.iter().zip(&other.streams))
                .all(|(own, other)| own.stream == other.stream);
        if self.vehicle_sha256 != other.vehicle_sha256 || !same_streams {
            return Err(MergeError::Vehicle {
                names: [self.vehicle.clone(), other.vehicle],
            });
        }
        if self.duration_ms.to_bits() != other.duration_ms.to_bits() {
            return Err(MergeError::Duration([self.duration_ms, other.duration_ms]));
        }
        for own in &self.ranges {
            if let Some(seed) = other.ranges.iter().find_map(|range| common(own, range)) {
                return Err(MergeError::Seed(seed));
            }
        }
        let Some(runs) = self.runs.checked_add(other.runs) else {
            return Err(MergeError::Unsound("the numbers of runs"));
        };
        self.runs = runs;
        self.runs_met += other.runs_met;
        self.met &= other.met;
        self.ranges.extend(other.ranges);
        self.ranges.sort_by_key(|range| range.first_seed);
        for requirement in other.requirements {
            self.add_requirement(requirement);
        }
        for (own, other) in self.streams.iter_mut().zip(&other.streams) {
            own.merge(other);
        }
        self.finish();
        Ok(())
    }
}

/// Returns a seed that both have.
fn common(one: &RunRange, other: &RunRange) -> Option<u64> {
    let first = one.first_seed.max(other.first_seed);
    let has = |range: &RunRange| first - range.first_seed < range.seeds;
    (has(one) && has(other)).then_some(first)
}

impl StreamRuns {
    fn merge(&mut self, other: &Self) {
        let without = &mut self.runs_without_delivery;
        *without = without.saturating_add(other.runs_without_delivery);
        if let (Some(best), Some(worst)) = (other.best_ms, other.worst_ms) {
            self.add_worst(best, worst, other.worst_in);
        }
        self.critical_ms = greatest(self.critical_ms, other.critical_ms);
        self.bound_ms = self.bound_ms.or(other.bound_ms);
        self.late = self.late.saturating_add(other.late);
        self.skipped = self.skipped.saturating_add(other.skipped);
        self.worsts.merge(&other.worsts);
    }
}
