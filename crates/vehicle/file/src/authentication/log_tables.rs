//! Tables that stand alone: the protected messages of a log, and the source of the key.

use waywarden_can::{Id, StandardId};
use waywarden_can_auth::mac::KEY_LENGTH;
use waywarden_work::Duration;

use crate::model::AuthenticationProtocol;
use crate::place::{Located, Span};

/// Messages of a log that are protected in the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct LogAuthentication {
    /// Its name.
    pub name: Located<String>,
    /// The protocol. SecOC's has neither master nor secured areas here.
    pub protocol: AuthenticationProtocol,
    /// The sender of announcements, where freshness is synchronised.
    pub announcements: Option<Announcements>,
    /// True if classic frames of SecOC become CAN FD frames, which have room for freshness and
    /// code.
    pub widens: bool,
    /// The protected messages.
    pub streams: LogStreams,
    /// Messages that are none of those after all.
    pub except: Vec<LogStream>,
    /// The only channel it is about; none means each of the log, as a bus of its own.
    pub channel: Option<String>,
    /// The key.
    pub key: KeySource,
    /// Messages of SecOC whose data id is not their identifier.
    pub data_ids: Vec<(Id, u16)>,
    /// Their place in the file, if there are any.
    pub(super) data_ids_at: Option<Span>,
}

/// Announcements of trip and reset counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcements {
    /// Their identifier.
    pub id: StandardId,
    /// Time between two announcements.
    pub period: Duration,
}

/// Messages that a table is about.
#[derive(Clone, Debug, PartialEq)]
pub enum LogStreams {
    /// All messages that the protocol can carry.
    All,
    /// The named messages.
    Named(Vec<LogStream>),
}

/// A message that is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogStream {
    /// Its name in the message matrix, else its identifier.
    pub name: String,
    /// Its identifier.
    pub id: Id,
    /// True if it stands for its parameter group of SAE J1939 from any source address: each
    /// identifier is then a stream of its own.
    pub is_of_any_source: bool,
}

/// Source of a key.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The key itself.
    Bytes([u8; KEY_LENGTH]),
    /// A file of its own, whose path is relative to this file's folder.
    File(Located<String>),
}

impl LogAuthentication {
    pub(super) fn is_secoc(&self) -> bool {
        matches!(self.protocol, AuthenticationProtocol::Secoc(_))
    }
}

impl LogStream {
    /// A message without a name goes by its identifier: three digits for 11 bits, eight for 29.
    #[must_use]
    pub fn unnamed(id: Id) -> Self {
        let name = match id {
            Id::Standard(own) => format!("0x{:03X}", own.raw()),
            Id::Extended(own) => format!("0x{:08X}", own.raw()),
        };
        LogStream {
            name,
            id,
            is_of_any_source: false,
        }
    }
}

impl KeySource {
    /// Reads the text of a file with a key: 16 bytes in hexadecimal, with blanks or without.
    #[must_use]
    pub fn read(text: &str) -> Option<[u8; KEY_LENGTH]> {
        crate::quantity::bytes(text.trim())?.try_into().ok()
    }
}

/// Prints the source of a key, never the key.
impl std::fmt::Debug for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeySource::Bytes(_) => f.write_str("Bytes(..)"),
            KeySource::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}
