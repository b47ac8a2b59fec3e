//! Groups that are revoked: a certificate names its index, so nothing can be expanded ahead.

use waywarden_v2x_wire::ieee1609dot2::{GroupLinkageValue, LinkageSeed, LinkageValue};

use super::seeds::Authorities;
use crate::linkage::{PreLinkageValues, linkage_value};

/// Pre-linkage values of a group for one period.
#[derive(Clone)]
pub(super) struct GroupValues {
    first: PreLinkageValues,
    second: Option<PreLinkageValues>,
}

impl core::fmt::Debug for GroupValues {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("GroupValues")
    }
}

impl GroupValues {
    /// Takes the seeds of the period, one for each authority.
    pub(super) fn new(authorities: Authorities, seeds: &[LinkageSeed]) -> Option<Self> {
        let of = |at: usize| {
            Some(PreLinkageValues::new(
                authorities.of_seed(at),
                seeds.get(at)?,
            ))
        };
        Some(Self {
            first: of(0)?,
            second: of(1),
        })
    }

    /// Returns true if a certificate with this value is of the group: at most two AES blocks.
    pub(super) fn has(&self, linkage: &GroupLinkageValue) -> bool {
        let j = u32::from_be_bytes(linkage.j.0);
        let first = self.first.at(j);
        let value = match &self.second {
            Some(second) => linkage_value(first, second.at(j)),
            None => LinkageValue(first.0),
        };
        value == linkage.value
    }
}
