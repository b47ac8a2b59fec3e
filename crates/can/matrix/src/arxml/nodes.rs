//! ECUs, and which of them send and receive which PDUs.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{ENDS_MAX, System};
use crate::Cluster;
use crate::xml::Element;

/// The ECUs of a system.
pub(super) struct Nodes {
    /// All of them, in the order of the file.
    names: Vec<String>,
    /// Those that send and receive a PDU, by network management.
    of_management: HashMap<Element, Numbers>,
    /// Those that send and receive a group of PDUs.
    of_groups: HashMap<Element, Numbers>,
    /// The groups that a PDU is in.
    groups: HashMap<Element, Vec<Element>>,
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
    /// True if there are more than [`ENDS_MAX`] of either.
    pub(super) is_cut: bool,
}

/// Senders and receivers by their numbers, at most one more than [`ENDS_MAX`] of each.
#[derive(Clone, Debug, Default)]
struct Numbers {
    senders: BTreeSet<usize>,
    receivers: BTreeSet<usize>,
}

/// Limit on the ports of a triggering, on its triggerings of a PDU, and on the groups of a PDU that
/// are looked at: each may stand at every frame.
const PORTS_MAX: usize = 4 * ENDS_MAX;

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
            of_management: HashMap::new(),
            of_groups: HashMap::new(),
            groups: HashMap::new(),
            triggerings: HashMap::new(),
            frames: HashMap::new(),
            without_switch: HashSet::new(),
        };
        let mut numbers = HashMap::new();
        for element in document.elements() {
            if document.name(element) == "ECU-INSTANCE"
                && let Some(name) = system.short_name(element)
            {
                let number = *numbers.entry(name).or_insert_with(|| {
                    nodes.names.push(name.to_owned());
                    nodes.names.len() - 1
                });
                nodes.add_groups(system, element, number);
            }
        }
        for element in document.elements() {
            match document.name(element) {
                "PDU-TRIGGERING" => nodes.add_pdu_triggering(system, element),
                "CAN-FRAME-TRIGGERING" => nodes.add_frame_triggering(system, element),
                "CAN-NM-NODE" => nodes.add_management(system, element, &numbers),
                "I-SIGNAL-I-PDU-GROUP" | "I-PDU-GROUP" => nodes.add_members(system, element),
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
            let own = self.triggerings.entry(key).or_default();
            if own.len() < PORTS_MAX {
                own.push(triggering);
            }
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

    /// Notes that an ECU is an end of its groups of PDUs.
    fn add_groups(&mut self, system: &System<'_>, ecu: Element, number: usize) {
        let document = system.document;
        for reference in document.within(ecu, &GROUPS) {
            let Some(group) = system.paths.resolve(document, reference) else {
                continue;
            };
            let is_sent = match document.text_at(group, &["COMMUNICATION-DIRECTION"]) {
                Some("OUT") => true,
                Some("IN") => false,
                _ => continue,
            };
            let own = self.of_groups.entry(group).or_default();
            own.add(number, is_sent);
        }
    }

    /// Notes the PDUs of a group that has ends.
    fn add_members(&mut self, system: &System<'_>, group: Element) {
        let document = system.document;
        if !self.of_groups.contains_key(&group) {
            return;
        }
        for entry in document.within(group, &["I-SIGNAL-I-PDUS", "I-PDU-REFS", "NM-PDUS"]) {
            // AUTOSAR 4 has a conditional reference around each.
            let reference = document.children(entry).next().unwrap_or(entry);
            if let Some(pdu) = system.paths.resolve(document, reference) {
                let own = self.groups.entry(pdu).or_default();
                if own.last() != Some(&group) && own.len() < PORTS_MAX {
                    own.push(group);
                }
            }
        }
    }

    /// Adds the ends of network management.
    fn add_management(
        &mut self,
        system: &System<'_>,
        node: Element,
        numbers: &HashMap<&str, usize>,
    ) {
        let document = system.document;
        let ecu = system
            .follow(node, "CONTROLLER-REF")
            .and_then(|controller| ecu_of(system, controller));
        let name = ecu.and_then(|ecu| system.short_name(ecu));
        let Some(number) = name.and_then(|name| numbers.get(name)) else {
            return;
        };
        for (container, is_sent) in [("RX-NM-PDU-REFS", false), ("TX-NM-PDU-REFS", true)] {
            for reference in document.within(node, &[container]) {
                if let Some(pdu) = system.paths.resolve(document, reference) {
                    let own = self.of_management.entry(pdu).or_default();
                    own.add(*number, is_sent);
                }
            }
        }
    }

    /// Adds the ends of PDUs by their groups and by network management, in the order of the file.
    fn add_ends_of_pdus(&self, ends: &mut Ends, pdus: &[Element]) {
        let mut own = Numbers::default();
        for pdu in pdus {
            let groups = self.groups.get(pdu).into_iter().flatten();
            let of_groups = groups.filter_map(|group| self.of_groups.get(group));
            for more in self.of_management.get(pdu).into_iter().chain(of_groups) {
                own.extend(more);
            }
        }
        for (numbers, is_sent) in [(&own.senders, true), (&own.receivers, false)] {
            // Numbers are distinct; only what ports have named may be named again.
            let before = ends.names(is_sent).len();
            for number in numbers {
                ends.add_unless_among(&self.names[*number], is_sent, before);
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
        self.add_ends_of_pdus(&mut ends, pdus);
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
        if self.names.is_empty() {
            remarks.push(
                "no ECU-INSTANCE, so no message has a sender or receivers; export the ECUs with \
                 their connectors and ports, too"
                    .to_owned(),
            );
            return;
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
    fn names(&mut self, is_sent: bool) -> &mut Vec<String> {
        match is_sent {
            true => &mut self.senders,
            false => &mut self.receivers,
        }
    }

    fn add(&mut self, name: &str, is_sent: bool) {
        let all = self.names(is_sent).len();
        self.add_unless_among(name, is_sent, all);
    }

    /// Adds a name that is none of the first ones.
    fn add_unless_among(&mut self, name: &str, is_sent: bool, first: usize) {
        let names = self.names(is_sent);
        if names.iter().take(first).any(|known| known == name) {
            return;
        }
        match names.len() < ENDS_MAX {
            true => names.push(name.to_owned()),
            false => self.is_cut = true,
        }
    }

    /// Adds the ECUs of ports.
    fn add_ports(&mut self, system: &System<'_>, element: Element, containers: &[&str]) {
        let document = system.document;
        for (at, reference) in document.within(element, containers).enumerate() {
            if at >= PORTS_MAX {
                self.is_cut = true;
                break;
            }
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

impl Numbers {
    fn add(&mut self, number: usize, is_sent: bool) {
        let numbers = match is_sent {
            true => &mut self.senders,
            false => &mut self.receivers,
        };
        // One more than are kept, so that the message says that there are more.
        if numbers.len() <= ENDS_MAX {
            numbers.insert(number);
        }
    }

    fn extend(&mut self, more: &Numbers) {
        for (numbers, is_sent) in [(&more.senders, true), (&more.receivers, false)] {
            for number in numbers {
                self.add(*number, is_sent);
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
