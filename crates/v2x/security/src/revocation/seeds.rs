//! The seeds that a list publishes.

use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, GroupCrlEntry, GroupSingleSeedCrlEntry, IMaxGroup, JMaxGroup, LaGroup, LaId,
    LinkageSeed, Time32, TypeSpecificCrlContents,
};

use super::refusal::CrlRefusal;
use super::{GROUPS_MAX, VALUES_MAX};

/// The linkage authorities that the seeds are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Authorities {
    One(LaId),
    Two(LaId, LaId),
}

impl Authorities {
    /// Returns the number of seeds of each holder.
    pub(super) fn seeds(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Two(..) => 2,
        }
    }

    /// Returns the authority of the seed at this index.
    pub(super) fn of_seed(self, at: usize) -> LaId {
        match self {
            Self::Two(_, second) if at % 2 == 1 => second,
            Self::One(only) | Self::Two(only, _) => only,
        }
    }
}

/// Holders, or a group, for which everything but the seeds is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) authorities: Authorities,
    /// The last period, `iMax`.
    pub(super) i_max: u16,
    /// The last index; `None` for a group, whose certificates name theirs.
    pub(super) j_max: Option<u8>,
    /// Index of their first seed in the list.
    pub(super) start: usize,
    /// Number of holders.
    pub(super) holders: usize,
}

impl Batch {
    /// Returns the number of values of a holder for one period. Indices count from 0 or from 1 up
    /// to `jmax`, depending on the issuing system; both are covered.
    pub(super) fn values_each(&self) -> usize {
        self.j_max.map_or(0, |j_max| usize::from(j_max) + 1)
    }

    /// Returns the number of seeds.
    pub(super) fn seeds(&self) -> usize {
        self.holders * self.authorities.seeds()
    }
}

/// The place of a list in its series: when it was made, its period and its number in that period.
/// The greater one is the later one.
pub(super) type Order = (Time32, u16, u8);

/// The seeds of a list.
#[derive(Clone, Debug)]
pub(super) struct SeedList {
    pub(super) is_full: bool,
    pub(super) order: Order,
    /// Time at which the next list is due.
    pub(super) next: Time32,
    /// The period of the seeds as published.
    pub(super) i_rev: u16,
    pub(super) batches: Arc<[Batch]>,
    /// The seeds as published: those of one holder side by side.
    pub(super) first: Arc<[LinkageSeed]>,
    /// The seeds of the latest period that was expanded, where it is later than the first: the next
    /// period is one hash away. Those of holders without certificates for it are not current.
    pub(super) latest: Option<(u16, Arc<[LinkageSeed]>)>,
    /// Number of values for one period.
    pub(super) values: usize,
    pub(super) groups: usize,
}

impl SeedList {
    /// Its period and its number in that period.
    pub(super) fn number(&self) -> (u16, u8) {
        (self.order.1, self.order.2)
    }

    /// True if another list revokes the same, from the same period on.
    pub(super) fn names_the_same(&self, other: &Self) -> bool {
        self.i_rev == other.i_rev && self.batches == other.batches && self.first == other.first
    }

    /// True if another list is the same one.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.is_full, self.order) == (other.is_full, other.order) && self.names_the_same(other)
    }

    /// Returns the number of holders that it revokes one by one.
    pub(super) fn holders(&self) -> usize {
        let single = self.batches.iter().filter(|batch| batch.j_max.is_some());
        single.map(|batch| batch.holders).sum()
    }

    /// Returns true if it revokes certificates of this period.
    pub(super) fn covers(&self, period: u16) -> bool {
        self.i_rev <= period && self.batches.iter().any(|batch| period <= batch.i_max)
    }

    /// The seeds to begin with for a period, and their period.
    pub(super) fn before(&self, period: u16) -> (u16, &Arc<[LinkageSeed]>) {
        match &self.latest {
            Some((latest, seeds)) if *latest <= period => (*latest, seeds),
            _ => (self.i_rev, &self.first),
        }
    }

    pub(super) fn memory(&self) -> usize {
        let latest = self.latest.as_ref().map(|(_, seeds)| size_of_val(&**seeds));
        size_of_val(&*self.batches) + size_of_val(&*self.first) + latest.unwrap_or(0)
    }

    /// Reads a list by linkage values. Linear in the list, and bounded by [`VALUES_MAX`] and
    /// [`GROUPS_MAX`].
    pub(super) fn read(contents: &CrlContents<'_>) -> Result<Self, CrlRefusal> {
        let (parts, is_full) = Parts::of(&contents.contents);
        let mut reading = Reading::default();
        for group in elements(parts.individual) {
            reading.holders(&group)?;
        }
        for group in elements(parts.groups) {
            reading.group(&group)?;
        }
        for group in elements(parts.groups_single_seed) {
            reading.group_with_one_seed(&group)?;
        }
        Ok(Self {
            is_full,
            order: (contents.issue_date, parts.i_rev, parts.index),
            next: contents.next_crl,
            i_rev: parts.i_rev,
            batches: reading.batches.into(),
            first: reading.seeds.into(),
            latest: None,
            values: reading.values,
            groups: reading.groups,
        })
    }
}

/// The fields common to both forms of a list by linkage values.
#[derive(Default)]
struct Parts<'a> {
    i_rev: u16,
    index: u8,
    individual: Option<SequenceOf<'a, JMaxGroup<'a>>>,
    groups: Option<SequenceOf<'a, GroupCrlEntry<'a>>>,
    groups_single_seed: Option<SequenceOf<'a, GroupSingleSeedCrlEntry>>,
}

impl<'a> Parts<'a> {
    /// Takes them out, and whether the list is a full one.
    fn of(contents: &TypeSpecificCrlContents<'a>) -> (Self, bool) {
        use TypeSpecificCrlContents::{
            DeltaHash, DeltaLinked, DeltaLinkedWithAlg, FullHash, FullLinked, FullLinkedWithAlg,
        };
        let is_full = matches!(contents, FullLinked(_) | FullLinkedWithAlg(_));
        let parts = match contents {
            FullLinked(list) | DeltaLinked(list) => Self {
                i_rev: list.i_rev.0,
                index: list.index_within_i,
                individual: list.individual,
                groups: list.groups,
                groups_single_seed: list.groups_single_seed,
            },
            // The functions that they name are the only ones that there are.
            FullLinkedWithAlg(list) | DeltaLinkedWithAlg(list) => Self {
                i_rev: list.i_rev.0,
                index: list.index_within_i,
                individual: list.individual,
                groups: list.groups,
                groups_single_seed: list.groups_single_seed,
            },
            FullHash(_) | DeltaHash(_) => Self::default(),
        };
        (parts, is_full)
    }
}

fn elements<'a, T: waywarden_v2x_wire::coer::CoerDecode<'a> + Copy>(
    list: Option<SequenceOf<'a, T>>,
) -> impl Iterator<Item = T> {
    list.into_iter().flat_map(|list| list.iter().flatten())
}

/// A list that is being read.
#[derive(Default)]
struct Reading {
    batches: Vec<Batch>,
    seeds: Vec<LinkageSeed>,
    values: usize,
    groups: usize,
}

impl Reading {
    fn holders(&mut self, group: &JMaxGroup<'_>) -> Result<(), CrlRefusal> {
        for of_authorities in group.contents.iter().flatten() {
            for of_period in of_authorities.contents.iter().flatten() {
                self.holders_to(group.j_max, &of_authorities, &of_period)?;
            }
        }
        Ok(())
    }

    fn holders_to(
        &mut self,
        j_max: u8,
        of: &LaGroup<'_>,
        group: &IMaxGroup<'_>,
    ) -> Result<(), CrlRefusal> {
        let batch = |authorities| Batch {
            authorities,
            i_max: group.i_max,
            j_max: Some(j_max),
            start: 0,
            holders: 0,
        };
        let pairs = group.contents.iter().flatten();
        let pairs = pairs.flat_map(|holder| [holder.seed_1, holder.seed_2]);
        self.push(batch(Authorities::Two(of.la_1, of.la_2)), pairs)?;
        // A single seed is the first authority's.
        self.push(
            batch(Authorities::One(of.la_1)),
            elements(group.single_seed),
        )
    }

    fn group(&mut self, entry: &GroupCrlEntry<'_>) -> Result<(), CrlRefusal> {
        let authorities = Authorities::Two(entry.la_1, entry.la_2);
        self.push_group(entry.i_max, authorities, &[entry.seed_1, entry.seed_2])
    }

    fn group_with_one_seed(&mut self, entry: &GroupSingleSeedCrlEntry) -> Result<(), CrlRefusal> {
        self.push_group(entry.i_max, Authorities::One(entry.la), &[entry.seed])
    }

    fn push_group(
        &mut self,
        i_max: u16,
        authorities: Authorities,
        seeds: &[LinkageSeed],
    ) -> Result<(), CrlRefusal> {
        self.groups += 1;
        if self.groups > GROUPS_MAX {
            return Err(CrlRefusal::TooMany);
        }
        let batch = Batch {
            authorities,
            i_max,
            j_max: None,
            start: 0,
            holders: 0,
        };
        self.push(batch, seeds.iter().copied())
    }

    /// Adds a batch with these seeds, if there are any.
    fn push(
        &mut self,
        batch: Batch,
        seeds: impl Iterator<Item = LinkageSeed>,
    ) -> Result<(), CrlRefusal> {
        let (start, each) = (self.seeds.len(), batch.authorities.seeds());
        for seed in seeds {
            self.seeds.push(seed);
            let is_next_holder = (self.seeds.len() - start).is_multiple_of(each);
            self.values += if is_next_holder {
                batch.values_each()
            } else {
                0
            };
            if self.values > VALUES_MAX {
                return Err(CrlRefusal::TooMany);
            }
        }
        let holders = (self.seeds.len() - start) / each;
        if holders > 0 {
            self.batches.push(Batch {
                start,
                holders,
                ..batch
            });
        }
        Ok(())
    }
}
