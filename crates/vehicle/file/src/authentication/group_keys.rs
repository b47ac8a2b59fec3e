//! Reads `group` and `subgroup`: message authentication under a key that ECUs agree on, and not one
//! that is in place when the car starts.

use waywarden_group_keys::{Address, GroupPlan};

use crate::draft::Draft;
use crate::model::{BeforeFirstKey, EcuIndex, GroupKey, KeyGroup, KeyOrigin, VehicleFile};
use crate::place::Located;
use crate::problem::{Problem, Thing};
use crate::reader::Section;
use crate::source::Findings;

/// Keys that have no meaning without a group, each with its error and remedy.
const WITHOUT_GROUP: [(&str, &str, &str); 2] = [
    (
        "subgroup",
        "a subgroup without a group",
        "name its `group` too, or leave `subgroup` out",
    ),
    (
        "before_first_key",
        "what to do before the first key of a group, without a group",
        "name its `group` too, or leave `before_first_key` out",
    ),
];

/// Limit on subgroups that an error lists.
const LISTED_MAX: usize = 16;

/// Reads `group` and the keys that depend on it; none if there is no group, or a wrong one.
/// `groups` are none if they are broken.
pub(super) fn origin(
    section: &mut Section<'_>,
    groups: Option<&[KeyGroup]>,
    draft: &Draft,
) -> Option<KeyOrigin> {
    section.allow(&["subgroup"]);
    let before = before_first_key(section);
    let Some(name) = section.optional::<String>("group") else {
        for (key, found, remedy) in WITHOUT_GROUP {
            if section.has(key) {
                let span = section.location(key);
                section.demand(section.has("group"), &span, || Problem::Relation {
                    found: found.to_owned(),
                    remedy,
                });
            }
        }
        return None;
    };
    let groups = groups?;
    let Some(at) = groups.iter().position(|one| one.name.value == name.value) else {
        section.fault(&name.span, unknown(&name.value, groups));
        return None;
    };
    let key = |logical| GroupKey { group: at, logical };
    if !section.has("subgroup") {
        let key = name.map(|_| key(None));
        return Some(KeyOrigin::Group { key, before });
    }
    let span = section.location("subgroup");
    let logical = subgroup(section, &groups[at], draft)?;
    let key = Located::new(key(Some(logical)), span);
    Some(KeyOrigin::Group { key, before })
}

/// Reads the behaviour of ECUs until they have the first key of their group.
fn before_first_key(section: &mut Section<'_>) -> BeforeFirstKey {
    match section.word("before_first_key") {
        "retained" => BeforeFirstKey::Retained,
        _ => BeforeFirstKey::Withhold,
    }
}

fn unknown(name: &str, groups: &[KeyGroup]) -> Problem {
    let known: Vec<String> = groups.iter().map(|one| one.name.value.clone()).collect();
    match known.is_empty() {
        true => Problem::Relation {
            found: format!("there is no group {name:?}; no ECUs agree on a key"),
            remedy: "add a [[keys]] of this name with an `orchestrator`, or leave `group` out",
        },
        false => Problem::Unknown {
            what: Thing::KeyGroup,
            name: name.to_owned(),
            known: known.into(),
        },
    }
}

/// Reads a subgroup: the name of a network, or all ECUs that hold its key.
fn subgroup(section: &mut Section<'_>, group: &KeyGroup, draft: &Draft) -> Option<Address> {
    let span = section.location("subgroup");
    // What is wrong with the plan was noted where it stands.
    let plan = group.plan(std::iter::repeat(0)).ok()?;
    let addresses = if section.is_text("subgroup") {
        let name = section.optional::<String>("subgroup")?;
        let mut networks = group.networks.iter();
        match networks.position(|one| one.name.value == name.value) {
            Some(at) => group.network_addresses(at),
            None => {
                section.fault(&name.span, no_network(group, &name.value));
                return None;
            }
        }
    } else {
        let list = section.optional::<Vec<Located<String>>>("subgroup")?.value;
        let named = section.references(&list, &draft.ecu_names);
        if named.len() < list.len() {
            return None;
        }
        let address = |ecu: &Located<usize>| {
            let mut parties = group.parties();
            parties.find(|party| party.ecu.0 == ecu.value)
        };
        for ecu in named.iter().filter(|ecu| address(ecu).is_none()) {
            let name = draft.ecu_names.name(ecu.value);
            let found = format!("ECU {name:?} is not in group {:?}", group.name.value);
            let remedy = "name ECUs of the group";
            section.fault(&ecu.span, Problem::Relation { found, remedy });
        }
        let all: Option<Vec<_>> = named.iter().map(address).collect();
        all?.into_iter().map(|party| party.address).collect()
    };
    let logical = plan.subgroup(&addresses).filter(|_| !addresses.is_empty());
    if logical.is_none() {
        let name = |ecu: EcuIndex| draft.ecu_names.name(ecu.0).to_owned();
        section.fault(&span, not_formed(group, &plan, &addresses, name));
    }
    logical
}

fn no_network(group: &KeyGroup, name: &str) -> Problem {
    let group_name = &group.name.value;
    let networks = group.networks.iter().map(|one| one.name.value.as_str());
    let networks: Vec<&str> = networks.collect();
    let found = match networks.as_slice() {
        [] => format!("group {group_name:?} has no `networks`, and so none {name:?}"),
        networks => format!(
            "group {group_name:?} has no network {name:?}; its networks: {}",
            networks.join(", ")
        ),
    };
    Problem::Relation {
        found,
        remedy: "name a network, or list the ECUs of a subgroup",
    }
}

/// Says that a plan forms no such subgroup, and which it forms.
fn not_formed(
    group: &KeyGroup,
    plan: &GroupPlan,
    addresses: &[Address],
    name: impl Fn(EcuIndex) -> String,
) -> Problem {
    let names = |addresses: &mut dyn Iterator<Item = Address>| {
        let party = |address| group.parties().find(|party| party.address == address);
        let parties = addresses.filter_map(party);
        let names: Vec<String> = parties.map(|party| name(party.ecu)).collect();
        names.join(" + ")
    };
    // A promotion has those of the one below it.
    let mut formed: Vec<String> = Vec::new();
    for logical in plan.merges() {
        let subgroup = names(&mut plan.holders(logical));
        if !formed.contains(&subgroup) {
            formed.push(subgroup);
        }
    }
    let more = formed.len().saturating_sub(LISTED_MAX);
    formed.truncate(LISTED_MAX);
    let mut list = formed.join(", ");
    if more > 0 {
        list += &format!(" and {more} more");
    }
    Problem::Relation {
        found: format!(
            "group {:?} forms no subgroup of {}; it forms {list}",
            group.name.value,
            names(&mut addresses.iter().copied()),
        ),
        remedy: "list the ECUs of one of them; `waywarden keys` shows when each has its key",
    }
}

/// Notes senders and receivers that do not hold the key that their messages come under.
pub(super) fn check_ends(file: &VehicleFile, findings: &Findings<'_>) {
    for table in &file.authentications {
        let KeyOrigin::Group { key, .. } = &table.keys else {
            continue;
        };
        for (ecu, does) in super::ends::ends(file, table) {
            if !file.holds(key.value, ecu) {
                let problem = not_held(file, key.value, ecu, &does);
                findings.add(&key.span, problem);
            }
        }
    }
}

fn not_held(file: &VehicleFile, key: GroupKey, ecu: EcuIndex, does: &str) -> Problem {
    let group = &file.groups[key.group];
    let name = &file.ecu(ecu).name.value;
    let holders = group.parties().filter(|party| file.holds(key, party.ecu));
    let holders = holders.map(|party| file.ecu(party.ecu).name.value.as_str());
    let holders: Vec<&str> = holders.collect();
    let what = match key.logical {
        Some(_) => "the key of this subgroup",
        None => "the key of this group",
    };
    Problem::Relation {
        found: format!(
            "ECU {name:?} {does} and does not hold {what}; its ECUs: {}",
            holders.join(", ")
        ),
        remedy: "take the stream out of `protect`, name a key that all its ECUs hold, or name \
                 receivers in `unchecked`",
    }
}
