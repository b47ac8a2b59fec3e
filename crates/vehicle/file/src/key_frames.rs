//! Reads which frames of a key protocol an attacker aims at.
//!
//! Steps and messages have the names of docs/protocols/gke.md and docs/protocols/lasan.md. A name
//! of either profile is taken, so that a file runs under both by its `profile` alone.

use waywarden_group_keys::{Address, Excluded, GroupPlan, Step};
use waywarden_lasan::LasanKind;

use super::draft::Draft;
use super::model::{BusIndex, KeyFrames, KeyGroup, KeyMessages, KeyParty, KeyTables, Lasan};
use super::place::Located;
use super::problem::{Problem, Thing};
use super::reader::{Names, Section};

/// The key of the table.
pub(super) const KEY: &str = "key_frames";

/// A table of keys.
#[derive(Clone, Copy)]
enum Table<'a> {
    Group(usize, &'a KeyGroup),
    Lasan(usize, &'a Lasan),
}

impl<'a> Table<'a> {
    fn all(tables: KeyTables<'a>) -> impl Iterator<Item = Self> {
        let groups = tables.groups.iter().enumerate();
        let groups = groups.map(|(at, group)| Table::Group(at, group));
        let networks = tables.networks.iter().enumerate();
        groups.chain(networks.map(|(at, network)| Table::Lasan(at, network)))
    }

    fn name(self) -> &'a str {
        match self {
            Table::Group(_, group) => &group.name.value,
            Table::Lasan(_, network) => &network.name.value,
        }
    }

    fn buses(self) -> &'a [BusIndex] {
        match self {
            Table::Group(_, group) => &group.buses,
            Table::Lasan(_, network) => &network.buses,
        }
    }

    fn parties(self) -> Vec<KeyParty> {
        match self {
            Table::Group(_, group) => group.parties().copied().collect(),
            Table::Lasan(_, network) => network.parties().copied().collect(),
        }
    }
}

/// Reads `key_frames` and `bus`; returns with the frames the buses that carry them. None if one of
/// both is broken, or so are the tables of keys.
pub(super) fn key_frames<'a>(
    section: &mut Section<'_>,
    draft: &Draft,
    tables: Option<KeyTables<'a>>,
) -> Option<(KeyFrames, &'a [BusIndex])> {
    let inner = section.table(KEY);
    if inner.is_none() {
        section.broken();
    }
    let bus = section.optional::<String>("bus");
    let at = section.location("bus");
    let (mut inner, tables) = (inner?, tables?);
    let read = messages(&mut inner, draft, tables);
    section.adopt(&inner);
    inner.finish()?;
    let (table, mut frames) = read?;
    if let Some(bus) = bus {
        let bus = BusIndex(section.refer(&draft.bus_names, &bus)?);
        let carried = table.buses();
        section.demand(carried.contains(&bus), &at, || Problem::NotCarried {
            stream: table.name().to_owned(),
            bus: draft.bus_names.name(bus.0).to_owned(),
            carried: draft.names_of(carried),
        });
        frames.bus = Some(bus);
    }
    Some((frames, table.buses()))
}

fn messages<'a>(
    section: &mut Section<'_>,
    draft: &Draft,
    tables: KeyTables<'a>,
) -> Option<(Table<'a>, KeyFrames)> {
    let occurrence = section.number("occurrence");
    let ecus = section.list("participants");
    let table = table(section, tables);
    let messages = match table {
        Some(Table::Group(at, group)) => {
            let steps = named(section, "steps", Thing::KeyStep, Step::ALL, |step| {
                step.name()
            });
            let result = result(section, group, draft);
            KeyMessages::Group {
                group: at,
                steps,
                result: result?,
            }
        }
        Some(Table::Lasan(at, _)) => KeyMessages::Lasan {
            network: at,
            kinds: named(
                section,
                "messages",
                Thing::KeyMessage,
                LasanKind::ALL.iter().copied(),
                LasanKind::name,
            ),
        },
        None => {
            section.allow(&["steps", "result", "messages"]);
            return None;
        }
    };
    let table = table?;
    let participants = addresses(section, &ecus, &table.parties(), draft);
    let frames = KeyFrames {
        messages,
        participants: participants?,
        occurrence: occurrence.map(|number| number.value.unsigned_abs()),
        bus: None,
    };
    Some((table, frames))
}

/// Reads the table of the frames; it may be left out in a vehicle with one table of keys.
fn table<'a>(section: &mut Section<'_>, tables: KeyTables<'a>) -> Option<Table<'a>> {
    let name = section.optional::<String>("keys");
    let mut all = Table::all(tables);
    let Some(name) = name else {
        let (first, second) = (all.next(), all.next());
        if first.is_none() || second.is_some() {
            section.need("keys");
        }
        return first.filter(|_| second.is_none());
    };
    let found = all.find(|table| table.name() == name.value);
    section.demand(found.is_some(), &name.span, || {
        let known = Table::all(tables).map(|table| table.name().to_owned());
        Problem::Unknown {
            what: Thing::KeyGroup,
            name: name.value.clone(),
            known: known.collect(),
        }
    });
    found
}

/// Reads a list of steps or messages by name; none stands for all.
fn named<T: Copy>(
    section: &mut Section<'_>,
    key: &'static str,
    thing: Thing,
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'static str,
) -> Vec<T> {
    let all: Vec<T> = all.into_iter().collect();
    let names = Names::given(thing, all.iter().map(|one| name(*one)));
    let list = section.list(key);
    let found = section.references(&list, &names);
    found.into_iter().map(|one| all[one.value]).collect()
}

/// Reads which logical ECU the exchanges are for: `"group"`, or that of some ECUs and no others.
fn result(section: &mut Section<'_>, group: &KeyGroup, draft: &Draft) -> Option<Option<Address>> {
    const KEY: &str = "result";
    if !section.has(KEY) {
        // It is known, though it is not there.
        section.allow(&[KEY]);
        return Some(None);
    }
    let plan = group.plan(std::iter::repeat(0)).ok()?;
    if section.is_text(KEY) {
        section.choice(KEY)?;
        return Some(Some(plan.root()));
    }
    let list = section.required::<Vec<Located<String>>>(KEY)?;
    let parties: Vec<KeyParty> = group.parties().copied().collect();
    let wanted = addresses(section, &list.value, &parties, draft)?;
    let is_it = |logical: &Address| is_of(&plan, *logical, &wanted);
    let found = plan.merges().find(is_it);
    section.demand(found.is_some(), &list.span, || {
        let all = plan.merges().map(|logical| {
            let below = members_of(&plan, logical);
            let inside = parties.iter().filter(|one| below.contains(one.address));
            let names: Vec<&str> = inside.map(|one| draft.ecu_names.name(one.ecu.0)).collect();
            format!("[{}]", names.join(", "))
        });
        Problem::Relation {
            found: format!(
                "no logical ECU is of these and no others; there are {}",
                all.collect::<Vec<_>>().join(", ")
            ),
            remedy: "name all ECUs of one of them, or write \"group\"",
        }
    });
    found.map(Some)
}

/// Returns true if a logical ECU is of these members and no others. The orchestrator does not
/// count.
fn is_of(plan: &GroupPlan, logical: Address, wanted: &[Address]) -> bool {
    let below = members_of(plan, logical);
    let mut ecus = plan.ecus();
    ecus.all(|ecu| below.contains(ecu) == wanted.contains(&ecu))
}

fn members_of(plan: &GroupPlan, logical: Address) -> Excluded {
    plan.composition(logical, &Excluded::default())
}

/// Returns the addresses of parties by the names of their ECUs; none if one is no party.
fn addresses(
    section: &mut Section<'_>,
    list: &[Located<String>],
    parties: &[KeyParty],
    draft: &Draft,
) -> Option<Vec<Address>> {
    let named = section.references(list, &draft.ecu_names);
    let mut addresses = Vec::new();
    for one in &named {
        let party = parties.iter().find(|party| party.ecu.0 == one.value);
        section.demand(party.is_some(), &one.span, || {
            let names = parties.iter();
            let names = names.map(|party| draft.ecu_names.name(party.ecu.0).to_owned());
            Problem::Relation {
                found: format!(
                    "this ECU takes no part in these keys; those that do are {}",
                    names.collect::<Vec<_>>().join(", ")
                ),
                remedy: "name some of them",
            }
        });
        addresses.extend(party.map(|party| party.address));
    }
    (addresses.len() == list.len()).then_some(addresses)
}
