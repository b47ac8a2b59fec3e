//! All messages that have a layout.

use core::fmt;
use std::sync::LazyLock;

use serde_json::Value;
use waywarden_v2x_wire::coer::{Silent, Visitor};
use waywarden_v2x_wire::{ParseFault, WireError};

use crate::error::ValueError;
use crate::layout::{Layouts, Open, Root, Shape};
use crate::read::LayoutFit;
use crate::write::Constraints;
use crate::{example, notation, read, write};

/// Files of layouts: name and texts. Of several texts the last has the messages, and the types
/// that differ from those of the others.
pub(crate) const FILES: [(&str, &[&str]); 7] = [
    ("release1", &[RELEASE_1]),
    ("is1", &[INFRASTRUCTURE_1]),
    ("cpm1", &[include_str!("../layouts/cpm1.layout")]),
    (
        "protocol1",
        &[RELEASE_1, include_str!("../layouts/protocol1.layout")],
    ),
    ("release2", &[include_str!("../layouts/release2.layout")]),
    (
        "is2",
        &[INFRASTRUCTURE_1, include_str!("../layouts/is2.layout")],
    ),
    ("j2735", &[include_str!("../layouts/j2735.layout")]),
];

const RELEASE_1: &str = include_str!("../layouts/release1.layout");
const INFRASTRUCTURE_1: &str = include_str!("../layouts/is1.layout");

/// Ports of BTP \[TS 103 248\].
const PORTS: [(u16, &str); 10] = [
    (2001, "CAM"),
    (2002, "DENM"),
    (2003, "MAPEM"),
    (2004, "SPATEM"),
    (2006, "IVIM"),
    (2007, "SREM"),
    (2008, "SSEM"),
    (2009, "CPM"),
    (2013, "RTCMEM"),
    (2018, "VAM"),
];

/// Numbers of messages in the header of ETSI ITS \[TS 102 894-2\].
const ITS_NUMBERS: [(&str, u8); 10] = [
    ("DENM", 1),
    ("CAM", 2),
    ("SPATEM", 4),
    ("MAPEM", 5),
    ("IVIM", 6),
    ("SREM", 9),
    ("SSEM", 10),
    ("RTCMEM", 13),
    ("CPM", 14),
    ("VAM", 16),
];

/// Each file is read once, when a message is first looked for. Tests read them all.
static MESSAGES: LazyLock<Vec<Message>> = LazyLock::new(|| {
    let files = FILES
        .iter()
        .filter_map(|(_, text)| notation::parse(text).ok());
    files.flat_map(messages).collect()
});

fn messages(layouts: Layouts) -> Vec<Message> {
    // They live as long as the program.
    let layouts: &'static Layouts = Box::leak(Box::new(layouts));
    let roots = layouts.messages.iter();
    roots.map(|root| Message { layouts, root }).collect()
}

/// A message of a standard, in one of its releases.
#[derive(Clone, Copy)]
pub struct Message {
    layouts: &'static Layouts,
    root: &'static Root,
}

impl Message {
    /// Returns all messages that have a layout.
    pub fn all() -> impl Iterator<Item = Self> {
        MESSAGES.iter().copied()
    }

    /// Returns the messages of a kind, as `CAM` or `J2735-MessageFrame`, whose letters may be of
    /// either case: one for each layout, the newest of a release first.
    pub fn of_kind(kind: &str) -> impl Iterator<Item = Self> {
        Self::all().filter(move |one| one.kind().eq_ignore_ascii_case(kind))
    }

    /// Returns its kind, as `CAM`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.root.kind
    }

    /// Returns the release of ETSI ITS, 1 or 2; `None` for SAE J2735.
    #[must_use]
    pub fn release(&self) -> Option<u8> {
        Some(self.root.release).filter(|release| *release != 0)
    }

    /// Returns the version of the protocol in the header of ETSI ITS; `None` for SAE J2735.
    #[must_use]
    pub fn protocol(&self) -> Option<u8> {
        self.root.protocol
    }

    /// Returns the standard and its version.
    #[must_use]
    pub fn standard(&self) -> &'static str {
        self.root.standard
    }

    /// Returns true if the layout has the content of messages with this number in their frame. Of
    /// others it keeps the bytes, and they may be of any edition of the standard.
    #[must_use]
    pub fn has_content_of(&self, number: i64) -> bool {
        let content = self.content();
        content.is_none_or(|open| open.of(Some(number)).is_some())
    }

    /// Returns the number in a frame of which the layout has no content; `None` if it has it.
    pub(crate) fn number_without_content(&self, value: &Value) -> Option<i64> {
        let number = value.get(self.content()?.by)?.as_i64()?;
        (!self.has_content_of(number)).then_some(number)
    }

    /// Returns the content of a message that is a frame.
    fn content(&self) -> Option<&'static Open> {
        let types = &self.layouts.types;
        let Shape::Sequence(root) = &types.get(self.root.of_type)?.shape else {
            return None;
        };
        root.fields.iter().find_map(|field| {
            let Shape::Open(open) = &types.get(field.of_type)?.shape else {
                return None;
            };
            Some(open)
        })
    }

    /// Returns the number of this kind in the header of ETSI ITS; `None` for SAE J2735.
    fn number(&self) -> Option<u8> {
        let mut numbers = ITS_NUMBERS.iter();
        let number = numbers.find(|(kind, _)| *kind == self.kind());
        number.map(|(_, number)| *number)
    }

    /// Returns a value to begin with: all that is required, zeros where they are allowed, and the
    /// header of the kind.
    #[must_use]
    pub fn example(&self) -> Value {
        let mut value = example::least(self.layouts, self.root.of_type);
        if let (Some(number), Some(header)) = (self.number(), value.get_mut("header")) {
            for (field, value) in header.as_object_mut().into_iter().flatten() {
                match field.as_str() {
                    "protocolVersion" => *value = self.protocol().into(),
                    "messageID" | "messageId" => *value = number.into(),
                    _ => {}
                }
            }
        }
        value
    }

    /// Reads a message that fills all of `bytes`, but for the bits that fill its last byte. Takes
    /// time and memory in proportion to the bytes.
    ///
    /// # Errors
    /// The first fault.
    pub fn read(&self, bytes: &[u8]) -> Result<Value, WireError> {
        self.read_with(bytes, &mut Silent)
    }

    /// Reads a message and shows each part to a visitor.
    ///
    /// # Errors
    /// As in [`Message::read`]. The visitor has seen what stands before the fault.
    pub fn read_with<V: Visitor>(&self, bytes: &[u8], visitor: &mut V) -> Result<Value, WireError> {
        self.read_fit(bytes, visitor).map(|(value, _)| value)
    }

    /// Reads a message; tells how the layout fits, too.
    pub(crate) fn read_fit<V: Visitor>(
        &self,
        bytes: &[u8],
        visitor: &mut V,
    ) -> Result<(Value, LayoutFit), WireError> {
        match (self.protocol(), bytes.first()) {
            (Some(expected), Some(&found)) if found != expected => {
                let fault = ParseFault::Version { expected, found };
                Err(WireError {
                    fault,
                    offset: 0,
                    field: "protocolVersion",
                })
            }
            _ => read::read(self.layouts, self.root.of_type, bytes, visitor),
        }
    }

    /// Returns the number of the BTP port under which the message travels in GeoNetworking
    /// \[TS 103 248\]; `None` for SAE J2735.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        let mut ports = PORTS.iter();
        ports
            .find(|(_, kind)| *kind == self.kind())
            .map(|(port, _)| *port)
    }

    /// Returns the kind of message that travels under a BTP port.
    #[must_use]
    pub fn kind_of_port(port: u16) -> Option<&'static str> {
        let mut ports = PORTS.iter();
        ports.find(|(own, _)| *own == port).map(|(_, kind)| *kind)
    }

    /// Writes a message. What was read is written byte for byte, also where it breaks a rule that
    /// UPER does not encode; [`encode`](crate::encode) refuses such a value.
    ///
    /// # Errors
    /// The first part that the message cannot have, with its place and what would be right.
    pub fn write(&self, value: &Value) -> Result<Vec<u8>, ValueError> {
        self.write_under(value, Constraints::Encoded)
    }

    /// Writes a message that keeps all rules of its layout, and has the number of its kind in its
    /// header.
    pub(crate) fn write_whole(&self, value: &Value) -> Result<Vec<u8>, ValueError> {
        let bytes = self.write_under(value, Constraints::All)?;
        match self.other_number(value) {
            Some(fault) => Err(fault),
            None => Ok(bytes),
        }
    }

    /// Returns the fault of a header that has the number of another kind.
    pub(crate) fn other_number(&self, value: &Value) -> Option<ValueError> {
        let (number, header) = (self.number()?, value.get("header")?);
        let mut names = ["messageID", "messageId"].into_iter();
        let (name, given) = names.find_map(|name| Some((name, header.get(name)?)))?;
        if given.as_u64() == Some(number.into()) {
            return None;
        }
        let kind = self.kind();
        let reason = format!("{given} is not the number of a {kind}, which is {number}");
        Some(in_header(reason, name))
    }

    /// Writes a message that keeps these constraints.
    pub(crate) fn write_under(
        &self,
        value: &Value,
        constraints: Constraints,
    ) -> Result<Vec<u8>, ValueError> {
        let given = value.pointer("/header/protocolVersion");
        if let (Some(expected), Some(given)) = (self.protocol(), given)
            && given
                .as_u64()
                .is_some_and(|one| one != u64::from(expected) && one <= 0xFF)
        {
            let reason = format!("{given} is given, and {self} has {expected}");
            return Err(in_header(reason, "protocolVersion"));
        }
        write::write(self.layouts, self.root.of_type, value, constraints)
    }

    #[cfg(test)]
    pub(crate) fn layout(&self) -> (&'static Layouts, usize) {
        (self.layouts, self.root.of_type)
    }
}

fn in_header(reason: String, field: &str) -> ValueError {
    let error = ValueError::new(reason).within(field.to_owned());
    error.within("header".to_owned())
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Message").field(self.root).finish()
    }
}

/// The kind, the release, the standard.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        if let Some(release) = self.release() {
            write!(f, " of release {release}")?;
        }
        write!(f, " ({})", self.standard())
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}
