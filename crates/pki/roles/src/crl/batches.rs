//! Entries of a list gathered as the standard wants them: holders of one seed together.

use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::coer::UnknownAdditions;
use waywarden_v2x_wire::ieee1609dot2::{
    GroupCrlEntry, GroupSingleSeedCrlEntry, IMaxGroup, IndividualRevocation, LaGroup, LaId,
    LinkageSeed,
};

use super::{RevokedGroup, RevokedHolder, RevokedSeeds, if_any, sequence};

/// Holders that have everything but the seeds in common.
pub(super) struct Batch {
    pub(super) j_max: u8,
    pub(super) authorities: (LaId, LaId),
    pub(super) i_max: u16,
    pub(super) pairs: Vec<IndividualRevocation<'static>>,
    pub(super) singles: Vec<LinkageSeed>,
}

/// Returns the fields that are the same in a batch. A single seed is the first authority's.
fn common(holder: &RevokedHolder) -> (u8, [u8; 2], [u8; 2], u16) {
    let (la_1, la_2) = match holder.seeds {
        RevokedSeeds::One(la, _) => (la, la),
        RevokedSeeds::Two([(la_1, _), (la_2, _)]) => (la_1, la_2),
    };
    (holder.j_max, la_1.0, la_2.0, holder.i_max)
}

pub(super) fn batches(holders: &[RevokedHolder]) -> Vec<Batch> {
    let mut sorted: Vec<&RevokedHolder> = holders.iter().collect();
    sorted.sort_by_key(|holder| common(holder));
    let same = |one: &&RevokedHolder, other: &&RevokedHolder| common(one) == common(other);
    let batch = |holders: &[&RevokedHolder]| {
        let (j_max, la_1, la_2, i_max) = holders.first().map(|first| common(first))?;
        let pairs = holders.iter().filter_map(|holder| match holder.seeds {
            RevokedSeeds::Two([(_, seed_1), (_, seed_2)]) => Some(IndividualRevocation {
                seed_1,
                seed_2,
                unknown: UnknownAdditions::default(),
            }),
            RevokedSeeds::One(..) => None,
        });
        let singles = holders.iter().filter_map(|holder| match holder.seeds {
            RevokedSeeds::One(_, seed) => Some(seed),
            RevokedSeeds::Two(_) => None,
        });
        Some(Batch {
            j_max,
            authorities: (LaId(la_1), LaId(la_2)),
            i_max,
            pairs: pairs.collect(),
            singles: singles.collect(),
        })
    };
    sorted.chunk_by(same).filter_map(batch).collect()
}

impl Batch {
    pub(super) fn by_period(&self) -> Result<[IMaxGroup<'_>; 1], EmitError> {
        Ok([IMaxGroup {
            i_max: self.i_max,
            contents: sequence(&self.pairs)?,
            single_seed: if_any(&self.singles)?,
            unknown: UnknownAdditions::default(),
        }])
    }

    pub(super) fn by_authority<'a>(
        &self,
        contents: &'a [IMaxGroup<'a>],
    ) -> Result<[LaGroup<'a>; 1], EmitError> {
        Ok([LaGroup {
            la_1: self.authorities.0,
            la_2: self.authorities.1,
            contents: sequence(contents)?,
            unknown: UnknownAdditions::default(),
        }])
    }
}

pub(super) fn group(group: &RevokedGroup) -> Option<GroupCrlEntry<'static>> {
    let RevokedSeeds::Two([(la_1, seed_1), (la_2, seed_2)]) = group.seeds else {
        return None;
    };
    Some(GroupCrlEntry {
        i_max: group.i_max,
        la_1,
        seed_1,
        la_2,
        seed_2,
        unknown: UnknownAdditions::default(),
    })
}

pub(super) fn single_group(group: &RevokedGroup) -> Option<GroupSingleSeedCrlEntry> {
    let RevokedSeeds::One(la, seed) = group.seeds else {
        return None;
    };
    Some(GroupSingleSeedCrlEntry {
        i_max: group.i_max,
        la,
        seed,
    })
}
