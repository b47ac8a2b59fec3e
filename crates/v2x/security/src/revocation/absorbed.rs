//! Earlier lists by linkage values taken into a full list, so that it lifts nothing.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use waywarden_v2x_wire::ieee1609dot2::{LaId, LinkageSeed};

use super::HASHES_MAX;
use super::refusal::CrlRefusal;
use super::seeds::{Authorities, Batch, SeedList};
use crate::linkage::later_seed;

/// The seeds of a holder or a group in one period, each with its authority.
type Seeds = ((LaId, LinkageSeed), Option<(LaId, LinkageSeed)>);

/// Holders and groups by their seeds, the last index and the last period. A group has no last
/// index.
type Named = BTreeSet<(Seeds, Option<u8>, u16)>;

fn seeds(authorities: Authorities, own: &[LinkageSeed]) -> Option<Seeds> {
    let of = |at: usize| Some((authorities.of_seed(at), *own.get(at)?));
    Some((of(0)?, of(1)))
}

/// True if the certificates of a holder are all among those of another entry with its seeds.
fn is_covered(named: &Named, seeds: Seeds, batch: &Batch) -> bool {
    let mut entries =
        named.range((seeds, batch.j_max, batch.i_max)..=(seeds, Some(u8::MAX), u16::MAX));
    // A group and a holder with the same seeds have other values.
    entries
        .any(|(_, j_max, i_max)| j_max.is_some() == batch.j_max.is_some() && *i_max >= batch.i_max)
}

impl SeedList {
    /// True if this list, a full one, can stand for another: that one is not later, and its seeds
    /// lead to those of this one's period.
    pub(super) fn supersedes(&self, other: &Self) -> bool {
        other.order <= self.order && other.i_rev <= self.i_rev
    }

    /// Adds the holders and groups of lists that it [supersedes](Self::supersedes) and does not
    /// name, with their seeds of its own period. Returns false if there are none. One hash a seed
    /// for each period between the lists, at most [`HASHES_MAX`].
    pub(super) fn absorb(&mut self, earlier: &[Self]) -> Result<bool, CrlRefusal> {
        let earlier = earlier.iter().filter(|one| !one.names_the_same(self));
        let earlier: Vec<&Self> = earlier.collect();
        if earlier.iter().all(|one| one.batches.is_empty()) {
            return Ok(false);
        }
        let hashes = earlier.iter().map(|one| one.hashes_to(self.i_rev));
        if hashes.sum::<u64>() > HASHES_MAX {
            return Err(CrlRefusal::TooMany);
        }
        let mut named = self.named();
        let mut batches = self.batches.to_vec();
        let mut first = self.first.to_vec();
        for list in earlier {
            for batch in list
                .batches
                .iter()
                .filter(|batch| batch.i_max >= self.i_rev)
            {
                let start = first.len();
                for own in list.seeds_of(batch, self.i_rev) {
                    let Some(seeds) = seeds(batch.authorities, &own) else {
                        continue;
                    };
                    if !is_covered(&named, seeds, batch) {
                        named.insert((seeds, batch.j_max, batch.i_max));
                        first.extend(own);
                    }
                }
                let holders = (first.len() - start) / batch.authorities.seeds();
                if holders > 0 {
                    batches.push(Batch {
                        start,
                        holders,
                        ..*batch
                    });
                    self.values += holders * batch.values_each();
                    self.groups += if batch.j_max.is_none() { holders } else { 0 };
                }
            }
        }
        let has_more = batches.len() > self.batches.len();
        if has_more {
            self.batches = batches.into();
            self.first = first.into();
            self.latest = None;
        }
        Ok(has_more)
    }

    fn named(&self) -> Named {
        let of = |batch: &Batch| {
            let (authorities, j_max, i_max) = (batch.authorities, batch.j_max, batch.i_max);
            let own = &self.first[batch.start..batch.start + batch.seeds()];
            let holders = own.chunks_exact(authorities.seeds());
            let seeds = holders.filter_map(move |own| seeds(authorities, own));
            seeds
                .map(move |seeds| (seeds, j_max, i_max))
                .collect::<Vec<_>>()
        };
        self.batches.iter().flat_map(of).collect()
    }

    /// The hashes that take its seeds to a later period.
    fn hashes_to(&self, period: u16) -> u64 {
        let (from, _) = self.before(period);
        let active = self.batches.iter().filter(|batch| batch.i_max >= period);
        let seeds = active.map(Batch::seeds).sum::<usize>();
        seeds as u64 * u64::from(period.saturating_sub(from))
    }

    /// The seeds of each holder of a batch in a period, which is not before the list's.
    fn seeds_of(&self, batch: &Batch, period: u16) -> impl Iterator<Item = Vec<LinkageSeed>> {
        let (from, seeds) = self.before(period);
        let steps = period.saturating_sub(from);
        let authorities = batch.authorities;
        let holders =
            seeds[batch.start..batch.start + batch.seeds()].chunks_exact(authorities.seeds());
        holders.map(move |own| {
            let own = own.iter().enumerate();
            own.map(|(at, seed)| later_seed(authorities.of_seed(at), seed, steps))
                .collect()
        })
    }
}
