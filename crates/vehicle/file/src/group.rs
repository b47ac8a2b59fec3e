//! Reads `[[keys]]`: groups of ECUs that agree on a key, with everything that must fit the buses.

mod networks;

use waywarden_group_keys::{
    GroupProfile, IDENTIFIERS, MergeOrder, OddLevel, Orchestration, PlanError, Scheme,
};
use waywarden_work::Duration;

use super::draft::Draft;
use super::key_identifiers;
use super::model::{KeyChange, KeyGroup, KeyParty, KeySuite};
use super::parties::{self, Turn, TurnKind};
use super::place::Located;
use super::problem::Problem;
use super::reader::Section;

use networks::NetworkDraft;

/// Number of members that fit the addresses [GKE §III-B].
const MEMBERS_MAX: usize = 127;
const MEMBERS_OF_FULL_TREE_MAX: usize = 85;

fn odd_levels(section: &mut Section<'_>) -> OddLevel {
    match section.word("odd_levels") {
        "promoted" => OddLevel::Promoted,
        _ => OddLevel::Skipped,
    }
}

fn profile(section: &mut Section<'_>) -> GroupProfile {
    match section.word("profile") {
        "as-published" => GroupProfile::AsPublished,
        _ => GroupProfile::Hardened,
    }
}

fn suite(section: &mut Section<'_>) -> KeySuite {
    match section.word("suite") {
        "p256" => KeySuite::P256,
        _ => KeySuite::FourQ,
    }
}

/// Reads a group.
pub(super) fn group(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
) -> Option<KeyGroup> {
    let scheme = scheme(&mut section);
    let odd = odd_levels(&mut section);
    let suite = suite(&mut section);
    let profile = profile(&mut section);
    let orchestration = orchestration(&mut section, scheme);
    let merge_order = match section.word("pace") {
        "by-level" => MergeOrder::ByLevel,
        _ => MergeOrder::AsReady,
    };
    let orchestrator = section.reference("orchestrator", &draft.ecu_names);
    let conductor = orchestrator.and_then(|at| draft.ecus.get(at)?.as_ref());
    let known_buses = parties::buses(&mut section, (conductor, "orchestrator"), draft);
    let buses = known_buses.as_deref().unwrap_or_default();
    let transport = parties::transport(&mut section, buses, draft);
    let identifiers = key_identifiers::plan(&mut section, IDENTIFIERS);
    let gateway = parties::gateway(&mut section, orchestrator, buses, draft);
    let in_charge = (orchestrator, "orchestrator");
    let networks = networks::read(&mut section, scheme, in_charge, buses, draft);
    let members = if networks.is_empty() {
        parties::members(&mut section, in_charge, buses, draft)
    } else {
        section.allow(&["members"]);
        networks::members(&networks)
    };
    let start = section.moment("start");
    let gives_way = section.flag("gives_way");
    let holds_streams = section.flag("hold_streams");
    let renewal = section.time("renewal").map(|given| given.value);
    let buses = known_buses?;
    let members = seats(&mut section, scheme, orchestrator?, &members, draft);
    let (orchestrator, members) = members?;
    let all = members.iter().chain([&orchestrator]);
    let start = start.map_or_else(
        || parties::all_listen(all, &buses, draft),
        |start| start.value,
    );
    networks::check_joins(&mut section, &networks, start);
    let changes = changes(&mut section, &members, (&networks, start), draft);
    let group = KeyGroup {
        name,
        scheme,
        odd,
        suite,
        profile,
        transport: transport?,
        identifiers: identifiers?,
        orchestration,
        merge_order,
        orchestrator,
        networks: networks::seated(networks, &members),
        members,
        buses,
        gateway,
        start,
        gives_way,
        holds_streams,
        renewal,
        changes,
    };
    match group.frames() {
        Ok(frames) => key_identifiers::check_bits(&mut section, frames.bits()),
        Err(error) => {
            let span = section.location("members");
            section.fault(&span, wrong_plan(&error));
        }
    }
    section.finish()?;
    Some(group)
}

fn scheme(section: &mut Section<'_>) -> Scheme {
    match section.kind("scheme") {
        Some("tree-without-orchestrator") => Scheme::TreeWithoutOrchestrator,
        Some("symmetric-distribution") => Scheme::SymmetricDistribution,
        _ => Scheme::TreeWithOrchestrator,
    }
}

fn orchestration(section: &mut Section<'_>, scheme: Scheme) -> Orchestration {
    match section.word("orchestration") {
        "signed-ahead" => Orchestration::SignedAhead,
        "once" => {
            let at = section.location("orchestration");
            let fixed = scheme == Scheme::TreeWithoutOrchestrator;
            section.demand(fixed, &at, || Problem::Relation {
                found: "one signed message starts a fixed tree only".to_owned(),
                remedy: "write `scheme = \"tree-without-orchestrator\"`, or another one here",
            });
            Orchestration::Once
        }
        _ => Orchestration::Each,
    }
}

/// Gives every party its address and notes whether there are too many.
fn seats(
    section: &mut Section<'_>,
    scheme: Scheme,
    orchestrator: usize,
    members: &[Located<usize>],
    draft: &Draft,
) -> Option<(KeyParty, Vec<KeyParty>)> {
    let (what, most) = match scheme {
        Scheme::TreeWithOrchestrator => {
            let what = "members of a tree with the orchestrator in each logical ECU";
            (what, MEMBERS_OF_FULL_TREE_MAX)
        }
        _ => ("members of one group", MEMBERS_MAX),
    };
    let (span, found) = (section.location("members"), members.len());
    if found > most {
        section.fault(&span, Problem::TooMany { what, found, most });
        return None;
    }
    let mut party = parties::addresses(draft);
    let orchestrator = party(orchestrator);
    let members = members.iter().map(|member| party(member.value));
    Some((orchestrator, members.collect()))
}

fn wrong_plan(error: &PlanError) -> Problem {
    Problem::Relation {
        found: error.to_string(),
        remedy: "see `members`, `buses` and the `address` of each [[ecu]]",
    }
}

/// Reads `remove` and `readmit`; the members of a network that joins are out until then.
fn changes(
    section: &mut Section<'_>,
    members: &[KeyParty],
    (networks, start): (&[NetworkDraft], Duration),
    draft: &Draft,
) -> Vec<KeyChange> {
    let (mut changes, mut turns) = (Vec::new(), networks::turns(networks, start));
    for (key, kind) in [("remove", TurnKind::Leaves), ("readmit", TurnKind::Returns)] {
        for (member, at) in changes_of_kind(section, key, members, draft) {
            changes.push(KeyChange {
                at: at.value,
                member,
                is_removal: kind == TurnKind::Leaves,
            });
            let ecu = member.ecu;
            turns.push(Turn { ecu, at, kind });
        }
    }
    let remedy = "an ECU is removed first, readmitted after that, and each at a time of its own";
    parties::check_turns(section, turns, remedy, draft);
    changes.sort_by_key(|change| change.at);
    changes
}

/// Reads `remove` or `readmit`.
fn changes_of_kind(
    section: &mut Section<'_>,
    key: &'static str,
    members: &[KeyParty],
    draft: &Draft,
) -> Vec<(KeyParty, Located<Duration>)> {
    let mut changes = Vec::new();
    for mut entry in section.tables(key) {
        let ecu = entry.reference("ecu", &draft.ecu_names);
        let at = parties::at(&mut entry);
        let member = members.iter().find(|member| Some(member.ecu.0) == ecu);
        if ecu.is_some() {
            let span = entry.location("ecu");
            entry.demand(member.is_some(), &span, || Problem::Relation {
                found: "this ECU is no member of the group".to_owned(),
                remedy: "name one of its `members`; the orchestrator cannot leave",
            });
        }
        section.adopt(&entry);
        if let (Some(()), Some(at), Some(&member)) = (entry.finish(), at, member) {
            changes.push((member, at));
        }
    }
    changes
}
