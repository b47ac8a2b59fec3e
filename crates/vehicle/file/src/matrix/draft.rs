//! Buses and ECUs of a vehicle file that is written from a matrix: a bus a cluster, an ECU a node.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};

use waywarden_can::Id;
use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

use super::names::Renamed;
use waywarden_can_matrix::j1939::parameter_group;
use waywarden_can_matrix::{Cluster, MessageMatrix};

/// The sender of messages for which the file names none.
const UNKNOWN_SENDER: &str = "unknown-sender";

/// The second ECU of a bus for which the file names one only.
const ACKNOWLEDGER: &str = "acknowledging-ecu";

/// The name of a bus that has none.
const BUS: &str = "main";

/// The bit rates of a bus for which neither the options nor the file have them.
pub const BIT_RATE: BitRate = BitRate::constant(500_000);
/// Like [`BIT_RATE`], of the data phase.
pub const DATA_BIT_RATE: BitRate = BitRate::constant(2_000_000);

/// Limit on skipped parts that a vehicle file names; the rest is counted.
const SKIPPED_MAX: usize = 100;

/// Statements that a matrix leaves open.
#[derive(Clone, Debug)]
pub struct DbcOptions {
    /// The vehicle's name.
    pub vehicle: String,
    /// The bus's name; with `"main"` that of the file goes first, and several buses have theirs.
    pub bus: String,
    /// Its bit rate; without it the one of the file, else [`BIT_RATE`].
    pub bit_rate: Option<BitRate>,
    /// Its data bit rate, used if any message is CAN FD; without it the one of the file, else
    /// [`DATA_BIT_RATE`].
    pub data_bit_rate: Option<BitRate>,
    /// The board of every ECU; without it computing takes no time.
    pub board: Option<String>,
    /// Takes the period while active of messages that have one.
    pub fast_cycles: bool,
    /// Periods for messages without a cycle time, as a recording of the bus has them.
    pub observed: HashMap<Id, Duration>,
    /// The period of messages that have none in either place. Without it they are written as
    /// comments, to be completed by hand.
    pub assumed: Option<Duration>,
}

/// A bus of the vehicle file.
pub(super) struct Bus<'m> {
    pub(super) name: String,
    pub(super) cluster: &'m Cluster,
    /// Identifiers of the cryptographic I-PDUs of its messages.
    pub(super) cryptographic: HashSet<Id>,
    /// The ECU that sends what the file names no sender for.
    unknown_sender: Option<String>,
}

/// A vehicle file while it is written.
pub(super) struct Draft<'m> {
    pub(super) matrix: &'m MessageMatrix,
    pub(super) options: &'m DbcOptions,
    pub(super) buses: Vec<Bus<'m>>,
    /// The ECUs in order: the node's name, the ECU's, and the buses that it is on.
    pub(super) ecus: Vec<(&'m str, String, Vec<usize>)>,
    /// The position of each node in `ecus`.
    nodes: HashMap<&'m str, usize>,
    /// The shortest observed period of each parameter group of SAE J1939.
    pub(super) observed_groups: HashMap<u32, Duration>,
}

impl Default for DbcOptions {
    fn default() -> Self {
        DbcOptions {
            vehicle: "imported".to_owned(),
            bus: BUS.to_owned(),
            bit_rate: None,
            data_bit_rate: None,
            board: None,
            fast_cycles: false,
            observed: HashMap::new(),
            assumed: None,
        }
    }
}

impl<'m> Draft<'m> {
    pub(super) fn new(
        matrix: &'m MessageMatrix,
        options: &'m DbcOptions,
        names: &mut Renamed,
    ) -> Self {
        let mut bus_names = Renamed::new();
        let buses: Vec<Bus<'m>> = matrix
            .clusters
            .iter()
            .filter(|cluster| !is_left_out(matrix, cluster))
            .map(|cluster| {
                let own = cluster.name.as_deref().filter(|name| !name.is_empty());
                let is_chosen = options.bus != BUS && matrix.clusters.len() == 1;
                let name = own.filter(|_| !is_chosen).unwrap_or(&options.bus);
                Bus {
                    name: bus_names.rename(name),
                    cluster,
                    cryptographic: cluster
                        .messages
                        .iter()
                        .filter_map(|message| message.protection.as_ref()?.carrier.separate_id())
                        .collect(),
                    unknown_sender: None,
                }
            })
            .collect();
        let mut draft = Draft {
            matrix,
            options,
            buses,
            ecus: Vec::new(),
            nodes: HashMap::new(),
            observed_groups: HashMap::new(),
        };
        for (id, period) in &options.observed {
            if let Some(group) = parameter_group(*id) {
                let shortest = draft.observed_groups.entry(group).or_insert(*period);
                *shortest = (*shortest).min(*period);
            }
        }
        for at in 0..draft.buses.len() {
            for node in every_node(draft.buses[at].cluster) {
                let ecu = *draft.nodes.entry(node).or_insert_with(|| {
                    draft.ecus.push((node, names.rename(node), Vec::new()));
                    draft.ecus.len() - 1
                });
                draft.ecus[ecu].2.push(at);
            }
        }
        draft
    }

    /// Adds an ECU to each bus that has messages of no sender.
    pub(super) fn unknown_senders(&mut self, text: &mut String, names: &mut Renamed) {
        let label = self.matrix.format.label();
        for bus in &mut self.buses {
            let mut messages = bus.cluster.messages.iter();
            if messages.any(|message| message.senders.is_empty()) {
                let name = names.rename(UNKNOWN_SENDER);
                let _ = writeln!(text, "# Sends what the {label} file names no sender for.");
                let _ = ecu(text, &name, &format!("\"{}\"", bus.name));
                bus.unknown_sender = Some(name);
            }
        }
    }

    /// Adds an ECU to each bus that has one only, and returns the names of those buses: a frame
    /// that no other ECU acknowledges is sent again without end.
    pub(super) fn acknowledgers(&self, text: &mut String, names: &mut Renamed) -> Vec<String> {
        let mut counts: Vec<usize> = vec![0; self.buses.len()];
        for at in self.ecus.iter().flat_map(|(_, _, buses)| buses) {
            counts[*at] += 1;
        }
        let label = self.matrix.format.label();
        let mut added = Vec::new();
        for (bus, count) in self.buses.iter().zip(counts) {
            if count + usize::from(bus.unknown_sender.is_some()) != 1 {
                continue;
            }
            let name = names.rename(ACKNOWLEDGER);
            let _ = writeln!(
                text,
                "# Assumed: the {label} file names one ECU of this bus; a frame needs another one \
                 that\n# acknowledges it."
            );
            let _ = ecu(text, &name, &format!("\"{}\"", bus.name));
            added.push(bus.name.clone());
        }
        added
    }

    /// Returns the ECU of a node.
    pub(super) fn ecu(&self, node: &str) -> &str {
        let at = self.nodes.get(node);
        at.map_or(UNKNOWN_SENDER, |at| self.ecus[*at].1.as_str())
    }

    /// Returns the ECU that sends on a bus, and true if it is on others, too.
    pub(super) fn sender(&self, node: Option<&String>, bus: usize) -> (&str, bool) {
        match node {
            Some(node) => {
                let at = self.nodes.get(node.as_str());
                let ports = at.map_or(1, |at| self.ecus[*at].2.len());
                (self.ecu(node), ports > 1)
            }
            None => {
                let own = self.buses[bus].unknown_sender.as_deref();
                (own.unwrap_or(UNKNOWN_SENDER), false)
            }
        }
    }

    pub(super) fn heading(&self) -> String {
        let vehicle = Renamed::new().rename(&self.options.vehicle);
        let mut text = format!(
            "# Imported from {} file: {} messages.\n\
             # Every key is described in docs/vehicle-file.md.\n",
            self.matrix.format.with_article(),
            self.matrix.messages().count(),
        );
        for skipped in self.matrix.skipped.iter().take(SKIPPED_MAX) {
            let line = skipped.line.unwrap_or_default();
            let _ = comment(
                &mut text,
                &format!(
                    "Skipped: line {line}, {}: {}.",
                    skipped.what, skipped.reason
                ),
            );
        }
        if let Some(more @ 1..) = self.matrix.skipped.len().checked_sub(SKIPPED_MAX) {
            let _ = comment(&mut text, &format!("Skipped: {more} more."));
        }
        for remark in &self.matrix.remarks {
            let _ = comment(&mut text, remark);
        }
        let clusters = self.matrix.clusters.iter();
        for cluster in clusters.filter(|cluster| is_left_out(self.matrix, cluster)) {
            if let Some(name) = &cluster.name {
                let _ = comment(&mut text, &format!("Bus {name} has no message: left out."));
            }
        }
        let _ = writeln!(text, "\n[vehicle]\nname = \"{vehicle}\"");
        if let Some(board) = &self.options.board {
            let _ = writeln!(text, "board = \"{board}\"");
        }
        for bus in &self.buses {
            self.bus(&mut text, bus);
        }
        text.push('\n');
        text
    }

    fn bus(&self, text: &mut String, bus: &Bus<'_>) {
        let (options, cluster) = (self.options, bus.cluster);
        let _ = writeln!(text, "\n[[bus]]\nname = \"{}\"", bus.name);
        let rate = |text: &mut String,
                    key,
                    asked: Option<BitRate>,
                    stated: Option<BitRate>,
                    usual: BitRate| {
            let rate = asked.or(stated).unwrap_or(usual).bits_per_second();
            let label = self.matrix.format.label();
            let remark = match (asked, stated) {
                (None, None) => format!(" # assumed: the {label} file has none"),
                _ => String::new(),
            };
            let _ = writeln!(text, "{key} = \"{rate}\"{remark}");
        };
        rate(
            text,
            "bitrate",
            options.bit_rate,
            cluster.bit_rate,
            BIT_RATE,
        );
        if cluster.has_fd() {
            let own = (options.data_bit_rate, cluster.data_bit_rate);
            rate(text, "data_bitrate", own.0, own.1, DATA_BIT_RATE);
        }
    }
}

/// Returns true for a bus without messages, where another one has some.
fn is_left_out(matrix: &MessageMatrix, cluster: &Cluster) -> bool {
    cluster.messages.is_empty() && !matrix.is_empty()
}

/// Returns the nodes listed, then those that only a message names.
fn every_node(cluster: &Cluster) -> Vec<&str> {
    let in_messages = cluster.messages.iter().flat_map(|message| {
        let senders = message.senders.iter();
        senders.chain(&message.receivers)
    });
    let mut seen = HashSet::new();
    cluster
        .nodes
        .iter()
        .chain(in_messages)
        .map(String::as_str)
        .filter(|node| seen.insert(*node))
        .collect()
}

/// Writes a comment of one line, whatever the text has.
pub(super) fn comment(text: &mut String, remark: &str) -> fmt::Result {
    let shown: String = remark
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    writeln!(text, "# {shown}")
}

/// Writes an ECU.
pub(super) fn ecu(text: &mut String, name: &str, ports: &str) -> fmt::Result {
    writeln!(text, "[[ecu]]\nname = \"{name}\"\nports = [{ports}]\n")
}
