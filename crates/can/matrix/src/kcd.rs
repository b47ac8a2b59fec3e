//! KCD, the network definition of Kayak \[KCD\].

mod signals;

use std::collections::{HashMap, HashSet};

use waywarden_can::Id;
use waywarden_can_dbc::MessageFormat;

use crate::text::excerpt;
use crate::xml::{Document, Element, Kept};
use crate::{
    Cluster, LENGTH_MAX, MatrixError, MatrixFormat, MatrixMessage, MatrixSignal, MessageMatrix,
    SkippedPart, number,
};

const KEPT: Kept = Kept {
    is_skipped: |name| matches!(name, "Notes" | "LabelSet" | "Document" | "Var"),
    is_attribute: |name| name != "company" && name != "author",
};

/// Limit on senders and receivers of one message.
const ENDS_MAX: usize = 256;

/// Limit on parts that are skipped by name.
const SKIPPED_MAX: usize = 10_000;

/// The bit rate of a bus that states none, by the schema.
const BAUDRATE: &str = "500000";

/// Reads a network definition.
pub(crate) fn read(text: &str) -> Result<MessageMatrix, MatrixError> {
    let document = Document::parse(text, KEPT)?;
    let Some(root) = document.root() else {
        return Err(MatrixError::Xml {
            line: 1,
            cause: "there is no element".to_owned(),
        });
    };
    let mut network = Network {
        document: &document,
        nodes: HashMap::new(),
        skipped: Vec::new(),
        remarks: Vec::new(),
        of_signals: Vec::new(),
    };
    let mut names = Vec::new();
    for node in document.children_of(root, "Node") {
        let name = document.attribute(node, "name").unwrap_or_default();
        if let Some(id) = document.attribute(node, "id") {
            network.nodes.entry(id).or_insert(name);
        }
        names.push(name);
    }
    let buses: Vec<Element> = document.children_of(root, "Bus").collect();
    if buses.is_empty() {
        return Err(MatrixError::Content {
            line: document.line(root),
            place: "NetworkDefinition".to_owned(),
            cause: "no Bus; a bus is `<Bus name=\"...\">` with its messages".to_owned(),
        });
    }
    let mut clusters: Vec<Cluster> = buses.iter().map(|bus| network.bus(*bus)).collect();
    place(&names, &mut clusters, &mut network.remarks);
    Ok(MessageMatrix {
        format: MatrixFormat::Kcd,
        clusters,
        skipped: network.skipped,
        remarks: network.remarks,
    })
}

/// A network definition while it is read.
struct Network<'d> {
    document: &'d Document,
    /// The names of nodes by their ids.
    nodes: HashMap<&'d str, &'d str>,
    skipped: Vec<SkippedPart>,
    remarks: Vec<String>,
    /// Remarks on the signals of the message that is read.
    of_signals: Vec<String>,
}

/// Puts the nodes that send and receive nothing on the bus, if there is one only.
fn place(names: &[&str], clusters: &mut [Cluster], remarks: &mut Vec<String>) {
    if let [only] = clusters {
        only.nodes = names.iter().map(|name| (*name).to_owned()).collect();
        return;
    }
    let mut placed: HashSet<String> = HashSet::new();
    for cluster in clusters.iter_mut() {
        let ends = cluster.messages.iter().flat_map(|message| {
            let senders = message.senders.iter();
            senders.chain(&message.receivers)
        });
        let own: HashSet<String> = ends.cloned().collect();
        let listed = names.iter().filter(|name| own.contains(**name));
        cluster.nodes = listed.map(|name| (*name).to_owned()).collect();
        placed.extend(own);
    }
    let rest = names.iter().filter(|name| !placed.contains(**name));
    let rest: Vec<String> = rest.map(|name| excerpt(name)).take(ENDS_MAX).collect();
    if !rest.is_empty() {
        remarks.push(format!(
            "nodes that send and receive nothing are left out, for no bus has them: {}",
            rest.join(", ")
        ));
    }
}

impl Network<'_> {
    fn bus(&mut self, bus: Element) -> Cluster {
        let document = self.document;
        let name = document.attribute(bus, "name").map(str::to_owned);
        let stated = document.attribute(bus, "baudrate").unwrap_or(BAUDRATE);
        let bit_rate = number::whole(stated).and_then(number::bit_rate);
        if bit_rate.is_none() {
            let shown = excerpt(stated);
            self.remarks
                .push(format!("baudrate {shown} is no bit rate and is ignored"));
        }
        let mut cluster = Cluster {
            name,
            bit_rate,
            ..Cluster::default()
        };
        let mut known: HashMap<Id, String> = HashMap::new();
        for element in document.children_of(bus, "Message") {
            match self.message(element) {
                Ok(message) => match known.get(&message.id) {
                    Some(first) => {
                        let reason = format!(
                            "its identifier belongs to message {first} already; give each its own"
                        );
                        let skipped = self.left_out(element, reason);
                        self.skip(skipped);
                    }
                    None => {
                        known.insert(message.id, message.name.clone());
                        cluster.messages.push(message);
                    }
                },
                Err(skipped) => self.skip(skipped),
            }
        }
        cluster
    }

    fn skip(&mut self, skipped: SkippedPart) {
        if self.skipped.len() < SKIPPED_MAX {
            self.skipped.push(skipped);
        }
    }

    fn message(&mut self, element: Element) -> Result<MatrixMessage, SkippedPart> {
        let document = self.document;
        let attribute = |name| document.attribute(element, name);
        let name = attribute("name").filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| {
            self.left_out(element, "it has no name; write `name=\"...\"`".to_owned())
        })?;
        let id = self.identifier(element)?;
        self.of_signals.clear();
        let signals = self.signals(element, name);
        let length = match attribute("length") {
            None | Some("auto") => Some(used_bytes(&signals)),
            Some(text) => number::whole(text),
        };
        let length = length
            .filter(|length| *length <= LENGTH_MAX)
            .ok_or_else(|| {
                let shown = excerpt(attribute("length").unwrap_or_default());
                let reason = format!("length {shown} is none; write `auto` or the bytes, 0 to 64");
                self.left_out(element, reason)
            })?;
        let mut message = MatrixMessage::new(name.to_owned(), id, length as usize);
        if (9..=64).contains(&length) {
            message.format = MessageFormat::Fd {
                bit_rate_switch: true,
            };
            message.remarks.push(format!(
                "{length} bytes fit no classic frame: it is taken as CAN FD, which the file does \
                 not say"
            ));
        }
        if let Some(interval) = attribute("interval") {
            message.cycle_time = number::real(interval).and_then(|ms| number::seconds(ms / 1e3));
            if message.cycle_time.is_none() && number::real(interval) != Some(0.0) {
                let shown = excerpt(interval);
                message
                    .remarks
                    .push(format!("interval {shown} is no time in ms and is ignored"));
            }
        }
        if attribute("remote") == Some("true") {
            message
                .remarks
                .push("is asked for by remote frames, which no period says".to_owned());
        }
        for producer in document.children_of(element, "Producer") {
            self.add_nodes(producer, &mut message.senders, &mut message.remarks);
        }
        self.add_receivers(element, &mut message);
        message.signals = signals;
        message.remarks.append(&mut self.of_signals);
        message.name_outside();
        Ok(message)
    }

    fn identifier(&self, element: Element) -> Result<Id, SkippedPart> {
        let text = self.document.attribute(element, "id").unwrap_or_default();
        let is_extended = self.document.attribute(element, "format") == Some("extended");
        let raw = number::whole(text).and_then(|raw| u32::try_from(raw).ok());
        let id = raw.and_then(|raw| match is_extended {
            true => Id::extended(raw).ok(),
            false => u16::try_from(raw)
                .ok()
                .and_then(|raw| Id::standard(raw).ok()),
        });
        id.ok_or_else(|| {
            let reason = format!(
                "id {} is no identifier; 11 bits are 0 to 0x7FF, 29 bits (format=\"extended\") 0 \
                 to 0x1FFFFFFF",
                excerpt(text)
            );
            self.left_out(element, reason)
        })
    }

    /// Adds the nodes that a producer or a consumer refers to.
    fn add_nodes(&self, list: Element, names: &mut Vec<String>, remarks: &mut Vec<String>) {
        for reference in self.document.children_of(list, "NodeRef") {
            let id = self.document.attribute(reference, "id").unwrap_or_default();
            match self.nodes.get(id) {
                Some(name) if names.len() < ENDS_MAX && !names.iter().any(|own| own == name) => {
                    names.push((*name).to_owned());
                }
                Some(_) => {}
                None => remarks.push(format!(
                    "NodeRef {} is no id of a Node, so that this end is left out",
                    excerpt(id)
                )),
            }
        }
    }

    fn add_receivers(&self, element: Element, message: &mut MatrixMessage) {
        let document = self.document;
        let groups = document
            .children_of(element, "Multiplex")
            .flat_map(|multiplex| document.children_of(multiplex, "MuxGroup"))
            .flat_map(|group| document.children_of(group, "Signal"));
        let multiplexers = document.children_of(element, "Multiplex");
        let plain = document.children_of(element, "Signal");
        for signal in plain.chain(multiplexers).chain(groups) {
            for consumer in document.children_of(signal, "Consumer") {
                self.add_nodes(consumer, &mut message.receivers, &mut message.remarks);
            }
        }
    }

    fn left_out(&self, element: Element, reason: impl Into<String>) -> SkippedPart {
        let name = self.document.attribute(element, "name").unwrap_or_default();
        self.part(element, format!("Message {}", excerpt(name)), reason)
    }

    fn part(&self, element: Element, what: String, reason: impl Into<String>) -> SkippedPart {
        SkippedPart {
            what,
            line: Some(self.document.line(element)),
            reason: reason.into(),
            may_be_extended: false,
        }
    }
}

/// Returns the bytes up to the last bit of any signal.
fn used_bytes(signals: &[MatrixSignal]) -> u64 {
    let ends = signals.iter().map(MatrixSignal::end);
    ends.max().unwrap_or(0).div_ceil(8)
}
