//! ECUs, and which of them send and receive which PDUs.

use std::collections::{HashMap, HashSet};

use super::{System, add_new};
use crate::Cluster;
use crate::xml::Element;

/// The ECUs of a system.
pub(super) struct Nodes {
    /// All of them, in the order of the file.
    names: Vec<String>,
    /// Those that send and receive a PDU, by its groups and by network management.
    of_pdus: HashMap<Element, Ends>,
    /// The triggerings of a PDU on a channel.
    triggerings: HashMap<(Element, Element), Vec<Element>>,
    /// The frame that carries a PDU on a channel: the first one.
    frames: HashMap<(Element, Element), Element>,
    /// Those whose controllers send at the nominal bit rate throughout.
    without_switch: HashSet<String>,
}

/// The ends of a message.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    pub(super) senders: Vec<String>,
    pub(super) receivers: Vec<String>,
}

/// The groups of PDUs that an ECU sends and receives.
const GROUPS: [&str; 2] = [
    "ASSOCIATED-COM-I-PDU-GROUP-REFS",
    "ASSOCIATED-I-PDU-GROUP-REFS",
];

impl Nodes {
    pub(super) fn of(system: &System<'_>) -> Self {
        let document = system.document;
        let mut nodes = Nodes {
            names: Vec::new(),
            of_pdus: HashMap::new(),
            triggerings: HashMap::new(),
            frames: HashMap::new(),
            without_switch: HashSet::new(),
        };
        let mut known = HashSet::new();
        for element in document.elements() {
            match document.name(element) {
                "ECU-INSTANCE" => {
                    let name = system.short_name(element);
                    if let Some(name) = name.filter(|name| known.insert(*name)) {
                        nodes.names.push(name.to_owned());
                    }
                    nodes.add_groups(system, element);
                }
                "PDU-TRIGGERING" => nodes.add_pdu_triggering(system, element),
                "CAN-FRAME-TRIGGERING" => nodes.add_frame_triggering(system, element),
                "CAN-NM-NODE" => nodes.add_management(system, element),
                "TX-BIT-RATE-SWITCH" if document.text(element) == "false" => {
                    let name = ecu_of(system, element).and_then(|ecu| system.short_name(ecu));
                    nodes.without_switch.extend(name.map(str::to_owned));
                }
                _ => {}
            }
        }
        nodes
    }

    fn add_pdu_triggering(&mut self, system: &System<'_>, triggering: Element) {
        let pdu = system.follow(triggering, "I-PDU-REF");
        if let Some(key) = channel_of(system, triggering).zip(pdu) {
            self.triggerings.entry(key).or_default().push(triggering);
        }
    }

    fn add_frame_triggering(&mut self, system: &System<'_>, triggering: Element) {
        let frame = system.follow(triggering, "FRAME-REF");
        if let Some((channel, frame)) = channel_of(system, triggering).zip(frame) {
            for pdu in system.pdus(frame) {
                self.frames.entry((channel, pdu)).or_insert(frame);
            }
        }
    }

    /// Returns the frame that carries a PDU on a channel.
    pub(super) fn frame_with(&self, channel: Element, pdu: Element) -> Option<Element> {
        self.frames.get(&(channel, pdu)).copied()
    }

    /// Adds the ends that groups of PDUs make of an ECU.
    fn add_groups(&mut self, system: &System<'_>, ecu: Element) {
        let document = system.document;
        let Some(name) = system.short_name(ecu) else {
            return;
        };
        for reference in document.within(ecu, &GROUPS) {
            let Some(group) = system.paths.resolve(document, reference) else {
                continue;
            };
            let is_sent = match document.text_at(group, &["COMMUNICATION-DIRECTION"]) {
                Some("OUT") => true,
                Some("IN") => false,
                _ => continue,
            };
            let pdus = document
                .within(group, &["I-SIGNAL-I-PDUS", "I-PDU-REFS", "NM-PDUS"])
                .filter_map(|entry| {
                    // AUTOSAR 4 has a conditional reference around each.
                    let reference = document.children(entry).next().unwrap_or(entry);
                    system.paths.resolve(document, reference)
                });
            for pdu in pdus {
                self.of_pdus.entry(pdu).or_default().add(name, is_sent);
            }
        }
    }

    /// Adds the ends of network management.
    fn add_management(&mut self, system: &System<'_>, node: Element) {
        let document = system.document;
        let Some(ecu) = system
            .follow(node, "CONTROLLER-REF")
            .and_then(|controller| ecu_of(system, controller))
        else {
            return;
        };
        let Some(name) = system.short_name(ecu) else {
            return;
        };
        for (container, is_sent) in [("RX-NM-PDU-REFS", false), ("TX-NM-PDU-REFS", true)] {
            for reference in document.within(node, &[container]) {
                if let Some(pdu) = system.paths.resolve(document, reference) {
                    self.of_pdus.entry(pdu).or_default().add(name, is_sent);
                }
            }
        }
    }

    /// Returns the ends of a message: by the ports of its frame, else of its PDUs, besides by
    /// groups of PDUs.
    pub(super) fn ends(
        &self,
        system: &System<'_>,
        (channel, triggering): (Element, Element),
        pdus: &[Element],
    ) -> Ends {
        let document = system.document;
        let mut ends = Ends::default();
        ends.add_ports(system, triggering, &["FRAME-PORT-REFS"]);
        if ends.senders.is_empty() && ends.receivers.is_empty() {
            for reference in document.within(triggering, &["PDU-TRIGGERINGS"]) {
                let reference = document.children(reference).next().unwrap_or(reference);
                if let Some(pdu) = system.paths.resolve(document, reference) {
                    ends.add_ports(system, pdu, &["I-PDU-PORT-REFS"]);
                }
            }
        }
        if ends.senders.is_empty() && ends.receivers.is_empty() {
            let own = pdus
                .iter()
                .filter_map(|pdu| self.triggerings.get(&(channel, *pdu)));
            for triggering in own.flatten() {
                ends.add_ports(system, *triggering, &["I-PDU-PORT-REFS"]);
            }
        }
        for own in pdus.iter().filter_map(|pdu| self.of_pdus.get(pdu)) {
            add_new(&mut ends.senders, own.senders.iter().map(String::as_str));
            add_new(
                &mut ends.receivers,
                own.receivers.iter().map(String::as_str),
            );
        }
        ends
    }

    /// Returns false if a sender's controller keeps the nominal bit rate.
    pub(super) fn switches_bit_rate(&self, senders: &[String]) -> bool {
        !senders
            .iter()
            .any(|sender| self.without_switch.contains(sender))
    }

    /// Returns the ECUs whose connectors are on channels.
    pub(super) fn on_channels(&self, system: &System<'_>, channels: &[Element]) -> Vec<String> {
        let document = system.document;
        let mut names = Vec::new();
        let mut known = HashSet::new();
        for channel in channels {
            for entry in document.within(*channel, &["COMM-CONNECTORS", "ECU-COMM-CONNECTOR-REFS"])
            {
                let reference = document.children(entry).next().unwrap_or(entry);
                let ecu = system
                    .paths
                    .resolve(document, reference)
                    .and_then(|connector| ecu_of(system, connector));
                let name = ecu.and_then(|ecu| system.short_name(ecu));
                let is_new = name.filter(|name| known.insert(*name));
                names.extend(is_new.map(str::to_owned));
            }
        }
        names
    }

    /// Puts the ECUs that no connector, sender or receiver names on the bus, if there is one only.
    pub(super) fn place_the_rest(&self, clusters: &mut [Cluster], remarks: &mut Vec<String>) {
        let mut placed: HashSet<String> = HashSet::new();
        for cluster in clusters.iter() {
            placed.extend(cluster.nodes.iter().cloned());
            for message in &cluster.messages {
                placed.extend(message.senders.iter().cloned());
                placed.extend(message.receivers.iter().cloned());
            }
        }
        let rest = self.names.iter().filter(|name| !placed.contains(*name));
        let rest: Vec<&str> = rest.map(String::as_str).collect();
        match clusters {
            [only] => {
                let known: HashSet<&str> = only.nodes.iter().map(String::as_str).collect();
                let new = self
                    .names
                    .iter()
                    .filter(|name| !known.contains(name.as_str()));
                let new: Vec<String> = new.cloned().collect();
                only.nodes.extend(new);
            }
            _ if rest.is_empty() => {}
            _ => remarks.push(format!(
                "ECU-INSTANCEs on no CAN cluster are left out: {}",
                rest.join(", ")
            )),
        }
    }
}

impl Ends {
    fn add(&mut self, name: &str, is_sent: bool) {
        let names = match is_sent {
            true => &mut self.senders,
            false => &mut self.receivers,
        };
        add_new(names, [name]);
    }

    /// Adds the ECUs of ports.
    fn add_ports(&mut self, system: &System<'_>, element: Element, containers: &[&str]) {
        let document = system.document;
        for reference in document.within(element, containers) {
            let Some(port) = system.paths.resolve(document, reference) else {
                continue;
            };
            let Some(name) = ecu_of(system, port).and_then(|ecu| system.short_name(ecu)) else {
                continue;
            };
            match document.text_at(port, &["COMMUNICATION-DIRECTION"]) {
                Some("OUT") => self.add(name, true),
                Some("IN") => self.add(name, false),
                _ => {}
            }
        }
    }
}

/// Returns the channel that a triggering lies in.
fn channel_of(system: &System<'_>, triggering: Element) -> Option<Element> {
    let list = system.document.parent(triggering)?;
    system.document.parent(list)
}

/// Returns the ECU that an element lies in.
fn ecu_of(system: &System<'_>, element: Element) -> Option<Element> {
    let document = system.document;
    let mut ancestors = std::iter::successors(Some(element), |one| document.parent(*one));
    ancestors.find(|one| document.name(*one) == "ECU-INSTANCE")
}
