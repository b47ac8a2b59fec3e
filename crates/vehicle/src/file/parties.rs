//! What all key protocols have in common in a vehicle file: who takes part, on which buses, and who
//! has which address.

use waywarden_ecu_keys::group::{Address, Transport};

use super::draft::Draft;
use super::model::{BusIndex, Ecu, EcuIndex, KeyParty};
use super::place::Located;
use super::problem::Problem;
use super::reader::Section;

/// Reads which buses carry the frames: those of the ECU in charge unless others are named.
pub(super) fn buses(
    section: &mut Section<'_>,
    in_charge: Option<&Ecu>,
    draft: &Draft,
) -> Vec<BusIndex> {
    match section.optional::<Vec<Located<String>>>("buses") {
        Some(list) => {
            let named = section.references(&list.value, &draft.bus_names);
            named.iter().map(|bus| BusIndex(bus.value)).collect()
        }
        None => in_charge.map_or(Vec::new(), |ecu| ecu.ports.clone()),
    }
}

/// Reads what carries the messages: CAN FD if all buses have it.
pub(super) fn transport(
    section: &mut Section<'_>,
    buses: &[BusIndex],
    draft: &Draft,
) -> Option<Transport> {
    let word = section.choice("transport", &["classic", "fd"]);
    let classic = buses.iter().find(|bus| {
        let bus = draft.buses.get(bus.0).and_then(Option::as_ref);
        bus.is_none_or(|bus| bus.fd.is_none())
    });
    match (word, classic) {
        (Some("fd"), Some(bus)) => {
            let at = section.location("transport");
            let bus = draft.bus_names.name(bus.0).to_owned();
            section.fault(&at, Problem::FdOnClassicBus { bus });
            None
        }
        (Some("classic"), _) | (None, Some(_)) => Some(Transport::Classic),
        _ => Some(Transport::Fd),
    }
}

/// Reads who forwards key frames: the ECU in charge unless another is named. One ECU does, so that
/// no frame goes round in a circle.
pub(super) fn gateway(
    section: &mut Section<'_>,
    in_charge: Option<usize>,
    buses: &[BusIndex],
    draft: &Draft,
) -> Option<EcuIndex> {
    let named = match section.has("gateway") {
        true => section.reference("gateway", &draft.ecu_names),
        false => in_charge,
    }?;
    if buses.len() < 2 {
        return None;
    }
    let ecu = draft.ecus.get(named)?.as_ref()?;
    for bus in buses {
        let at = section.location("gateway");
        section.demand(ecu.ports.contains(bus), &at, || draft.not_on_bus(ecu, *bus));
    }
    Some(EcuIndex(named))
}

/// Reads who takes part besides the ECU in charge: all that are on the buses unless it is said.
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

/// Returns what gives parties their addresses: an ECU's own, or the lowest that no ECU has and that
/// was not given yet.
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
