//! Attributes of a DBC file: those that the import understands, and those that touch timing and
//! that it does not.

use std::collections::HashMap;
use std::hash::Hash;

use can_dbc::{AttributeDefinition, AttributeValue, AttributeValueType, Dbc, MessageId};

/// The attributes whose meaning the import knows, each with it.
pub const UNDERSTOOD: [(&str, &str); 13] = [
    ("Baudrate", "nominal bit rate of the bus in bit/s"),
    ("BaudrateCANFD", "data bit rate of the bus in bit/s"),
    (
        "CANFD_BRS",
        "of a message: 0 for a CAN FD frame at the nominal bit rate throughout",
    ),
    ("GenMsgCycleTime", "of a message: its period in ms"),
    (
        "GenMsgCycleTimeFast",
        "of a message: its period in ms while it is active",
    ),
    (
        "GenMsgDelayTime",
        "of a message: the least time between two of them in ms",
    ),
    (
        "GenMsgSendType",
        "of a message: periodic, on events, both, or while active",
    ),
    (
        "GenMsgStartDelayTime",
        "of a message: time from the start of its sender to the first one in ms",
    ),
    (
        "ProtocolType",
        "of the network: J1939 for all 29-bit identifiers",
    ),
    ("SystemMessageLongSymbol", "of a message: its full name"),
    ("SystemNodeLongSymbol", "of a node: its full name"),
    (
        "VFrameFormat",
        "of a message: classic CAN, CAN FD or SAE J1939",
    ),
    ("SystemSignalLongSymbol", "of a signal: its full name"),
];

/// Parts of names that say that an attribute is about time.
const OF_TIME: [&str; 17] = [
    "time",
    "cycle",
    "period",
    "delay",
    "baud",
    "bitrate",
    "offset",
    "deadline",
    "jitter",
    "phase",
    "interval",
    "sendtype",
    "repetition",
    "frequency",
    "latency",
    "samplepoint",
    "timing",
];

/// Words of an enumeration that say that an attribute is about when a message is sent.
const OF_SENDING: [&str; 5] = ["cyclic", "periodic", "spontan", "onchange", "event"];

/// An attribute of one kind of objects: its value for each, its default, and its words if it has
/// any.
pub(super) struct Attribute<'a, K> {
    values: HashMap<K, &'a AttributeValue>,
    default: Option<&'a AttributeValue>,
    words: &'a [String],
}

/// An attribute that touches timing and is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood {
    /// Its name.
    pub name: String,
    /// The number of objects with a value of it.
    pub values: usize,
    /// Its default, as the file writes it.
    pub default: Option<String>,
}

impl<'a> Attribute<'a, MessageId> {
    /// Reads an attribute of messages.
    pub(super) fn of_messages(dbc: &'a Dbc, name: &str) -> Self {
        let values = dbc.attribute_values_message.iter();
        let own = values.filter(|value| is_named(&value.name, name));
        Attribute {
            values: own.map(|value| (value.message_id, &value.value)).collect(),
            ..Attribute::common(dbc, name, |one| {
                matches!(one, AttributeDefinition::Message(..))
            })
        }
    }
}

impl<'a> Attribute<'a, &'a str> {
    /// Reads an attribute of nodes.
    pub(super) fn of_nodes(dbc: &'a Dbc, name: &str) -> Self {
        let values = dbc.attribute_values_node.iter();
        let own = values.filter(|value| is_named(&value.name, name));
        Attribute {
            values: own
                .map(|value| (value.node_name.as_str(), &value.value))
                .collect(),
            ..Attribute::common(dbc, name, |one| {
                matches!(one, AttributeDefinition::Node(..))
            })
        }
    }
}

impl<'a> Attribute<'a, ()> {
    /// Reads an attribute of the network.
    pub(super) fn of_network(dbc: &'a Dbc, name: &str) -> Self {
        let values = dbc.attribute_values_database.iter();
        let own = values.filter(|value| is_named(&value.name, name));
        Attribute {
            values: own.map(|value| ((), &value.value)).collect(),
            ..Attribute::common(dbc, name, |one| {
                matches!(one, AttributeDefinition::Plain(..))
            })
        }
    }
}

impl<'a, K: Eq + Hash> Attribute<'a, K> {
    fn common(dbc: &'a Dbc, name: &str, is_of: impl Fn(&AttributeDefinition) -> bool) -> Self {
        let own = |one: &&AttributeDefinition| is_named(defined(one).0, name) && is_of(one);
        let definition = dbc.attribute_definitions.iter().find(own);
        let words = match definition.map(|one| defined(one).1) {
            Some(AttributeValueType::Enum(words)) => words.as_slice(),
            _ => &[],
        };
        let mut defaults = dbc.attribute_defaults.iter();
        Attribute {
            values: HashMap::new(),
            default: defaults
                .find(|default| is_named(&default.name, name))
                .map(|default| &default.value),
            words,
        }
    }

    /// Returns true if the object has a value of its own.
    pub(super) fn is_stated(&self, of: &K) -> bool {
        self.values.contains_key(of)
    }

    fn value(&self, of: &K) -> Option<&'a AttributeValue> {
        self.values.get(of).copied().or(self.default)
    }

    /// Returns the value as a number; text counts if it is one.
    pub(super) fn number(&self, of: &K) -> Option<f64> {
        number(self.value(of)?)
    }

    /// Returns true if an enumeration defines what the numbers mean.
    pub(super) fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns the word of an enumeration, which stands as text or as its index.
    pub(super) fn text(&self, of: &K) -> Option<&'a str> {
        let index = match self.value(of)? {
            AttributeValue::String(text) => return Some(text),
            AttributeValue::Uint(index) => usize::try_from(*index).ok()?,
            AttributeValue::Int(index) => usize::try_from(*index).ok()?,
            AttributeValue::Double(_) => return None,
        };
        self.words.get(index).map(String::as_str)
    }
}

/// Returns the attributes that touch timing by their names or words, have a value or a default that
/// says something, and are not [`UNDERSTOOD`].
pub(super) fn not_understood(dbc: &Dbc) -> Vec<NotUnderstood> {
    let mut found: Vec<NotUnderstood> = Vec::new();
    for definition in &dbc.attribute_definitions {
        let (name, kind) = defined(definition);
        let is_known = UNDERSTOOD.iter().any(|(known, _)| is_named(name, known));
        if is_known || !touches_timing(name, kind) || found.iter().any(|one| one.name == name) {
            continue;
        }
        let default = dbc.attribute_defaults.iter().find(|one| one.name == name);
        let values = count(dbc, name);
        if values > 0 || default.is_some_and(|one| says_something(&one.value)) {
            found.push(NotUnderstood {
                name: name.to_owned(),
                values,
                default: default.map(|one| written(&one.value)),
            });
        }
    }
    found
}

fn count(dbc: &Dbc, name: &str) -> usize {
    let of_network = dbc.attribute_values_database.iter().map(|one| &one.name);
    let of_nodes = dbc.attribute_values_node.iter().map(|one| &one.name);
    let of_messages = dbc.attribute_values_message.iter().map(|one| &one.name);
    let of_signals = dbc.attribute_values_signal.iter().map(|one| &one.name);
    let all = of_network
        .chain(of_nodes)
        .chain(of_messages)
        .chain(of_signals);
    all.filter(|one| *one == name).count()
}

fn touches_timing(name: &str, kind: &AttributeValueType) -> bool {
    // A layer is no delay: NodeLayerModules.
    let name = name.to_ascii_lowercase().replace("layer", "");
    if OF_TIME.iter().any(|part| name.contains(part)) {
        return true;
    }
    let AttributeValueType::Enum(words) = kind else {
        return false;
    };
    words.iter().any(|word| {
        let word = word.to_ascii_lowercase();
        OF_SENDING.iter().any(|part| word.contains(part))
    })
}

/// Returns false for zero, for no text, and for words such as `NoSigSendType`.
fn says_something(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::String(text) => {
            let text = text.to_ascii_lowercase();
            let is_none = ["", "0", "none", "never"].contains(&text.as_str());
            !is_none && !text.starts_with("no") && !text.starts_with("unused")
        }
        other => number(other).is_some_and(|number| number != 0.0),
    }
}

fn defined(definition: &AttributeDefinition) -> (&str, &AttributeValueType) {
    match definition {
        AttributeDefinition::Message(name, kind)
        | AttributeDefinition::Node(name, kind)
        | AttributeDefinition::Signal(name, kind)
        | AttributeDefinition::EnvironmentVariable(name, kind)
        | AttributeDefinition::Plain(name, kind) => (name, kind),
    }
}

fn number(value: &AttributeValue) -> Option<f64> {
    match value {
        AttributeValue::Uint(number) => Some(*number as f64),
        AttributeValue::Int(number) => Some(*number as f64),
        AttributeValue::Double(number) => Some(*number),
        AttributeValue::String(text) => text.trim().parse().ok(),
    }
}

fn written(value: &AttributeValue) -> String {
    match value {
        AttributeValue::Uint(number) => number.to_string(),
        AttributeValue::Int(number) => number.to_string(),
        AttributeValue::Double(number) => number.to_string(),
        AttributeValue::String(text) => text.clone(),
    }
}

/// Tools differ in the case of letters: `BaudRate`, `Baudrate`.
fn is_named(found: &str, name: &str) -> bool {
    found.eq_ignore_ascii_case(name)
}
