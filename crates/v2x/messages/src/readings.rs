//! A message whose release is not known is read under each.

use serde_json::Value;
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::coer::Silent;

use crate::catalogue::Message;

/// Readings of bytes as a kind of message.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    /// Releases under which all bytes could be read.
    pub read: Vec<Reading>,
    /// The others, each with its first fault.
    pub refused: Vec<(Message, WireError)>,
}

/// Bytes read under one release.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The message and its release.
    pub message: Message,
    /// The value as JSON.
    pub value: Value,
    /// End of each leaf, in bits.
    leaves: Vec<usize>,
}

impl Readings {
    /// Reads bytes as each release of a kind of message.
    #[must_use]
    pub fn new(kind: &str, bytes: &[u8]) -> Self {
        let mut readings = Self::default();
        for message in Message::of_kind(kind) {
            match message.read_leaves(bytes, &mut Silent) {
                Ok((value, leaves)) => readings.read.push(Reading {
                    message,
                    value,
                    leaves,
                }),
                Err(fault) => readings.refused.push((message, fault)),
            }
        }
        readings
    }

    /// Returns true if the releases that could be read divide the bits into the same fields: they
    /// differ in names at most.
    #[must_use]
    pub fn are_alike(&self) -> bool {
        self.read
            .windows(2)
            .all(|two| matches!(two, [one, other] if one.leaves == other.leaves))
    }
}
