//! Message matrices from DBC files: who sends which frame, how long it is, who hears it, how often.
//!
//! [`import`] reads the part of a DBC file that a bus needs and leaves the signals' meaning alone;
//! [`Matrix::to_vehicle_toml`] writes it as a vehicle file to go on from. The grammar is that of
//! the `can-dbc` crate; what is checked besides, and what each attribute means, is here. Where the
//! file has no cycle times, [`observed_periods`] takes them from a log.

mod periods;
mod scan;
mod write;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use can_dbc::{AttributeDefinition, AttributeValue, AttributeValueType, Dbc, MessageId};
use waywarden_can::Id;
use waywarden_work::Duration;

pub use periods::observed_periods;
pub use write::Options;

/// The longest DBC text that is looked at, in bytes.
pub const TEXT_MAX: usize = 32 << 20;

/// The longest message: what the transport protocol of SAE J1939 carries, in bytes.
pub const LENGTH_MAX: u64 = 1_785;

/// Stands where no node is meant.
const NO_NODE: &str = "Vector__XXX";

/// The pseudo message that holds signals without a message.
const NO_MESSAGE: &str = "VECTOR__INDEPENDENT_SIG_MSG";

/// The attribute with the cycle time in milliseconds.
const CYCLE_TIME: &str = "GenMsgCycleTime";

/// The attribute with the frame format, an enumeration or its number.
const FRAME_FORMAT: &str = "VFrameFormat";

/// The numbers of `StandardCAN_FD` and `ExtendedCAN_FD` in Vector's enumeration of frame formats.
const FD_FORMATS: [f64; 2] = [14.0, 15.0];

/// What of a DBC file concerns the bus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The nodes, as they are listed.
    pub nodes: Vec<String>,
    /// The messages, in the order of the file.
    pub messages: Vec<Message>,
    /// The messages that no bus can carry and that are left out.
    pub skipped: Vec<SkippedMessage>,
}

/// A message of a DBC file that no bus can carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedMessage {
    /// Its name.
    pub name: String,
    /// Why it is left out: [`DbcError::Id`] or [`DbcError::Length`].
    pub error: DbcError,
}

/// A message of a DBC file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its name.
    pub name: String,
    /// Its identifier.
    pub id: Id,
    /// Its length in bytes; above 64 it is carried by a transport protocol, not by one frame.
    pub length: usize,
    /// Whether it is CAN FD: it says so, or it is longer than 8 bytes and no longer than 64.
    pub is_fd: bool,
    /// Who sends it, the main transmitter first; more than one where variants of the car differ.
    pub senders: Vec<String>,
    /// Who hears any of its signals.
    pub receivers: Vec<String>,
    /// Its cycle time, where the file has one.
    pub cycle_time: Option<Duration>,
}

/// Why a DBC file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DbcError {
    /// The text is longer than [`TEXT_MAX`] bytes.
    TextTooLong(usize),
    /// A line that begins with `BO_` is no message.
    Message {
        /// The line, from 1.
        line: usize,
    },
    /// A number that is no identifier.
    Id {
        /// The line, from 1.
        line: usize,
        /// The number.
        raw: u64,
    },
    /// A message longer than [`LENGTH_MAX`].
    Length {
        /// The line, from 1.
        line: usize,
        /// The length in bytes.
        length: u64,
    },
    /// Two messages with one identifier.
    DuplicateId {
        /// The line, from 1.
        line: usize,
        /// The line of the first one.
        first: usize,
        /// The number.
        raw: u64,
    },
    /// The text does not follow the DBC grammar.
    Grammar {
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// What the grammar expected there.
        expected: String,
    },
}

/// Returns the text of a DBC file, which is UTF-8 or else Windows-1252.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text.trim_start_matches('\u{feff}')),
        Err(_) => can_dbc::decode_cp1252(bytes).unwrap_or(String::from_utf8_lossy(bytes)),
    }
}

/// Reads a message matrix.
///
/// # Errors
/// [`DbcError`], with the line where there is one. A message that no bus can carry is no error: see
/// [`Matrix::skipped`].
pub fn import(text: &str) -> Result<Matrix, DbcError> {
    if text.len() > TEXT_MAX {
        return Err(DbcError::TextTooLong(text.len()));
    }
    let scan = scan::check_messages(text)?;
    let text = scan::with_identifiers(text, scan.free);
    let dbc = Dbc::try_from(text.as_ref()).map_err(|error| scan::grammar_error(&error))?;
    let cycle_times = Attribute::of(&dbc, CYCLE_TIME);
    let frame_formats = Attribute::of(&dbc, FRAME_FORMAT);
    let mut senders: HashMap<MessageId, Vec<&str>> = HashMap::new();
    for listed in &dbc.message_transmitters {
        let names = listed.transmitter.iter().map(String::as_str);
        senders.entry(listed.message_id).or_default().extend(names);
    }
    let mut messages = Vec::new();
    let can_be_sent = |message: &&can_dbc::Message| {
        message.name != NO_MESSAGE && message.id.raw() != scan.free && message.size <= LENGTH_MAX
    };
    for message in dbc.messages.iter().filter(can_be_sent) {
        let main = message.transmitter.iter().map(String::as_str);
        let others = senders.get(&message.id).into_iter().flatten().copied();
        let hearing = message.signals.iter().flat_map(|signal| &signal.receivers);
        let length = usize::try_from(message.size).unwrap_or(usize::MAX);
        let says_fd = frame_formats.is_fd(message.id);
        messages.push(Message {
            name: message.name.clone(),
            id: identifier(message.id)?,
            length,
            is_fd: length <= 64 && (says_fd || length > 8),
            senders: distinct(main.chain(others)),
            receivers: distinct(hearing.map(String::as_str)),
            cycle_time: cycle_times.number(message.id).and_then(milliseconds),
        });
    }
    let nodes = distinct(dbc.nodes.iter().map(|node| node.0.as_str()));
    Ok(Matrix {
        nodes,
        messages,
        skipped: scan.skipped,
    })
}

/// A message attribute: its value for each message, its default, and its words if it has any.
struct Attribute<'a> {
    values: HashMap<MessageId, &'a AttributeValue>,
    default: Option<&'a AttributeValue>,
    words: &'a [String],
}

impl<'a> Attribute<'a> {
    fn of(dbc: &'a Dbc, name: &str) -> Self {
        let words = dbc
            .attribute_definitions
            .iter()
            .find_map(|definition| match definition {
                AttributeDefinition::Message(of, AttributeValueType::Enum(words)) if of == name => {
                    Some(words.as_slice())
                }
                _ => None,
            });
        let of_messages = dbc.attribute_values_message.iter();
        let default = dbc
            .attribute_defaults
            .iter()
            .find(|default| default.name == name);
        Attribute {
            values: of_messages
                .filter(|value| value.name == name)
                .map(|value| (value.message_id, &value.value))
                .collect(),
            default: default.map(|default| &default.value),
            words: words.unwrap_or_default(),
        }
    }

    fn value(&self, of: MessageId) -> Option<&'a AttributeValue> {
        self.values.get(&of).copied().or(self.default)
    }

    fn number(&self, of: MessageId) -> Option<f64> {
        match self.value(of)? {
            AttributeValue::Uint(number) => Some(*number as f64),
            AttributeValue::Int(number) => Some(*number as f64),
            AttributeValue::Double(number) => Some(*number),
            AttributeValue::String(text) => text.parse().ok(),
        }
    }

    /// Whether a frame format is one of CAN FD. An integer without words has Vector's numbers.
    fn is_fd(&self, of: MessageId) -> bool {
        if let Some(word) = self.text(of) {
            return word.ends_with("_FD");
        }
        let number = self.number(of);
        self.words.is_empty() && number.is_some_and(|number| FD_FORMATS.contains(&number))
    }

    /// Returns the word of an enumeration, which stands as text or as its index.
    fn text(&self, of: MessageId) -> Option<&'a str> {
        let index = match self.value(of)? {
            AttributeValue::String(text) => return Some(text),
            AttributeValue::Uint(index) => usize::try_from(*index).ok()?,
            AttributeValue::Int(index) => usize::try_from(*index).ok()?,
            AttributeValue::Double(_) => return None,
        };
        self.words.get(index).map(String::as_str)
    }
}

/// Zero stands for "none"; less than a microsecond or more than a day is no cycle time.
fn milliseconds(number: f64) -> Option<Duration> {
    let nanos = number * 1e6;
    (nanos >= 1e3 && number < 86_400_000.0).then(|| Duration::from_nanos(nanos as u64))
}

/// Turns an identifier that [`scan::check_messages`] has found good into ours.
fn identifier(id: MessageId) -> Result<Id, DbcError> {
    match id {
        MessageId::Standard(raw) => Id::standard(raw),
        MessageId::Extended(raw) => Id::extended(raw),
    }
    .map_err(|error| DbcError::Grammar {
        line: None,
        expected: error.to_string(),
    })
}

/// Drops repetitions and the node that stands for none, keeps the order.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known = HashSet::new();
    names
        .filter(|name| *name != NO_NODE && known.insert(*name))
        .map(str::to_owned)
        .collect()
}

impl DbcError {
    /// Returns the line, from 1, where it is known.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        match self {
            DbcError::TextTooLong(_) => None,
            DbcError::Message { line }
            | DbcError::Id { line, .. }
            | DbcError::Length { line, .. }
            | DbcError::DuplicateId { line, .. } => Some(*line),
            DbcError::Grammar { line, .. } => *line,
        }
    }
}

/// Prints the message and why it is skipped, without the line.
impl fmt::Display for SkippedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {} is skipped: {}", self.name, self.error)
    }
}

/// Prints what is wrong and what would be right, without the line.
impl fmt::Display for DbcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DbcError::TextTooLong(length) => {
                write!(
                    f,
                    "{length} bytes are too many for a DBC file (at most {TEXT_MAX})"
                )
            }
            DbcError::Message { .. } => write!(
                f,
                "not a message; a message is `BO_ <identifier> <name>: <bytes> <sender>`"
            ),
            DbcError::Id { raw, .. } => write!(
                f,
                "{raw} is no identifier; 11 bits are 0 to 2047, 29 bits are 2147483648 (bit 31 \
                 set) to 2684354559"
            ),
            DbcError::Length { length, .. } => write!(
                f,
                "a message of {length} bytes cannot be sent; 64 fit a CAN FD frame, {LENGTH_MAX} \
                 a J1939 transfer"
            ),
            DbcError::DuplicateId { first, raw, .. } => write!(
                f,
                "identifier {raw} belongs to the message of line {first} already; give each \
                 message its own"
            ),
            DbcError::Grammar { expected, .. } => {
                write!(f, "not DBC: {expected}; correct the line or take it out")
            }
        }
    }
}

impl std::error::Error for DbcError {}
