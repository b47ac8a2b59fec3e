//! A message whose release is not known is read under each.

use serde_json::Value;
use waywarden_v2x_wire::coer::{Silent, Visitor};
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

/// Bytes under a release that was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherReading {
    /// It divides the bits into the same fields: at most names differ.
    Same,
    /// It divides them into other fields.
    Different,
    /// It can be read, with values or additions that this release does not name.
    Partial,
    /// It cannot be read; the first fault.
    Refused(WireError),
}

impl OtherReading {
    /// Says it of a message, in words.
    pub(crate) fn remark(&self, message: &Message) -> String {
        match self {
            Self::Same => format!("{message} divides the bits into the same fields"),
            Self::Different => format!(
                "{message} can be read, too, and divides the bits into other fields: the bytes do \
                 not say which it is"
            ),
            Self::Partial => {
                format!("{message} can be read, with values or additions that it does not name")
            }
            Self::Refused(fault) => format!("not {message}: {fault}"),
        }
    }
}

impl Readings {
    /// Reads bytes as each release of a kind of message.
    #[must_use]
    pub fn of(kind: &str, bytes: &[u8]) -> Self {
        Self::watched(kind, bytes, || Silent).0
    }

    /// Reads bytes as each release of a kind of message, and shows the parts of each reading to a
    /// visitor of its own, also those before a fault. Returns the visitors, too.
    pub fn watched<V: Visitor>(
        kind: &str,
        bytes: &[u8],
        visitor: impl Fn() -> V,
    ) -> (Self, Vec<(Message, V)>) {
        let (mut readings, mut visitors) = (Self::default(), Vec::new());
        for message in Message::of_kind(kind) {
            let mut visitor = visitor();
            match message.read_fit(bytes, &mut visitor) {
                Ok((value, fit)) => readings.read.push(Reading {
                    message,
                    value,
                    fit,
                }),
                Err(fault) => readings.refused.push((message, fault)),
            }
            visitors.push((message, visitor));
        }
        if readings.read.iter().any(|one| !one.fit.has_unknown) {
            let partial = readings.read.extract_if(.., |one| one.fit.has_unknown);
            readings.partial = partial.collect();
        }
        (readings, visitors)
    }

    /// Returns the readings of the other releases beside one. A release whose layout was not tried,
    /// for the header has another version of the protocol, is not among them.
    #[must_use]
    pub fn beside(&self, taken: &Reading) -> Vec<(Message, OtherReading)> {
        let is_other = |one: &&Reading| one.message != taken.message;
        let read = self.read.iter().filter(is_other);
        let read = read.map(|one| match one.is_alike(taken) {
            true => (one.message, OtherReading::Same),
            false => (one.message, OtherReading::Different),
        });
        let partial = self.partial.iter().filter(is_other);
        let partial = partial.map(|one| (one.message, OtherReading::Partial));
        let refused = self.refused.iter().filter(|(_, fault)| !is_version(fault));
        let refused = refused.map(|(one, fault)| (*one, OtherReading::Refused(*fault)));
        read.chain(partial).chain(refused).collect()
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
