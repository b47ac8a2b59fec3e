//! A stream as one ECU handles it, and the forgeries that attackers make of it.

use waywarden_can::node::Port;
use waywarden_can::{Frame, Id};
use waywarden_can_auth::paired::WireForm;
use waywarden_can_sim::random::Random;

use crate::nodes::forged::frame;
use waywarden_vehicle_file::{FrameFormat, Protection};

/// A stream as one ECU handles it.
#[derive(Clone, Debug)]
pub struct Handled {
    /// Its place in the vehicle file.
    pub stream: usize,
    /// Port by which it comes or goes.
    pub port: Port,
    /// Identifier of its messages.
    pub id: Id,
    /// Frame format of its messages.
    pub format: FrameFormat,
    /// Payload length in bytes.
    pub length: u8,
    /// Protection of its messages.
    pub protection: Protection,
}

impl Handled {
    /// Returns true if a frame carries a message of the stream: no tag, question or answer.
    #[must_use]
    pub fn carries(&self, frame: &Frame) -> bool {
        match (self.protection, self.id, frame.id()) {
            // The command of a message is 0.
            (Protection::Paired(WireForm::Leia), Id::Standard(own), Id::Extended(id)) => {
                id.base() == own.raw() && id.raw() >> 16 & 3 == 0
            }
            (Protection::Paired(WireForm::Leia), ..) => false,
            (_, own, id) => own == id,
        }
    }

    /// A message with a payload that an attacker makes up.
    pub(super) fn message(&self, random: &mut Random) -> Option<(Port, Frame)> {
        let frame = frame(self.id, self.format, &bytes(random, self.length)).ok()?;
        Some((self.port, frame))
    }

    /// The frames of a message as they look on the bus, with a payload and a tag made up, and this
    /// counter where frames show one.
    pub(in crate::nodes) fn frames(&self, random: &mut Random, counter: u16) -> Vec<(Port, Frame)> {
        let length = self.protection.wire_length(self.length, self.format);
        let data = bytes(random, length.unwrap_or(self.length));
        let id = match (self.protection, self.id) {
            (Protection::Paired(WireForm::Leia), Id::Standard(id)) => leia_id(id.raw(), 0, counter),
            _ => Some(self.id),
        };
        let data = id.and_then(|id| frame(id, self.format, &data).ok());
        let tag = match self.protection {
            Protection::Paired(_) | Protection::Separate { .. } => self.tag(random, counter),
            _ => None,
        };
        let made = data.into_iter().chain(tag);
        made.map(|frame| (self.port, frame)).collect()
    }

    /// A frame that looks like a tag of two-frame protocols.
    pub(in crate::nodes) fn tag(&self, random: &mut Random, counter: u16) -> Option<Frame> {
        if let Protection::Separate { id, bytes: length } = self.protection {
            return frame(id, self.format, &bytes(random, length)).ok();
        }
        let Id::Standard(id) = self.id else {
            return None;
        };
        let above = id.raw() | 1;
        let id = match self.protection {
            Protection::Paired(WireForm::Leia) => leia_id(above, 1, counter),
            _ => Id::standard(above).ok(),
        };
        Frame::classic(id?, &bytes(random, 8)).ok()
    }

    /// Returns true if a frame is the tag of a message of the stream.
    pub(in crate::nodes) fn is_tag(&self, frame: &Frame) -> bool {
        match (self.protection, self.id, frame.id()) {
            (Protection::Paired(WireForm::Leia), Id::Standard(own), Id::Extended(id)) => {
                id.base() == own.raw() | 1 && id.raw() >> 16 & 3 == 1
            }
            (Protection::Paired(WireForm::Vatican), Id::Standard(own), Id::Standard(id)) => {
                id.raw() == own.raw() | 1
            }
            (Protection::Separate { id: own, .. }, _, id) => own == id,
            _ => false,
        }
    }
}

/// A 29-bit identifier of LeiA's: 11 bits, a command of two, a counter.
pub(in crate::nodes) fn leia_id(base: u16, command: u32, counter: u16) -> Option<Id> {
    Id::extended(u32::from(base) << 18 | command << 16 | u32::from(counter)).ok()
}

pub(in crate::nodes) fn bytes(random: &mut Random, length: u8) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < usize::from(length) {
        bytes.extend(random.next_u64().to_le_bytes());
    }
    bytes.truncate(length.into());
    bytes
}
