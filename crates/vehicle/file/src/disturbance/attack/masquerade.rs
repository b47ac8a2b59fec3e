//! Reads attackers that take part in the exchange of keys with a security module under the name of
//! another.

use crate::draft::Draft;
use crate::model::{Attack, BusIndex, EcuIndex, KeyParty, Lasan};
use crate::problem::Problem;
use crate::reader::Section;

/// Reads an attacker on a bus that plays an ECU, or the security module.
pub(super) fn masquerade(
    section: &mut Section<'_>,
    draft: &Draft,
    networks: Option<&[Lasan]>,
) -> Option<Attack> {
    let bus = section.reference("bus", &draft.bus_names).map(BusIndex);
    let ecu = section.reference("ecu", &draft.ecu_names).map(EcuIndex);
    let hold = section.time_or_preset("hold");
    let certificate = section.word("certificate");
    let (bus, ecu, networks) = (bus?, ecu?, networks?);
    let found = networks.iter().position(|one| one.buses.contains(&bus));
    let at = section.location("bus");
    section.demand(found.is_some(), &at, || Problem::Relation {
        found: "no security module has messages on this bus".to_owned(),
        remedy: "name one of the `buses` of a [[keys]] with `scheme = \"lasan\"`",
    });
    let network = found?;
    let lasan = &networks[network];
    let party = party(section, lasan.parties(), ecu, draft)?;
    let has_certificate = certificate == "of-an-ecu";
    let at = section.location("certificate");
    let plays_module = party == lasan.security_module;
    section.demand(plays_module || !has_certificate, &at, || {
        Problem::Relation {
            found: "the certificate of an ECU with this name makes it that ECU".to_owned(),
            remedy: "leave `certificate` out, or name the security module in `ecu`",
        }
    });
    Some(Attack::Masquerade {
        bus,
        network,
        party,
        has_certificate,
        hold: hold?,
    })
}

/// Reads a gateway that plays a security module and an ECU to each other.
pub(super) fn man_in_the_middle(
    section: &mut Section<'_>,
    draft: &Draft,
    networks: Option<&[Lasan]>,
) -> Option<Attack> {
    let gateway = section.reference("gateway", &draft.ecu_names).map(EcuIndex);
    let ecu = section.reference("ecu", &draft.ecu_names).map(EcuIndex);
    let (gateway, ecu, networks) = (gateway?, ecu?, networks?);
    let found = networks
        .iter()
        .position(|one| one.gateway == Some(gateway) && one.parties().all(|p| p.ecu != gateway));
    let at = section.location("gateway");
    section.demand(found.is_some(), &at, || Problem::Relation {
        found: "this ECU only forwards the messages of no security module".to_owned(),
        remedy: "name the `gateway` of a [[keys]] with `scheme = \"lasan\"`, neither its \
                 security module nor a member",
    });
    let network = found?;
    let lasan = &networks[network];
    let member = party(section, lasan.members.iter(), ecu, draft)?;
    let at = section.location("ecu");
    let bus = |ecu: EcuIndex| {
        let ports = &draft.ecus.get(ecu.0)?.as_ref()?.ports;
        lasan.buses.iter().find(|bus| ports.contains(bus)).copied()
    };
    let is_between = bus(ecu) != bus(lasan.security_module.ecu);
    section.demand(is_between, &at, || Problem::Relation {
        found: "this ECU is on the security module's bus, where no gateway is between them"
            .to_owned(),
        remedy: "name one on another of the `buses`",
    });
    Some(Attack::ManInTheMiddle {
        gateway,
        network,
        member,
    })
}

/// Returns which party an ECU is.
fn party<'a>(
    section: &mut Section<'_>,
    parties: impl Iterator<Item = &'a KeyParty>,
    ecu: EcuIndex,
    draft: &Draft,
) -> Option<KeyParty> {
    let parties: Vec<&KeyParty> = parties.collect();
    let found = parties.iter().find(|party| party.ecu == ecu);
    let found = found.map(|party| **party);
    let at = section.location("ecu");
    section.demand(found.is_some(), &at, || {
        let names = parties.iter();
        let names = names.map(|party| draft.ecu_names.name(party.ecu.0).to_owned());
        Problem::Relation {
            found: format!(
                "this ECU takes no part in these keys; those that do are {}",
                names.collect::<Vec<_>>().join(", ")
            ),
            remedy: "name one of them",
        }
    });
    found
}
