//! The two ways frames are laid out, and what tags are computed over.

use waywarden_can::{ExtendedId, Frame, FrameError, Id, StandardId};

use super::PairedConnection;

/// The form of a stream's frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireForm {
    /// vatiCAN: 11-bit identifiers; the tag frame is the low byte of the counter and 56 bits of
    /// tag.
    Vatican,
    /// LeiA: 29-bit identifiers, the stream's in front, then two bits of command, then the low 16
    /// bits of the counter; the tag frame is 64 bits of tag.
    Leia,
}

/// The kind of a LeiA frame, from its 29-bit identifier as in \[VULCAN\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Data = 0,
    Tag = 1,
    /// The position of a stream, or a question about it.
    Epoch = 2,
    /// The tag of such a position.
    EpochTag = 3,
}

/// A 29-bit identifier in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) id: StandardId,
    pub(crate) command: Command,
    pub(crate) counter: u16,
}

impl Header {
    pub(crate) const fn new(id: StandardId, command: Command, counter: u16) -> Self {
        Header {
            id,
            command,
            counter,
        }
    }

    pub(crate) fn id(self) -> Id {
        let raw =
            u32::from(self.id.raw()) << 18 | (self.command as u32) << 16 | u32::from(self.counter);
        ExtendedId::new(raw).map_or(Id::Standard(self.id), Id::Extended)
    }

    pub(crate) fn parse(id: ExtendedId) -> Option<Self> {
        let raw = id.raw();
        let command = match raw >> 16 & 3 {
            0 => Command::Data,
            1 => Command::Tag,
            2 => Command::Epoch,
            _ => Command::EpochTag,
        };
        let id = StandardId::new(id.base()).ok()?;
        Some(Header::new(id, command, raw as u16))
    }

    /// Of a frame with a 29-bit identifier and data.
    pub(crate) fn of(frame: &Frame) -> Option<Self> {
        match frame.id() {
            Id::Extended(id) => Self::parse(id),
            Id::Standard(_) => None,
        }
    }
}

/// The position of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPosition {
    /// The epoch of its sender.
    pub epoch: u32,
    /// The counter of the next message.
    pub counter: u32,
}

impl StreamPosition {
    pub(super) const fn to_bytes(self) -> [u8; 8] {
        ((self.counter as u64) << 32 | self.epoch as u64).to_le_bytes()
    }

    pub(super) const fn from_bytes(bytes: [u8; 8]) -> Self {
        let both = u64::from_le_bytes(bytes);
        StreamPosition {
            epoch: both as u32,
            counter: (both >> 32) as u32,
        }
    }
}

/// 48 bits that bind an answer to who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question(pub(super) [u8; 6]);

/// The purposes of a tag: the first byte it is computed over.
const MESSAGE: u8 = 1;
const ANSWER: u8 = 2;

/// Bytes a message's tag is computed over.
pub(super) const MESSAGE_LENGTH: usize = 20;
/// Bytes an answer's tag is computed over.
pub(super) const ANSWER_LENGTH: usize = 17;

/// Purpose, identifier, position, length, payload filled up with zeros.
pub(super) fn message(id: StandardId, at: StreamPosition, payload: &[u8]) -> [u8; MESSAGE_LENGTH] {
    let mut bytes = [0; MESSAGE_LENGTH];
    bytes[0] = MESSAGE;
    bytes[1..3].copy_from_slice(&id.raw().to_le_bytes());
    bytes[3..11].copy_from_slice(&at.to_bytes());
    bytes[11] = payload.len() as u8;
    bytes[12..12 + payload.len()].copy_from_slice(payload);
    bytes
}

/// Purpose, identifier, position, the question.
pub(super) fn answer(
    id: StandardId,
    at: StreamPosition,
    question: Question,
) -> [u8; ANSWER_LENGTH] {
    let mut bytes = [0; ANSWER_LENGTH];
    bytes[0] = ANSWER;
    bytes[1..3].copy_from_slice(&id.raw().to_le_bytes());
    bytes[3..11].copy_from_slice(&at.to_bytes());
    bytes[11..].copy_from_slice(&question.0);
    bytes
}

/// A frame of a stream, as its receiver takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A message, and the low bits of its counter where they travel with it.
    Data { low: Option<u16>, payload: &'a [u8] },
    /// The low bits of the counter and the tag.
    Tag { low: u16, tag: &'a [u8] },
}

impl WireForm {
    /// Returns the number of counter bits in the frames.
    pub(super) const fn counter_bits(self) -> u32 {
        match self {
            WireForm::Vatican => 8,
            WireForm::Leia => 16,
        }
    }

    /// Returns the number of tag bits in the frames.
    pub(super) const fn tag_bits(self) -> usize {
        match self {
            WireForm::Vatican => 56,
            WireForm::Leia => 64,
        }
    }

    pub(super) fn data_frame(
        self,
        connection: &PairedConnection,
        counter: u32,
        payload: &[u8],
    ) -> Result<Frame, FrameError> {
        let id = match self {
            WireForm::Vatican => Id::Standard(connection.id),
            WireForm::Leia => Header::new(connection.id, Command::Data, counter as u16).id(),
        };
        Frame::classic(id, payload)
    }

    pub(super) fn tag_frame(
        self,
        connection: &PairedConnection,
        counter: u32,
        tag: [u8; 8],
    ) -> Result<Frame, FrameError> {
        match self {
            WireForm::Vatican => {
                let mut data = [counter as u8; 8];
                data[1..].copy_from_slice(&tag[..7]);
                Frame::classic(connection.tag_id, &data)
            }
            WireForm::Leia => {
                let header = Header::new(connection.tag_id, Command::Tag, counter as u16);
                Frame::classic(header.id(), &tag)
            }
        }
    }

    /// Reads a frame of this stream; nothing for another's, or one of another form.
    pub(super) fn parse<'a>(
        self,
        connection: &PairedConnection,
        frame: &'a Frame,
    ) -> Option<Part<'a>> {
        let payload = frame.data();
        if frame.is_fd() || payload.len() > 8 || frame.format() == waywarden_can::Format::Remote {
            return None;
        }
        match (self, frame.id()) {
            (WireForm::Vatican, Id::Standard(id)) if id == connection.id => {
                Some(Part::Data { low: None, payload })
            }
            (WireForm::Vatican, Id::Standard(id)) if id == connection.tag_id => match payload {
                [low, tag @ ..] if tag.len() == 7 => Some(Part::Tag {
                    low: u16::from(*low),
                    tag,
                }),
                _ => None,
            },
            (WireForm::Leia, Id::Extended(id)) => match Header::parse(id)? {
                Header {
                    id,
                    command: Command::Data,
                    counter,
                } if id == connection.id => Some(Part::Data {
                    low: Some(counter),
                    payload,
                }),
                Header {
                    id,
                    command: Command::Tag,
                    counter,
                } if id == connection.tag_id && payload.len() == 8 => Some(Part::Tag {
                    low: counter,
                    tag: payload,
                }),
                _ => None,
            },
            _ => None,
        }
    }
}
