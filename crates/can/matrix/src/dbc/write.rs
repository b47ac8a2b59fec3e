//! Buses of other formats as DBC files.

mod attributes;
mod multiplexing;
mod names;

use can_dbc::{Dbc, MessageId, MessageTransmitter, Node, SignalExtendedValueTypeList};
use can_dbc::{NumericValue, SignalExtendedValueType, Symbol, ValueType, Version};
use waywarden_can::Id;
use waywarden_can_dbc::{Rewritten, to_text};

use self::multiplexing::{Multiplexing, Placed};
use self::names::Identifiers;
use crate::{ByteOrder, Cluster, MatrixFormat, MatrixMessage, MatrixSignal, MessageKind};

/// The words that a DBC file may announce; Vector's editor lists them all.
const SYMBOLS: [&str; 14] = [
    "CM_",
    "BA_DEF_",
    "BA_",
    "VAL_",
    "BA_DEF_DEF_",
    "VAL_TABLE_",
    "SIG_GROUP_",
    "SIG_VALTYPE_",
    "BO_TX_BU_",
    "BA_DEF_REL_",
    "BA_REL_",
    "BA_DEF_DEF_REL_",
    "BU_SG_REL_",
    "SG_MUL_VAL_",
];

impl Cluster {
    /// Writes the bus as a DBC file, and names what a DBC file, or the model of all formats, does
    /// not hold.
    ///
    /// A DBC file itself is written by [`waywarden_can_dbc::rewrite`], which keeps all of it.
    #[must_use]
    pub fn to_dbc(&self, format: MatrixFormat) -> Rewritten {
        let mut writer = Writer::new(self);
        for message in &self.messages {
            writer.add(message);
        }
        attributes::add(&mut writer, self);
        writer.finish(format)
    }
}

/// A DBC file while it is made.
struct Writer {
    dbc: Dbc,
    nodes: Identifiers,
    messages: Identifiers,
    /// Full names of nodes, messages and signals that are longer than those of statements.
    long_nodes: Vec<(String, String)>,
    long_messages: Vec<(MessageId, String)>,
    long_signals: Vec<(MessageId, String, String)>,
    losses: Losses,
}

/// Numbers of what is not written.
#[derive(Default)]
struct Losses {
    secured: usize,
    without_signals: usize,
    without_bits: usize,
    odd_floats: usize,
    merged: usize,
    renamed: usize,
}

impl Writer {
    fn new(cluster: &Cluster) -> Self {
        let mut nodes = Identifiers::default();
        let ends = cluster
            .messages
            .iter()
            .flat_map(|message| message.senders.iter().chain(&message.receivers));
        let listed = cluster.nodes.iter().chain(ends);
        let mut dbc = empty();
        let mut long_nodes = Vec::new();
        for node in listed {
            let (name, is_new) = nodes.of(node);
            if is_new {
                if names::is_long(node) {
                    long_nodes.push((name.clone(), node.clone()));
                }
                dbc.nodes.push(Node(name));
            }
        }
        Writer {
            dbc,
            nodes,
            messages: Identifiers::default(),
            long_nodes,
            long_messages: Vec::new(),
            long_signals: Vec::new(),
            losses: Losses::default(),
        }
    }

    fn add(&mut self, message: &MatrixMessage) {
        let id = message_id(message.id);
        let name = self.messages.fresh(&message.name);
        if names::is_long(&message.name) {
            self.long_messages.push((id, message.name.clone()));
        }
        let is_secured = message.protection.is_some() || message.kind == MessageKind::Cryptographic;
        self.losses.secured += usize::from(is_secured);
        let senders: Vec<String> = message
            .senders
            .iter()
            .map(|sender| self.nodes.of(sender).0)
            .collect();
        let receivers: Vec<String> = message
            .receivers
            .iter()
            .map(|receiver| self.nodes.of(receiver).0)
            .collect();
        let multiplexing = Multiplexing::of(&message.signals);
        self.losses.merged += multiplexing.merged;
        let mut names = Identifiers::default();
        let has_bits = |placed: &&Placed<'_>| placed.signal.length > 0;
        let all = multiplexing.signals.len();
        // Named first, for a multiplexer may stand behind what it selects.
        let placed: Vec<(String, &Placed<'_>)> = multiplexing
            .signals
            .iter()
            .filter(has_bits)
            .map(|placed| (names.fresh(&placed.signal.name), placed))
            .collect();
        self.losses.without_bits += all - placed.len();
        let mut signals = Vec::new();
        for (name, placed) in placed {
            let own = placed.signal;
            if names::is_long(&own.name) {
                self.long_signals.push((id, name.clone(), own.name.clone()));
            }
            self.float(id, &name, own);
            self.dbc
                .extended_multiplex
                .extend(placed.extended(id, &name, &names));
            signals.push(can_dbc::Signal {
                multiplexer_indicator: placed.indicator(),
                receivers: receivers.clone(),
                ..signal(own, name)
            });
        }
        self.losses.renamed += names.renamed;
        self.losses.without_signals += usize::from(signals.is_empty() && !receivers.is_empty());
        if senders.len() > 1 {
            self.dbc.message_transmitters.push(MessageTransmitter {
                message_id: id,
                transmitter: senders.clone(),
            });
        }
        self.dbc.messages.push(can_dbc::Message {
            id,
            name,
            size: message.length as u64,
            transmitter: senders.into_iter().next(),
            signals,
        });
    }

    /// Notes that a signal is a float.
    fn float(&mut self, id: MessageId, name: &str, signal: &MatrixSignal) {
        let kind = match (signal.is_float, signal.length) {
            (false, _) => return,
            (true, 32) => SignalExtendedValueType::IEEEfloat32Bit,
            (true, 64) => SignalExtendedValueType::IEEEdouble64bit,
            (true, _) => {
                self.losses.odd_floats += 1;
                return;
            }
        };
        let list = &mut self.dbc.signal_extended_value_type_list;
        list.push(SignalExtendedValueTypeList {
            message_id: id,
            signal_name: name.to_owned(),
            signal_extended_value_type: kind,
        });
    }

    fn finish(mut self, format: MatrixFormat) -> Rewritten {
        self.losses.renamed += self.nodes.renamed + self.messages.renamed;
        Rewritten {
            text: to_text(&self.dbc),
            messages: self.dbc.messages.len(),
            losses: self.losses.named(format),
        }
    }
}

impl Losses {
    /// Returns a sentence for each kind of loss.
    fn named(&self, format: MatrixFormat) -> Vec<String> {
        let label = format.label();
        let mut losses = vec![format!(
            "names of values, comments, limits and initial values of signals are not taken over \
             from {label}, and each signal has the receivers of its message"
        )];
        let counted = [
            (
                self.secured,
                "messages are secured by SecOC, which a DBC file does not hold: `bus import` makes \
                 a vehicle file with it",
            ),
            (
                self.without_signals,
                "messages have receivers and no signal, at which a DBC file has them",
            ),
            (self.without_bits, "signals have no bits and are left out"),
            (
                self.odd_floats,
                "signals are floats of neither 32 nor 64 bits and are written as whole numbers",
            ),
            (
                self.merged,
                "multiplexers have the bits of another one and are written as that one",
            ),
            (
                self.renamed,
                "names have letters that DBC names have not, are words of DBC, or are there twice: \
                 other letters or a number stand in them",
            ),
        ];
        let counted = counted.iter().filter(|(count, _)| *count > 0);
        losses.extend(counted.map(|(count, what)| format!("{count} {what}")));
        losses
    }
}

fn message_id(id: Id) -> MessageId {
    match id {
        Id::Standard(id) => MessageId::Standard(id.raw()),
        Id::Extended(id) => MessageId::Extended(id.raw()),
    }
}

fn signal(own: &MatrixSignal, name: String) -> can_dbc::Signal {
    can_dbc::Signal {
        name,
        multiplexer_indicator: can_dbc::MultiplexIndicator::Plain,
        start_bit: own.start.into(),
        size: own.length.into(),
        byte_order: match own.byte_order {
            ByteOrder::LittleEndian => can_dbc::ByteOrder::LittleEndian,
            ByteOrder::BigEndian => can_dbc::ByteOrder::BigEndian,
        },
        value_type: match own.is_signed || own.is_float {
            true => ValueType::Signed,
            false => ValueType::Unsigned,
        },
        factor: own.factor,
        offset: own.offset,
        // Zero to zero says that there are no limits.
        min: NumericValue::Uint(0),
        max: NumericValue::Uint(0),
        unit: names::quotable(&own.unit),
        receivers: Vec::new(),
    }
}

fn empty() -> Dbc {
    Dbc {
        version: Version(String::new()),
        new_symbols: SYMBOLS.map(|word| Symbol(word.to_owned())).to_vec(),
        bit_timing: None,
        nodes: Vec::new(),
        value_tables: Vec::new(),
        messages: Vec::new(),
        message_transmitters: Vec::new(),
        environment_variables: Vec::new(),
        environment_variable_data: Vec::new(),
        signal_types: Vec::new(),
        comments: Vec::new(),
        attribute_definitions: Vec::new(),
        relation_attribute_definitions: Vec::new(),
        attribute_defaults: Vec::new(),
        relation_attribute_defaults: Vec::new(),
        relation_attribute_values: Vec::new(),
        attribute_values_database: Vec::new(),
        attribute_values_node: Vec::new(),
        attribute_values_message: Vec::new(),
        attribute_values_signal: Vec::new(),
        attribute_values_env: Vec::new(),
        value_descriptions: Vec::new(),
        signal_type_refs: Vec::new(),
        signal_groups: Vec::new(),
        signal_extended_value_type_list: Vec::new(),
        extended_multiplex: Vec::new(),
    }
}
