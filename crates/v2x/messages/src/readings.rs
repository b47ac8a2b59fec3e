//! A message whose release is not known is read under each.

use serde_json::Value;
use waywarden_v2x_wire::coer::Silent;
use waywarden_v2x_wire::{ParseFault, WireError};

use crate::catalogue::Message;
use crate::read::LayoutFit;

/// Readings of bytes as a kind of message.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    /// Releases under which all bytes could be read. Where one names every value and addition,
    /// those that do not are in `partial`.
    pub read: Vec<Reading>,
    /// Releases under which all bytes could be read, with values or additions that they do not
    /// name.
    pub partial: Vec<Reading>,
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
    fit: LayoutFit,
}

impl Readings {
    /// Reads bytes as each release of a kind of message.
    #[must_use]
    pub fn of(kind: &str, bytes: &[u8]) -> Self {
        let mut readings = Self::default();
        let of_kind = Message::all().filter(|one| one.kind().eq_ignore_ascii_case(kind));
        for message in of_kind {
            match message.read_fit(bytes, &mut Silent) {
                Ok((value, fit)) => readings.read.push(Reading {
                    message,
                    value,
                    fit,
                }),
                Err(fault) => readings.refused.push((message, fault)),
            }
        }
        if readings.read.iter().any(|one| !one.fit.has_unknown) {
            let partial = readings.read.extract_if(.., |one| one.fit.has_unknown);
            readings.partial = partial.collect();
        }
        readings
    }

    /// Returns true if the releases that could be read divide the bits into the same fields: they
    /// differ in names at most.
    #[must_use]
    pub fn are_alike(&self) -> bool {
        self.read
            .windows(2)
            .all(|two| matches!(two, [one, other] if one.is_alike(other)))
    }

    /// Returns the releases that were tried and refused: those of the version of the protocol in
    /// the header, or all, if there are none.
    pub fn tried(&self) -> impl Iterator<Item = &(Message, WireError)> {
        let is_tried = |(_, fault): &&(Message, WireError)| !is_version(fault);
        let any = self.refused.iter().any(|one| is_tried(&one));
        self.refused.iter().filter(move |one| !any || is_tried(one))
    }
}

impl Reading {
    /// Returns true if another release divides the bits into the same fields.
    #[must_use]
    pub fn is_alike(&self, other: &Self) -> bool {
        self.fit.leaves == other.fit.leaves
    }
}

/// Returns true if a layout was not tried, for its header has another version of the protocol.
#[must_use]
pub fn is_version(fault: &WireError) -> bool {
    matches!(fault.fault, ParseFault::Version { .. })
}
