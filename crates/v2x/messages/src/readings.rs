//! A message whose release is not known is read under each.

use serde_json::Value;
use waywarden_v2x_wire::WireError;

use crate::catalogue::Message;

/// Readings of bytes as a kind of message.
#[derive(Clone, Debug, PartialEq)]
pub struct Readings {
    /// Releases under which all bytes could be read, with what was read.
    pub read: Vec<(Message, Value)>,
    /// The others, each with its first fault.
    pub refused: Vec<(Message, WireError)>,
}

impl Readings {
    /// Returns true if several releases can be read and say the same.
    #[must_use]
    pub fn are_alike(&self) -> bool {
        self.read.windows(2).all(|two| match two {
            [(_, one), (_, other)] => one == other,
            _ => true,
        })
    }
}

/// Reads bytes as each release of a kind of message.
#[must_use]
pub fn read_all(kind: &str, bytes: &[u8]) -> Readings {
    let mut readings = Readings {
        read: Vec::new(),
        refused: Vec::new(),
    };
    for message in Message::of_kind(kind) {
        match message.read(bytes) {
            Ok(value) => readings.read.push((message, value)),
            Err(fault) => readings.refused.push((message, fault)),
        }
    }
    readings
}
