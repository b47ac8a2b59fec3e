//! Message matrices from DBC files: who sends which frame, how long it is, who hears it, how often.
//!
//! [`import`] reads the part of a DBC file that a bus needs, [`SignalMatrix`] the signals in its
//! messages. `waywarden-vehicle-file` writes a matrix as a vehicle file to go on from. The grammar
//! is that of the `can-dbc` crate; what is checked besides, and what each attribute means
//! ([`UNDERSTOOD`]), is here.
//!
//! A statement that does not follow the grammar, and a message that no bus can carry, cost only
//! themselves: [`Matrix::skipped`] lists them.

#![forbid(unsafe_code)]

mod attributes;
mod read;
mod scan;
mod signals;
mod statements;
mod timing;
mod write;

use std::borrow::Cow;
use std::fmt;

use waywarden_can::Id;
use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

pub use attributes::{NotUnderstood, UNDERSTOOD};
pub use read::{import, import_with};
pub use signals::{DbcSignal, MessageSignals, Number, SignalMatrix, SignalValue};
pub use timing::SendType;
pub use write::{Rewritten, encode, rewrite, to_text};

/// The longest DBC text that is looked at, in bytes.
pub const TEXT_MAX: usize = 32 << 20;

/// The longest message: what the transport protocol of SAE J1939 carries, in bytes.
pub const LENGTH_MAX: u64 = 1_785;

/// Stands where no node is meant.
const NO_NODE: &str = "Vector__XXX";

/// The pseudo message that holds signals without a message.
const NO_MESSAGE: &str = "VECTOR__INDEPENDENT_SIG_MSG";

/// The part of a DBC file that concerns the bus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The nodes, as they are listed.
    pub nodes: Vec<String>,
    /// The messages, in the order of the file.
    pub messages: Vec<DbcMessage>,
    /// The messages that no bus can carry, and the statements that are none: they are left out.
    pub skipped: Vec<SkippedStatement>,
    /// The nominal bit rate, where the file has one (`Baudrate`).
    pub bit_rate: Option<BitRate>,
    /// The bit rate of the data phase, where the file has one (`BaudrateCANFD`).
    pub data_bit_rate: Option<BitRate>,
    /// The attributes that touch timing and that the import does not understand.
    pub not_understood: Vec<NotUnderstood>,
    /// Whatever else of the network's attributes is taken otherwise than written.
    pub remarks: Vec<String>,
}

/// Choices that a DBC file leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Takes identifiers above 11 bits that lack bit 31 as 29 bits; without it their messages are
    /// skipped.
    pub unflagged_are_extended: bool,
}

/// A frame format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFormat {
    /// Classic CAN.
    Classic,
    /// CAN FD.
    Fd {
        /// BRS: the data phase runs at the data bit rate.
        bit_rate_switch: bool,
    },
}

/// A part of a DBC file that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedStatement {
    /// The message with its name, or the statement as far as it is shown.
    pub what: String,
    /// The reason.
    pub error: DbcError,
}

/// A message of a DBC file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbcMessage {
    /// Its name, the long one where the file has one.
    pub name: String,
    /// Its identifier.
    pub id: Id,
    /// Its length in bytes; above 64 it is carried by a transport protocol, not by one frame.
    pub length: usize,
    /// Its frame format. CAN FD where the file says so, and where it is longer than 8 bytes and no
    /// longer than 64.
    pub format: MessageFormat,
    /// True if the file says that SAE J1939 carries it: above 8 bytes by its transport protocol.
    pub is_j1939: bool,
    /// Its senders, the main transmitter first; more than one where variants of the car differ.
    pub senders: Vec<String>,
    /// The nodes that hear any of its signals.
    pub receivers: Vec<String>,
    /// Its way of being sent.
    pub send_type: SendType,
    /// Its period, where the file has one.
    pub cycle_time: Option<Duration>,
    /// Its period while it is active, where that differs.
    pub fast_cycle_time: Option<Duration>,
    /// The least time between two instances, where the file has one.
    pub minimum_distance: Option<Duration>,
    /// The time from its sender's start to its first instance, where the file has one.
    pub start_delay: Option<Duration>,
    /// Whatever a reader has to know of its timing and format besides.
    pub remarks: Vec<String>,
}

/// A fault of a DBC file.
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
        /// The form that belongs there.
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

    /// Returns true for a number that would be an identifier of 29 bits with bit 31 set: see
    /// [`ReadOptions::unflagged_are_extended`].
    #[must_use]
    pub const fn may_be_extended(&self) -> bool {
        match self {
            DbcError::Id { raw, .. } => scan::fits_29_bits(*raw),
            _ => false,
        }
    }
}

/// Prints what is skipped and why, without the line.
impl fmt::Display for SkippedStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is skipped: {}", self.what, self.error)
    }
}

/// Prints what is wrong and what would be right, without the line.
impl fmt::Display for DbcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DbcError::TextTooLong(length) => {
                write!(
                    f,
                    "{length} bytes are too many for a DBC file (at most {TEXT_MAX}); export \
                     each bus for itself"
                )
            }
            DbcError::Message { .. } => write!(
                f,
                "not a message; a message is `BO_ <identifier> <name>: <bytes> <sender>`"
            ),
            DbcError::Id { raw, .. } => {
                write!(
                    f,
                    "{raw} is no identifier; 11 bits are 0 to 2047, 29 bits are 2147483648 (bit 31 \
                     set) to 2684354559"
                )?;
                match self.may_be_extended() {
                    true => write!(f, "; without bit 31 it may be meant as 29 bits"),
                    false => Ok(()),
                }
            }
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
                write!(f, "not DBC: {expected}")
            }
        }
    }
}

impl std::error::Error for DbcError {}

impl Matrix {
    /// Returns true if any message is CAN FD.
    #[must_use]
    pub fn has_fd(&self) -> bool {
        let is_fd = |message: &DbcMessage| message.format != MessageFormat::Classic;
        self.messages.iter().any(is_fd)
    }

    /// Returns what of the file's timing is ignored or taken otherwise than written, a sentence
    /// each; those of single messages are in [`DbcMessage::remarks`].
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let unknown = self.not_understood.iter().map(ToString::to_string);
        unknown.chain(self.remarks.iter().cloned()).collect()
    }
}

/// Prints what is ignored of the attribute.
impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotUnderstood {
            name,
            values,
            default,
        } = self;
        write!(f, "attribute {name} touches timing and is not understood: ")?;
        match (values, default) {
            (0, Some(default)) => write!(f, "its default {default} is ignored"),
            (1, _) => f.write_str("its value is ignored"),
            (values, _) => write!(f, "its {values} values are ignored"),
        }
    }
}
