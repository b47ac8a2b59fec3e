//! Reads `granted_by`: message authentication under keys that a security module grants, one for
//! each stream and one for the announcements of freshness.

use std::collections::BTreeMap;

use waywarden_lasan::{LasanProfile, StreamId};

use super::ends::ends;
use crate::model::{EcuIndex, KeyOrigin, Lasan, VehicleFile};
use crate::place::{Located, Span};
use crate::problem::{Problem, Thing};
use crate::reader::Section;
use crate::source::Findings;
use crate::{HELD_MAX, PROTECTED_MAX};

/// Reads the name of the security module's `[[keys]]`; none if there is no name, or a wrong one.
/// `networks` are none if they are broken.
pub(super) fn origin(section: &mut Section<'_>, networks: Option<&[Lasan]>) -> Option<KeyOrigin> {
    let name = section.optional::<String>("granted_by")?;
    let networks = networks?;
    let Some(at) = networks.iter().position(|one| one.name.value == name.value) else {
        section.fault(&name.span, unknown(&name.value, networks));
        return None;
    };
    let published = networks[at].profile == LasanProfile::AsPublished;
    section.demand(!published, &name.span, || Problem::Relation {
        found: format!(
            "{:?} grants keys as published, without saying which is newer",
            name.value
        ),
        remedy: "let it have `profile = \"hardened\"` or \"compact\"",
    });
    let network = Located::new(at, name.span);
    Some(KeyOrigin::Grants { network })
}

fn unknown(name: &str, networks: &[Lasan]) -> Problem {
    let known: Vec<String> = networks.iter().map(|one| one.name.value.clone()).collect();
    match known.is_empty() {
        true => Problem::Relation {
            found: format!("there is no {name:?}; no security module grants keys"),
            remedy: "add a [[keys]] of this name with `scheme = \"lasan\"`, or leave `granted_by` \
                     out",
        },
        false => Problem::Unknown {
            what: Thing::SecurityModule,
            name: name.to_owned(),
            known: known.into(),
        },
    }
}

/// Notes senders and receivers that are no members of the security module that grants their keys,
/// and more keys than there is room for.
pub(super) fn check(file: &VehicleFile, findings: &Findings<'_>) {
    let mut last = BTreeMap::new();
    for table in &file.authentications {
        let KeyOrigin::Grants { network } = &table.keys else {
            continue;
        };
        last.insert(network.value, &network.span);
        for (ecu, does) in ends(file, table) {
            let mut members = file.lasan[network.value].members.iter();
            if !members.any(|member| member.ecu == ecu) {
                let problem = no_member(file, network.value, ecu, &does);
                findings.add(&network.span, problem);
            }
        }
    }
    for (network, span) in last {
        check_room(file, network, span, findings);
    }
}

fn no_member(file: &VehicleFile, network: usize, ecu: EcuIndex, does: &str) -> Problem {
    let lasan = &file.lasan[network];
    let (name, own) = (&file.ecu(ecu).name.value, &lasan.name.value);
    let is_module = lasan.security_module.ecu == ecu;
    let (found, remedy) = match is_module {
        true => (
            format!("ECU {name:?} {does}, and is the security module of {own:?}"),
            "it grants keys and holds none: let another ECU do that, take the stream out of \
             `protect`, or name receivers in `unchecked`",
        ),
        false => (
            format!("ECU {name:?} {does}, and is no member of {own:?}"),
            "add it to the `members` there, take the stream out of `protect`, or name receivers in \
             `unchecked`",
        ),
    };
    Problem::Relation { found, remedy }
}

/// Notes keys under one identifier, and more of them than an ECU or the security module holds.
fn check_room(file: &VehicleFile, network: usize, span: &Span, findings: &Findings<'_>) {
    let keys = file.granted_keys(network);
    if keys.len() > PROTECTED_MAX {
        let (what, found, most) = (
            "keys that one security module grants",
            keys.len(),
            PROTECTED_MAX,
        );
        findings.add(span, Problem::TooMany { what, found, most });
    }
    let mut named = BTreeMap::new();
    let mut held: BTreeMap<EcuIndex, usize> = BTreeMap::new();
    for key in &keys {
        if named.insert(StreamId::of(key.id), ()).is_some() {
            let problem = Problem::Relation {
                found: format!("two keys would be granted for identifier 0x{}", key.id),
                remedy: "a key goes by the identifier of its stream: give one of them another, or \
                         another source of keys",
            };
            findings.add(span, problem);
        }
        for ecu in key.receivers.iter().chain([&key.sender]) {
            *held.entry(*ecu).or_default() += 1;
        }
    }
    let crowded = held.into_iter().find(|(_, found)| *found > HELD_MAX);
    if let Some((ecu, found)) = crowded {
        let name = &file.ecu(ecu).name.value;
        let problem = Problem::Relation {
            found: format!("ECU {name:?} would hold {found} granted keys"),
            remedy: "it has room for 64: protect fewer streams, or let a group agree on a key",
        };
        findings.add(span, problem);
    }
}
