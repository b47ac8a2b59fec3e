//! The work between a list and the linkage values of a period, in parts that need nothing else.

use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_v2x_wire::ieee1609dot2::{IValue, LinkageSeed};

use super::HASHES_MAX;
use super::refusal::ExpansionRefusal;
use super::seeds::{Authorities, Batch, SeedList};
use super::series::SeriesName;
use super::table::Value;
use crate::linkage::{PreLinkageValues, later_seed, linkage_value};

/// Most holders of a part: with 21 values each some 2 ms of work.
const HOLDERS: usize = 1_024;

/// The values that lists of a series revoke in one period, still to be computed.
///
/// [`parts`](Self::parts) hands out the work. Parts can run on any threads and in any order.
#[derive(Clone, Debug)]
pub struct RevocationExpansion {
    pub(super) task: Task,
    pub(super) lists: Vec<ListWork>,
}

/// Purpose of an expansion: a period of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) series: SeriesName,
    pub(super) period: u16,
    /// Generation of the lists at the start.
    pub(super) generation: u64,
}

/// The expansion of one list.
#[derive(Clone, Debug)]
pub(super) struct ListWork {
    pub(super) batches: Arc<[Batch]>,
    pub(super) seeds: Arc<[LinkageSeed]>,
    /// Number of periods from the seeds to `period`; `None` if the list begins later.
    pub(super) steps: Option<u16>,
    /// True if `period` is later than that of the seeds in the list: new seeds replace them.
    pub(super) is_later: bool,
}

impl ListWork {
    fn new(list: &SeedList, period: u16) -> Self {
        let (from, seeds) = list.before(period);
        Self {
            batches: Arc::clone(&list.batches),
            seeds: Arc::clone(seeds),
            steps: period.checked_sub(from),
            is_later: list.latest.as_ref().map_or(list.i_rev, |latest| latest.0) < period,
        }
    }

    /// The batches that have certificates of a period, with their numbers.
    pub(super) fn active(&self, period: u16) -> impl Iterator<Item = (usize, &Batch)> {
        let batches = self.batches.iter().enumerate();
        batches.filter(move |(_, batch)| self.steps.is_some() && period <= batch.i_max)
    }
}

impl RevocationExpansion {
    /// Plans it.
    pub(super) fn new<'l>(
        task: Task,
        lists: impl Iterator<Item = &'l SeedList>,
    ) -> Result<Self, ExpansionRefusal> {
        let lists = lists.map(|list| ListWork::new(list, task.period)).collect();
        let expansion = Self { task, lists };
        match expansion.hashes() {
            needed if needed > HASHES_MAX => Err(ExpansionRefusal::TooManyHashes { needed }),
            _ => Ok(expansion),
        }
    }

    /// Returns the period.
    #[must_use]
    pub fn period(&self) -> IValue {
        IValue(self.task.period)
    }

    /// Returns the number of values of the result.
    #[must_use]
    pub fn values(&self) -> usize {
        let count = |(_, batch): (usize, &Batch)| batch.holders * batch.values_each();
        let lists = self.lists.iter();
        lists
            .flat_map(|list| list.active(self.task.period).map(count))
            .sum()
    }

    /// Returns the number of hashes from the seeds to the period.
    #[must_use]
    pub fn hashes(&self) -> u64 {
        let of = |list: &ListWork| {
            let active = list
                .active(self.task.period)
                .map(|(_, batch)| batch.seeds());
            active.sum::<usize>() as u64 * u64::from(list.steps.unwrap_or(0))
        };
        self.lists.iter().map(of).sum()
    }

    /// Returns the parts of the work, of at most 1,024 holders each.
    #[must_use]
    pub fn parts(&self) -> Vec<ExpansionPart> {
        let mut parts = Vec::new();
        for (list, work) in self.lists.iter().enumerate() {
            for (_, batch) in work.active(self.task.period) {
                for first in (0..batch.holders).step_by(HOLDERS) {
                    let each = batch.authorities.seeds();
                    parts.push(ExpansionPart {
                        place: Place {
                            task: self.task,
                            number: parts.len(),
                            list,
                            start: batch.start + first * each,
                        },
                        batch: Batch {
                            start: batch.start + first * each,
                            holders: (batch.holders - first).min(HOLDERS),
                            ..*batch
                        },
                        seeds: Arc::clone(&work.seeds),
                        steps: work.steps.unwrap_or(0),
                    });
                }
            }
        }
        parts
    }
}

/// Position of a part's result in the expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) task: Task,
    pub(super) number: usize,
    /// Index of the list.
    pub(super) list: usize,
    /// Index of the part's first seed in the list.
    pub(super) start: usize,
}

/// A part of an expansion: independent of all others.
#[derive(Clone, Debug)]
pub struct ExpansionPart {
    place: Place,
    batch: Batch,
    seeds: Arc<[LinkageSeed]>,
    steps: u16,
}

/// The expanded values of one part.
#[derive(Clone, Debug)]
pub struct ExpandedPart {
    pub(super) place: Place,
    /// The seeds of the period.
    pub(super) seeds: Vec<LinkageSeed>,
    pub(super) values: Vec<Value>,
}

impl ExpansionPart {
    /// Computes the values: one hash a seed for each period between, and one AES block a seed for
    /// each value.
    #[must_use]
    pub fn run(&self) -> ExpandedPart {
        let Batch {
            authorities, start, ..
        } = self.batch;
        let seeds = &self.seeds[start..start + self.batch.seeds()];
        let seeds = seeds.iter().enumerate();
        let later = |(at, seed)| later_seed(authorities.of_seed(at), seed, self.steps);
        let seeds: Vec<LinkageSeed> = seeds.map(later).collect();
        let mut values = Vec::with_capacity(self.batch.holders * self.batch.values_each());
        if let Some(j_max) = self.batch.j_max {
            for holder in seeds.chunks_exact(authorities.seeds()) {
                push_values(authorities, holder, j_max, &mut values);
            }
        }
        ExpandedPart {
            place: self.place,
            seeds,
            values,
        }
    }
}

/// Adds the values of one holder.
fn push_values(
    authorities: Authorities,
    seeds: &[LinkageSeed],
    j_max: u8,
    values: &mut Vec<Value>,
) {
    let of = |at: usize| {
        Some(PreLinkageValues::new(
            authorities.of_seed(at),
            seeds.get(at)?,
        ))
    };
    let Some(first) = of(0) else {
        return;
    };
    let second = of(1);
    let end = values.len() + usize::from(j_max) + 1;
    for from in (0..=u32::from(j_max)).step_by(8) {
        let ones = first.eight_from(from);
        match &second {
            Some(second) => {
                let pairs = ones.into_iter().zip(second.eight_from(from));
                values.extend(pairs.map(|(one, other)| linkage_value(one, other).0));
            }
            None => values.extend(ones.map(|one| one.0)),
        }
    }
    values.truncate(end);
}
