//! Parts of a vehicle file that all key protocols share: parties, buses, addresses, and changes of
//! membership.

use std::collections::BTreeMap;

use waywarden_group_keys::{Address, Transport};
use waywarden_work::Duration;

use super::draft::Draft;
use super::model::{BusIndex, Ecu, EcuIndex, KeyParty};
use super::place::Located;
use super::problem::Problem;
use super::reader::Section;

/// An ECU that leaves a key protocol or comes back to it, and its place in the file.
pub(super) struct Turn {
    pub(super) ecu: EcuIndex,
    pub(super) at: Located<Duration>,
    pub(super) kind: TurnKind,
}

/// Kind of change of an ECU's membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnKind {
    /// It has to leave.
    Leaves,
    /// It is taken back.
    Returns,
    /// It takes part from then on, if it has not before.
    Stays,
}

/// Reads which buses carry the frames: those of the ECU in charge unless others are named. None if
/// they cannot be: nothing can be said of what goes on there.
pub(super) fn buses(
    section: &mut Section<'_>,
    (in_charge, what): (Option<&Ecu>, &str),
    draft: &Draft,
) -> Option<Vec<BusIndex>> {
    section.allow(&["buses"]);
    if !section.has("buses") {
        return in_charge.map(|ecu| ecu.ports.clone());
    }
    let list = section.optional::<Vec<Located<String>>>("buses")?;
    let named = section.references(&list.value, &draft.bus_names);
    section.demand(!list.value.is_empty(), &list.span, || Problem::Relation {
        found: "no bus carries its frames".to_owned(),
        remedy: "name at least one in `buses`, or leave `buses` out for those of the ECU in charge",
    });
    if named.is_empty() || named.len() < list.value.len() {
        return None;
    }
    let buses: Vec<BusIndex> = named.iter().map(|bus| BusIndex(bus.value)).collect();
    let in_charge = in_charge?;
    let is_there = in_charge.ports.iter().any(|port| buses.contains(port));
    section.demand(is_there, &list.span, || Problem::Relation {
        found: format!(
            "the {what} {:?} is on none of these buses; it is on {}",
            in_charge.name.value,
            draft.names_of(&in_charge.ports).join(", ")
        ),
        remedy: "name one of its buses too, and a `gateway` that is on all of them",
    });
    is_there.then_some(buses)
}

/// Reads the frame format of the messages: CAN FD if all buses have it.
pub(super) fn transport(
    section: &mut Section<'_>,
    buses: &[BusIndex],
    draft: &Draft,
) -> Option<Transport> {
    let word = section.choice("transport");
    let bus = |bus: &BusIndex| draft.buses.get(bus.0)?.as_ref();
    // Of a bus that is not understood it is not known.
    let known: Option<Vec<_>> = buses.iter().map(bus).collect();
    let known = known?;
    let classic = known.iter().find(|bus| bus.fd.is_none());
    match (word, classic) {
        (Some("fd"), Some(bus)) => {
            let at = section.location("transport");
            let problem = Problem::Relation {
                found: format!(
                    "bus {:?} is classic CAN and carries no FD frame",
                    bus.name.value
                ),
                remedy: "give the bus a `data_bitrate`, or write `transport = \"classic\"`",
            };
            section.fault(&at, problem);
            None
        }
        (Some("classic"), _) | (None, Some(_)) => Some(Transport::Classic),
        _ => Some(Transport::Fd),
    }
}

/// Reads the gateway of key frames: the ECU in charge unless another is named. One ECU forwards
/// them, so that no frame goes round in a circle.
pub(super) fn gateway(
    section: &mut Section<'_>,
    in_charge: Option<usize>,
    buses: &[BusIndex],
    draft: &Draft,
) -> Option<EcuIndex> {
    section.allow(&["gateway"]);
    let is_said = section.has("gateway");
    let named = match is_said {
        true => section.reference("gateway", &draft.ecu_names),
        false => in_charge,
    }?;
    if buses.len() < 2 {
        let at = section.location("gateway");
        section.demand(!is_said || buses.is_empty(), &at, || Problem::Relation {
            found: "there is one bus, and nothing to forward".to_owned(),
            remedy: "leave `gateway` out, or name the other buses in `buses`",
        });
        return None;
    }
    let ecu = draft.ecus.get(named)?.as_ref()?;
    for bus in buses {
        let at = section.location("gateway");
        section.demand(ecu.ports.contains(bus), &at, || draft.not_on_bus(ecu, *bus));
    }
    Some(EcuIndex(named))
}

/// Reads the parties besides the ECU in charge: by default all ECUs that are on the buses.
pub(super) fn members(
    section: &mut Section<'_>,
    (in_charge, what): (Option<usize>, &str),
    buses: &[BusIndex],
    draft: &Draft,
) -> Vec<Located<usize>> {
    let is_there = |ecu: &Ecu| ecu.ports.iter().any(|port| buses.contains(port));
    if let Some(list) = section.optional::<Vec<Located<String>>>("members") {
        let members = section.references(&list.value, &draft.ecu_names);
        for member in &members {
            let Some(Some(ecu)) = draft.ecus.get(member.value) else {
                continue;
            };
            if let (false, Some(bus)) = (is_there(ecu), buses.first()) {
                section.fault(&member.span, draft.not_on_bus(ecu, *bus));
            }
            let itself = in_charge == Some(member.value);
            section.demand(!itself, &member.span, || Problem::Relation {
                found: format!("{:?} is the {what}", ecu.name.value),
                remedy: "it takes part anyway: take it out of `members`",
            });
        }
        return members;
    }
    let at = section.span.clone();
    let all = draft.ecus.iter().enumerate();
    all.filter(|(index, ecu)| Some(*index) != in_charge && ecu.as_ref().is_some_and(is_there))
        .map(|(index, _)| Located::new(index, at.clone()))
        .collect()
}

/// Reads the time of a change to an ECU, which is required.
pub(super) fn at(entry: &mut Section<'_>) -> Option<Located<Duration>> {
    match entry.has("at") {
        true => entry.moment("at"),
        false => entry.required("at"),
    }
}

/// Notes ECUs that are to leave and have left, that are to come back and are there, and those with
/// two changes at once.
pub(super) fn check_turns(
    section: &mut Section<'_>,
    mut turns: Vec<Turn>,
    remedy: &'static str,
    draft: &Draft,
) {
    turns.sort_by_key(|turn| (turn.at.value, turn.at.span.start));
    let mut before: BTreeMap<usize, (Duration, TurnKind)> = BTreeMap::new();
    for turn in turns {
        let (at, name) = (turn.at.value, draft.ecu_names.name(turn.ecu.0));
        let last = before.insert(turn.ecu.0, (at, turn.kind));
        let found = match (turn.kind, last) {
            (_, Some((since, _))) if since == at => {
                format!("something else happens to ECU {name:?} at {at} too")
            }
            (TurnKind::Leaves, Some((since, TurnKind::Leaves))) => {
                format!("ECU {name:?} does not take part since {since}")
            }
            (TurnKind::Returns, None) => format!("ECU {name:?} takes part from the beginning"),
            (TurnKind::Returns, Some((since, TurnKind::Returns | TurnKind::Stays))) => {
                format!("ECU {name:?} takes part since {since}")
            }
            _ => continue,
        };
        section.fault(&turn.at.span, Problem::Relation { found, remedy });
    }
}

/// Returns the function that gives parties their addresses: an ECU's own, or the lowest that no ECU
/// has and that was not given yet.
pub(super) fn addresses(draft: &Draft) -> impl FnMut(usize) -> KeyParty + '_ {
    let own = |at: usize| draft.ecus.get(at)?.as_ref()?.address.as_ref();
    let taken = (0..draft.ecus.len()).filter_map(own);
    let taken: Vec<u8> = taken.map(|address| address.value).collect();
    let mut free = (1..=u8::MAX).filter(move |address| !taken.contains(address));
    move |at| {
        let address = own(at).map(|address| address.value).or_else(|| free.next());
        let address = Address(address.unwrap_or(0));
        let ecu = EcuIndex(at);
        KeyParty { ecu, address }
    }
}

/// Returns the time at which the controllers of all parties receive: an earlier frame is lost to
/// the last one, and a start or a message as published is not repeated.
pub(super) fn all_listen<'a>(
    all: impl Iterator<Item = &'a KeyParty>,
    buses: &[BusIndex],
    draft: &Draft,
) -> Duration {
    let up = |party: &KeyParty| Some(draft.ecus.get(party.ecu.0)?.as_ref()?.start);
    all.filter_map(up).max().unwrap_or(Duration::ZERO) + joining(buses, draft)
}

/// Returns the time for which a controller that has just booted may not receive: 11 recessive bits,
/// and the longest frame before them. Rounded up to 200 bits of the slowest bus.
fn joining(buses: &[BusIndex], draft: &Draft) -> Duration {
    let rates = buses
        .iter()
        .filter_map(|bus| draft.buses.get(bus.0)?.as_ref());
    let slowest = rates.map(|bus| bus.nominal.bit_rate.max(1)).min();
    Duration::from_nanos(slowest.map_or(0, |rate| 200_000_000_000 / u64::from(rate)))
}

/// A `[[keys]]` of the vehicle file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyTable {
    /// A group, by its place among the groups.
    Group(usize),
    /// A security module, by its place among those.
    Lasan(usize),
}
