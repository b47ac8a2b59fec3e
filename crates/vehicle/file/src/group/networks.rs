//! Reads the `networks` of a group: which members form keys of their own, and when they join.

use waywarden_group_keys::Scheme;
use waywarden_work::Duration;

use crate::draft::Draft;
use crate::keys;
use crate::model::{BusIndex, EcuIndex, KeyNetwork, KeyParty};
use crate::parties::{self, Turn, TurnKind};
use crate::place::Located;
use crate::problem::Problem;
use crate::reader::Section;

/// A network as it stands in the file.
pub(super) struct NetworkDraft {
    name: Located<String>,
    members: Vec<Located<usize>>,
    joins: Option<Located<Duration>>,
}

/// Reads the networks: none if the group is one.
pub(super) fn read(
    section: &mut Section<'_>,
    scheme: Scheme,
    in_charge: (Option<usize>, &str),
    buses: &[BusIndex],
    draft: &Draft,
) -> Vec<NetworkDraft> {
    let span = section.location("networks");
    let is_there = section.has("networks");
    let is_twofold = is_there && section.has("members");
    section.demand(!is_twofold, &span, || Problem::Relation {
        found: "the group has `members` and `networks`".to_owned(),
        remedy: "leave `members` out: they are those of its networks",
    });
    let forms_keys = scheme != Scheme::SymmetricDistribution;
    section.demand(!is_there || forms_keys, &span, || Problem::Relation {
        found: "with symmetric distribution no network has a key of its own".to_owned(),
        remedy: "take a tree as the `scheme`, or leave `networks` out",
    });
    let mut networks: Vec<NetworkDraft> = Vec::new();
    for mut entry in section.tables("networks") {
        let network = network(&mut entry, in_charge, buses, draft);
        if let Some(network) = &network {
            check(&mut entry, network, &networks, draft);
        }
        section.adopt(&entry);
        if let (Some(()), Some(network)) = (entry.finish(), network) {
            networks.push(network);
        }
    }
    networks
}

fn network(
    entry: &mut Section<'_>,
    in_charge: (Option<usize>, &str),
    buses: &[BusIndex],
    draft: &Draft,
) -> Option<NetworkDraft> {
    let name = keys::name(entry);
    entry.need("members");
    let members = match entry.has("members") {
        true => parties::members(entry, in_charge, buses, draft),
        false => Vec::new(),
    };
    let joins = entry.moment("joins");
    Some(NetworkDraft {
        name: name?,
        members,
        joins,
    })
}

/// Notes contradictions with the networks before.
fn check(entry: &mut Section<'_>, network: &NetworkDraft, before: &[NetworkDraft], draft: &Draft) {
    let name = &network.name;
    let is_new = before.iter().all(|other| other.name.value != name.value);
    entry.demand(is_new, &name.span, || Problem::Relation {
        found: format!("there is a network {:?} in this group already", name.value),
        remedy: "give each network a name of its own",
    });
    if let Some(joins) = &network.joins {
        entry.demand(!before.is_empty(), &joins.span, || Problem::Relation {
            found: "the first network is the orchestrator's, and there from the start".to_owned(),
            remedy: "leave `joins` out here, or write another network first",
        });
    }
    let span = entry.location("members");
    let has_members = !network.members.is_empty() || !entry.has("members");
    entry.demand(has_members, &span, || Problem::Relation {
        found: format!("network {:?} has no ECU", name.value),
        remedy: "name at least one in `members`, or take the network out",
    });
    for member in &network.members {
        let others = before.iter();
        let mut other = others.filter(|one| one.members.iter().any(|at| at.value == member.value));
        if let Some(other) = other.next() {
            let found = format!(
                "ECU {:?} is in network {:?} already",
                draft.ecu_names.name(member.value),
                other.name.value
            );
            let remedy = "an ECU is in one network of a group";
            entry.fault(&member.span, Problem::Relation { found, remedy });
        }
    }
}

/// Returns the members of all networks, in order.
pub(super) fn members(networks: &[NetworkDraft]) -> Vec<Located<usize>> {
    let all = networks.iter().flat_map(|network| &network.members);
    all.cloned().collect()
}

/// Notes networks that would join before the others have begun.
pub(super) fn check_joins(section: &mut Section<'_>, networks: &[NetworkDraft], start: Duration) {
    for joins in networks.iter().filter_map(|network| network.joins.as_ref()) {
        section.demand(joins.value > start, &joins.span, || Problem::Relation {
            found: format!(
                "it joins at {:#}, and the others begin at {start:#}",
                joins.value
            ),
            remedy: "write a later time, or leave `joins` out",
        });
    }
}

/// Returns the parties that are left out of the start, and come later.
pub(super) fn turns(networks: &[NetworkDraft], start: Duration) -> Vec<Turn> {
    let mut turns = Vec::new();
    for network in networks {
        let Some(joins) = &network.joins else {
            continue;
        };
        for member in &network.members {
            let ecu = EcuIndex(member.value);
            turns.push(Turn {
                ecu,
                at: joins.clone().map(|_| start),
                kind: TurnKind::Leaves,
            });
            turns.push(Turn {
                ecu,
                at: joins.clone(),
                kind: TurnKind::Returns,
            });
        }
    }
    turns
}

/// Gives the members of each network the addresses that they have in the group.
pub(super) fn seated(networks: Vec<NetworkDraft>, members: &[KeyParty]) -> Vec<KeyNetwork> {
    let mut members = members.iter().copied();
    let seated = networks.into_iter().map(|network| KeyNetwork {
        members: members.by_ref().take(network.members.len()).collect(),
        name: network.name,
        joins: network.joins.map(|at| at.value),
    });
    seated.collect()
}
