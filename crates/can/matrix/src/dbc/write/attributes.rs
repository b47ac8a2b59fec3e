//! Timing, frame formats, bit rates and long names as attributes, those that the reader of DBC
//! files understands.

use can_dbc::{
    AttributeDefault, AttributeDefinition, AttributeValue, AttributeValueForDatabase,
    AttributeValueForMessage, AttributeValueForNode, AttributeValueForSignal, AttributeValueType,
    Dbc, MessageId, NumericValue,
};
use waywarden_can_dbc::{MessageFormat, SendType};
use waywarden_work::Duration;

use super::{Writer, message_id, names};
use crate::{Cluster, MatrixMessage};

/// Words of `VFrameFormat`, as Vector's editor has them.
const FRAME_FORMATS: [&str; 16] = [
    "StandardCAN",
    "ExtendedCAN",
    "reserved",
    "J1939PG",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "StandardCAN_FD",
    "ExtendedCAN_FD",
];

/// Words of `GenMsgSendType`.
const SEND_TYPES: [&str; 5] = [
    "Cyclic",
    "Spontaneous",
    "CyclicAndSpontaneous",
    "CyclicIfActive",
    "NoMsgSendType",
];

/// The longest time of an attribute, in ms: a day.
const TIME_MAX: u64 = 86_400_000;

/// A time of a message, where the file has it.
type TimeOf = fn(&MatrixMessage) -> Option<Duration>;

/// Times of messages by their attributes.
const TIMES: [(&str, TimeOf); 4] = [
    ("GenMsgCycleTime", |message| message.cycle_time),
    ("GenMsgCycleTimeFast", |message| message.fast_cycle_time),
    ("GenMsgDelayTime", |message| message.minimum_distance),
    ("GenMsgStartDelayTime", |message| message.start_delay),
];

/// Adds the attributes of a bus.
pub(super) fn add(writer: &mut Writer, cluster: &Cluster) {
    let dbc = &mut writer.dbc;
    network(dbc, cluster);
    for (name, time_of) in TIMES {
        times(dbc, cluster, (name, time_of));
    }
    let is_sent_otherwise = |message: &MatrixMessage| message.send_type != SendType::Cyclic;
    if cluster.messages.iter().any(is_sent_otherwise) {
        enumeration(dbc, "GenMsgSendType", &SEND_TYPES);
        of_messages(dbc, cluster, "GenMsgSendType", |message| {
            Some(AttributeValue::Uint(send_type(message.send_type)))
        });
    }
    let is_special =
        |message: &MatrixMessage| message.format != MessageFormat::Classic || message.is_j1939;
    if cluster.messages.iter().any(is_special) {
        enumeration(dbc, "VFrameFormat", &FRAME_FORMATS);
        of_messages(dbc, cluster, "VFrameFormat", |message| {
            Some(AttributeValue::Uint(frame_format(message)))
        });
    }
    let kept_rate = MessageFormat::Fd {
        bit_rate_switch: false,
    };
    if cluster.messages.iter().any(|one| one.format == kept_rate) {
        let kind = AttributeValueType::Int(NumericValue::Uint(0), NumericValue::Uint(1));
        define(
            dbc,
            AttributeDefinition::Message("CANFD_BRS".to_owned(), kind),
            ("CANFD_BRS", AttributeValue::Uint(1)),
        );
        of_messages(dbc, cluster, "CANFD_BRS", |message| {
            (message.format == kept_rate).then_some(AttributeValue::Uint(0))
        });
    }
    long_names(writer);
}

/// Adds the name of the bus, its kind and its bit rates.
fn network(dbc: &mut Dbc, cluster: &Cluster) {
    let text = AttributeValueType::String;
    let kind = if cluster.has_fd() { "CAN FD" } else { "CAN" };
    let name = cluster.name.as_deref().map(names::quotable);
    for (attribute, value) in [("BusType", Some(kind.to_owned())), ("DBName", name)] {
        if let Some(value) = value {
            define(
                dbc,
                AttributeDefinition::Plain(attribute.to_owned(), text.clone()),
                (attribute, AttributeValue::String(String::new())),
            );
            of_network(dbc, attribute, AttributeValue::String(value));
        }
    }
    let rates = [
        ("Baudrate", cluster.bit_rate),
        ("BaudrateCANFD", cluster.data_bit_rate),
    ];
    for (name, rate) in rates {
        if let Some(rate) = rate {
            let most = NumericValue::Uint(u32::MAX.into());
            let kind = AttributeValueType::Int(NumericValue::Uint(0), most);
            define(
                dbc,
                AttributeDefinition::Plain(name.to_owned(), kind),
                (name, AttributeValue::Uint(0)),
            );
            let bits = rate.bits_per_second().into();
            of_network(dbc, name, AttributeValue::Uint(bits));
        }
    }
}

/// Adds a time of messages; a fraction of a millisecond makes its attribute a float.
fn times(dbc: &mut Dbc, cluster: &Cluster, (name, time_of): (&str, TimeOf)) {
    const MILLISECOND: u64 = 1_000_000;
    let mut nanos = cluster.messages.iter().filter_map(time_of);
    let (mut is_any, mut is_whole) = (false, true);
    for time in &mut nanos {
        is_any = true;
        is_whole &= time.as_nanos().is_multiple_of(MILLISECOND);
    }
    if !is_any {
        return;
    }
    let (least, most) = (NumericValue::Uint(0), NumericValue::Uint(TIME_MAX));
    let kind = match is_whole {
        true => AttributeValueType::Int(least, most),
        false => AttributeValueType::Float(least, most),
    };
    define(
        dbc,
        AttributeDefinition::Message(name.to_owned(), kind),
        (name, AttributeValue::Uint(0)),
    );
    of_messages(dbc, cluster, name, |message| {
        let nanos = time_of(message)?.as_nanos();
        Some(match nanos.is_multiple_of(MILLISECOND) {
            true => AttributeValue::Uint(nanos / MILLISECOND),
            false => AttributeValue::Double(nanos as f64 / MILLISECOND as f64),
        })
    });
}

fn long_names(writer: &mut Writer) {
    let empty = || AttributeValue::String(String::new());
    if !writer.long_nodes.is_empty() {
        let name = "SystemNodeLongSymbol";
        define(
            &mut writer.dbc,
            AttributeDefinition::Node(name.to_owned(), AttributeValueType::String),
            (name, empty()),
        );
    }
    for (node_name, long) in &writer.long_nodes {
        writer
            .dbc
            .attribute_values_node
            .push(AttributeValueForNode {
                name: "SystemNodeLongSymbol".to_owned(),
                node_name: node_name.clone(),
                value: AttributeValue::String(names::quotable(long)),
            });
    }
    if !writer.long_messages.is_empty() {
        let name = "SystemMessageLongSymbol";
        define(
            &mut writer.dbc,
            AttributeDefinition::Message(name.to_owned(), AttributeValueType::String),
            (name, empty()),
        );
    }
    for (id, long) in &writer.long_messages {
        let value = AttributeValue::String(names::quotable(long));
        of_message(&mut writer.dbc, "SystemMessageLongSymbol", *id, value);
    }
    if !writer.long_signals.is_empty() {
        let name = "SystemSignalLongSymbol";
        define(
            &mut writer.dbc,
            AttributeDefinition::Signal(name.to_owned(), AttributeValueType::String),
            (name, empty()),
        );
    }
    for (message_id, signal_name, long) in &writer.long_signals {
        writer
            .dbc
            .attribute_values_signal
            .push(AttributeValueForSignal {
                name: "SystemSignalLongSymbol".to_owned(),
                message_id: *message_id,
                signal_name: signal_name.clone(),
                value: AttributeValue::String(names::quotable(long)),
            });
    }
}

fn define(dbc: &mut Dbc, definition: AttributeDefinition, (name, value): (&str, AttributeValue)) {
    dbc.attribute_definitions.push(definition);
    dbc.attribute_defaults.push(AttributeDefault {
        name: name.to_owned(),
        value,
    });
}

fn enumeration(dbc: &mut Dbc, name: &str, words: &[&str]) {
    let first = words.first().copied().unwrap_or_default().to_owned();
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    define(
        dbc,
        AttributeDefinition::Message(name.to_owned(), AttributeValueType::Enum(words)),
        (name, AttributeValue::String(first)),
    );
}

fn of_network(dbc: &mut Dbc, name: &str, value: AttributeValue) {
    dbc.attribute_values_database
        .push(AttributeValueForDatabase {
            name: name.to_owned(),
            value,
        });
}

fn of_messages(
    dbc: &mut Dbc,
    cluster: &Cluster,
    name: &str,
    value: impl Fn(&MatrixMessage) -> Option<AttributeValue>,
) {
    for message in &cluster.messages {
        if let Some(value) = value(message) {
            of_message(dbc, name, message_id(message.id), value);
        }
    }
}

fn of_message(dbc: &mut Dbc, name: &str, message_id: MessageId, value: AttributeValue) {
    dbc.attribute_values_message.push(AttributeValueForMessage {
        name: name.to_owned(),
        message_id,
        value,
    });
}

/// Returns the index of a word in [`SEND_TYPES`].
const fn send_type(send_type: SendType) -> u64 {
    match send_type {
        SendType::Cyclic => 0,
        SendType::Event => 1,
        SendType::CyclicAndEvent => 2,
        SendType::WhileActive => 3,
        SendType::Unstated => 4,
    }
}

/// Returns the index of a word in [`FRAME_FORMATS`].
const fn frame_format(message: &MatrixMessage) -> u64 {
    match (message.format, message.is_j1939, message.id.is_extended()) {
        (_, true, _) => 3,
        (MessageFormat::Classic, _, false) => 0,
        (MessageFormat::Classic, _, true) => 1,
        (MessageFormat::Fd { .. }, _, false) => 14,
        (MessageFormat::Fd { .. }, _, true) => 15,
    }
}
