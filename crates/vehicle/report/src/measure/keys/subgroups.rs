//! The logical ECUs of a group and the networks that it is merged of.

use waywarden_can_sim::clock::Time;
use waywarden_group_keys::Address;
use waywarden_vehicle_file::KeyGroup;

/// Figures of one logical ECU.
#[derive(Clone, Debug)]
pub struct SubgroupFigures {
    /// Its address.
    pub logical: Address,
    /// The two that it is formed of; the second is [`Address::NONE`] for a promoted one.
    pub children: (Address, Address),
    /// Holders of its key, by their place among the parties, with the time of each one's first key.
    pub members: Vec<(usize, Option<Time>)>,
    /// Time at which the last of those that took part had it.
    pub formed: Option<Time>,
}

/// Figures of one network of a group.
#[derive(Clone, Debug)]
pub struct MergedNetwork {
    /// Its ECUs, by their place among the parties.
    pub members: Vec<usize>,
    /// True if it joins the others later.
    pub joins: bool,
    /// The logical ECU that it is, by its place among the subgroups; none of a single ECU.
    pub subgroup: Option<usize>,
    /// Time at which it and all others that took part had one key.
    pub joined: Option<Time>,
}

/// Returns the logical ECUs of a group, and its networks.
pub(super) fn subgroups(group: &KeyGroup) -> (Vec<SubgroupFigures>, Vec<MergedNetwork>) {
    // The file was read with the same plan, so there is one.
    let Ok(plan) = group.plan(std::iter::repeat(0)) else {
        return (Vec::new(), Vec::new());
    };
    let place = |address: Address| {
        let mut parties = group.parties();
        parties.position(|party| party.address == address)
    };
    let subgroups: Vec<SubgroupFigures> = plan
        .merges()
        .filter_map(|logical| {
            let mut members: Vec<usize> = plan.holders(logical).filter_map(place).collect();
            members.sort_unstable();
            Some(SubgroupFigures {
                logical,
                children: plan.children(logical)?,
                members: members.into_iter().map(|party| (party, None)).collect(),
                formed: None,
            })
        })
        .collect();
    let networks = (0..group.networks.len()).map(|at| {
        let addresses = group.network_addresses(at);
        let top = plan.subgroup(&addresses);
        MergedNetwork {
            members: addresses.into_iter().filter_map(place).collect(),
            joins: group.networks[at].joins.is_some(),
            subgroup: subgroups.iter().position(|one| Some(one.logical) == top),
            joined: None,
        }
    });
    let networks = networks.collect();
    (subgroups, networks)
}
