//! AUTOSAR system descriptions \[AUTOSAR-TPS-SYST\]: clusters, frame triggerings, frames and PDUs.
//!
//! Schemas 3 and 4 differ in names: both are looked for. The schema's version is not asked for, so
//! that a file of a newer one is read as far as its names are the same.

mod message;
mod nodes;
mod paths;
mod pdu;
mod secured;
mod signals;

use std::collections::{HashMap, HashSet};

use waywarden_can::Id;
use waywarden_can_dbc::MessageFormat;

use self::nodes::Nodes;
use self::paths::Paths;
use self::pdu::Visits;
use crate::text::excerpt;
use crate::xml::{Document, Element, Kept};
use crate::{
    Cluster, MatrixError, MatrixFormat, MatrixMessage, MessageMatrix, SecuredPdu, SkippedPart,
    number,
};

/// Elements that say nothing of a bus, and may be most of a file.
const SKIPPED: [&str; 16] = [
    "ADMIN-DATA",
    "ANNOTATIONS",
    "APPLICATION-SW-COMPONENT-TYPE",
    "BSW-MODULE-DESCRIPTION",
    "BSW-IMPLEMENTATION",
    "COMPOSITION-SW-COMPONENT-TYPE",
    "DESC",
    "ECUC-MODULE-CONFIGURATION-VALUES",
    "ECUC-MODULE-DEF",
    "ETHERNET-CLUSTER",
    "FLEXRAY-CLUSTER",
    "INTRODUCTION",
    "LIN-CLUSTER",
    "LONG-NAME",
    "SDGS",
    "SWC-IMPLEMENTATION",
];

const KEPT: Kept = Kept {
    is_skipped: |name| SKIPPED.contains(&name),
    is_attribute: |name| matches!(name, "BASE" | "xmlns" | "DEST"),
};

/// Limit on parts that are skipped by name; a broken file has one for each of its frames.
const SKIPPED_MAX: usize = 10_000;

/// Limit on the signals of a file, counted for each message.
const SIGNALS_MAX: usize = 1_000_000;

/// A system description while it is read.
struct System<'d> {
    document: &'d Document,
    paths: Paths<'d>,
    /// Protection that a cryptographic I-PDU gives to the message of a frame, until its cluster
    /// is read.
    links: Vec<(Element, SecuredPdu)>,
    /// Number of signals that are still read: many frames may have one PDU.
    signals_left: usize,
    visits: Visits,
    /// Number of selectors of the message that is read.
    selectors: usize,
    /// Number of secured I-PDUs that no message carries the protection of, and the first one.
    unprotected: (usize, Option<Element>),
    skipped: Vec<SkippedPart>,
    remarks: Vec<String>,
}

/// Reads a system description.
pub(crate) fn read(text: &str) -> Result<MessageMatrix, MatrixError> {
    let document = Document::parse(text, KEPT)?;
    let mut system = System {
        document: &document,
        paths: Paths::of(&document),
        links: Vec::new(),
        signals_left: SIGNALS_MAX,
        visits: Visits::new(),
        selectors: 0,
        unprotected: (0, None),
        skipped: Vec::new(),
        remarks: Vec::new(),
    };
    let is_cluster = |element: &Element| {
        matches!(
            document.name(*element),
            "CAN-CLUSTER" | "J-1939-CLUSTER" | "J1939-CLUSTER" | "TTCAN-CLUSTER"
        )
    };
    let found: Vec<Element> = document.elements().filter(is_cluster).collect();
    if found.is_empty() {
        return Err(no_cluster(&document));
    }
    let nodes = Nodes::of(&system);
    let mut clusters: Vec<Cluster> = found
        .iter()
        .map(|cluster| system.cluster(*cluster, &nodes))
        .collect();
    nodes.place_the_rest(&mut clusters, &mut system.remarks);
    system.gateways();
    system.report_unprotected();
    Ok(MessageMatrix {
        format: MatrixFormat::Arxml,
        clusters,
        skipped: system.skipped,
        remarks: system.remarks,
    })
}

fn no_cluster(document: &Document) -> MatrixError {
    let root = document.root();
    let is_ecu = document.elements().any(|element| {
        document.name(element) == "ECUC-VALUE-COLLECTION"
            || document.name(element) == "ECU-INSTANCE"
    });
    MatrixError::Content {
        line: root.map_or(1, |root| document.line(root)),
        place: "AUTOSAR".to_owned(),
        cause: match is_ecu {
            true => "no CAN-CLUSTER: an extract of one ECU does not say which bus has its frames; \
                     export the system description (communication matrix) of the bus"
                .to_owned(),
            false => "no CAN-CLUSTER, so no CAN bus; export the system description \
                      (communication matrix) of the bus"
                .to_owned(),
        },
    }
}

impl<'d> System<'d> {
    fn cluster(&mut self, element: Element, nodes: &Nodes) -> Cluster {
        let document = self.document;
        let is_j1939 = document.name(element).contains("1939");
        let variants: Vec<Element> = document
            .children(element)
            .filter(|child| document.name(*child).ends_with("-CLUSTER-VARIANTS"))
            .flat_map(|variants| document.children(variants))
            .collect();
        if variants.len() > 1 {
            self.remarks.push(format!(
                "{}: {} variants, of which the first one is taken",
                self.place(element),
                variants.len()
            ));
        }
        // AUTOSAR 3 has no variants: all stands in the cluster itself.
        let own = variants.first().copied().unwrap_or(element);
        let channels: Vec<Element> = document.within(own, &["PHYSICAL-CHANNELS"]).collect();
        if channels.len() > 1 {
            self.remarks.push(format!(
                "{}: {} physical channels, which are taken as one bus",
                self.place(element),
                channels.len()
            ));
        }
        let mut cluster = Cluster {
            name: self.short_name(element).map(str::to_owned),
            bit_rate: self.bit_rate(own, &["BAUDRATE", "SPEED"]),
            data_bit_rate: self.bit_rate(own, &["CAN-FD-BAUDRATE"]),
            nodes: nodes.on_channels(self, &channels),
            messages: Vec::new(),
        };
        let mut ids = HashMap::new();
        for channel in channels {
            let triggerings: Vec<Element> = document
                .within(channel, &["FRAME-TRIGGERINGS", "FRAME-TRIGGERINGSS"])
                .filter(|one| document.name(*one).ends_with("CAN-FRAME-TRIGGERING"))
                .collect();
            for triggering in triggerings {
                match self.message((channel, triggering), is_j1939, nodes) {
                    Ok((frame, message)) => {
                        ids.entry(frame).or_insert(message.id);
                        cluster.messages.push(message);
                    }
                    Err(skipped) => self.skip(skipped),
                }
            }
        }
        self.drop_duplicates(&mut cluster, element);
        self.link(&mut cluster, &ids);
        cluster
    }

    /// Gives the messages of a cluster the protection by their cryptographic I-PDUs.
    fn link(&mut self, cluster: &mut Cluster, ids: &HashMap<Element, Id>) {
        let messages = cluster.messages.iter_mut();
        let mut messages: HashMap<Id, &mut MatrixMessage> =
            messages.map(|message| (message.id, message)).collect();
        for (frame, secured) in std::mem::take(&mut self.links) {
            let message = ids.get(&frame).and_then(|id| messages.get_mut(id));
            match message {
                Some(message) if message.protection.is_none() => {
                    message.protection = Some(secured);
                }
                Some(message) => message.remarks.push(
                    "has a second secured I-PDU or cryptographic I-PDU, whose protection is not \
                     carried over: a vehicle file has one code for a message"
                        .to_owned(),
                ),
                None => {}
            }
        }
    }

    /// Drops the second message of an identifier: a bus has each once.
    fn drop_duplicates(&mut self, cluster: &mut Cluster, element: Element) {
        let mut known = HashMap::new();
        let mut skipped = Vec::new();
        cluster.messages.retain(|message| {
            let first = known
                .entry(message.id)
                .or_insert_with(|| message.name.clone());
            let is_first = *first == message.name;
            if !is_first {
                skipped.push(SkippedPart {
                    what: format!("message {}", message.name),
                    line: Some(self.document.line(element)),
                    reason: format!(
                        "identifier {} belongs to message {first} already; give each its own",
                        message.id
                    ),
                    may_be_extended: false,
                });
            }
            is_first
        });
        // One frame may be triggered on two channels of a cluster.
        let mut seen = HashSet::new();
        cluster.messages.retain(|message| seen.insert(message.id));
        for one in skipped {
            self.skip(one);
        }
    }

    fn bit_rate(
        &mut self,
        element: Element,
        names: &[&str],
    ) -> Option<waywarden_can::timing::BitRate> {
        let found = names
            .iter()
            .find_map(|name| self.document.child(element, name))?;
        let text = self.document.text(found);
        let rate = number::autosar(text).and_then(number::bit_rate);
        if rate.is_none() && number::autosar(text) != Some(0) {
            self.remarks.push(format!(
                "{} {} is no bit rate and is ignored",
                self.place(found),
                excerpt(text)
            ));
        }
        rate
    }

    /// Reports the gateways, whose routes are not carried over.
    fn gateways(&mut self) {
        let gateways = self.document.elements();
        for gateway in gateways.filter(|one| self.document.name(*one) == "GATEWAY") {
            let count = self
                .document
                .children(gateway)
                .filter(|child| self.document.name(*child).ends_with("-MAPPINGS"))
                .flat_map(|mappings| self.document.children(mappings))
                .count();
            self.remarks.push(format!(
                "{}: {count} mappings are not carried over: add [[route]] tables",
                self.place(gateway)
            ));
        }
    }

    /// Reports the secured I-PDUs whose protection no message carries.
    fn report_unprotected(&mut self) {
        if let (count @ 1.., Some(first)) = self.unprotected {
            let remark = format!(
                "line {}, {}: {count} secured I-PDU(s) within containers, within multiplexed PDUs \
                 or beside others in a frame are not carried over, for a vehicle file has one code \
                 for a message; map each to a frame of its own, or write [[authentication]] by \
                 hand",
                self.document.line(first),
                self.place(first)
            );
            self.remarks.push(remark);
        }
    }

    fn skip(&mut self, skipped: SkippedPart) {
        if self.skipped.len() < SKIPPED_MAX {
            self.skipped.push(skipped);
        }
    }

    fn short_name(&self, element: Element) -> Option<&'d str> {
        let name = self.paths.short_name(element)?;
        (!name.is_empty()).then_some(name)
    }

    /// Returns the element's name and path for a message.
    fn place(&self, element: Element) -> String {
        self.paths.place(self.document, element)
    }

    /// Returns the element that the reference of a name within an element leads to.
    fn follow(&self, element: Element, name: &str) -> Option<Element> {
        let reference = self.document.child(element, name)?;
        self.paths.resolve(self.document, reference)
    }

    fn whole(&self, element: Element, path: &[&str]) -> Option<u64> {
        number::autosar(self.document.text_at(element, path)?)
    }
}

/// Returns the frame format of a message that is no longer than a CAN FD frame.
fn fd(is_fd: bool, bit_rate_switch: bool) -> MessageFormat {
    match is_fd {
        true => MessageFormat::Fd { bit_rate_switch },
        false => MessageFormat::Classic,
    }
}

/// Limit on senders and receivers of one message.
const ENDS_MAX: usize = 256;

fn with_remark(mut message: MatrixMessage, remark: impl Into<String>) -> MatrixMessage {
    message.remarks.push(remark.into());
    message
}
