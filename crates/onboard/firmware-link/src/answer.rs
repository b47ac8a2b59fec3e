//! The answers to an image.

use waywarden_can::node::{BusState, Retained, Slot};
use waywarden_can::{Frame, MessageHandle};
use waywarden_work::Instant;

use crate::SLOTS_MAX;
use crate::fields::{MessageError, Reader, Writer};
use crate::signed::SignedItem;

/// The state of the world around an image at the moment of an answer; it stays so until the
/// answer to its next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The ECU's clock.
    pub now: Instant,
    /// True if the transmit mailbox is empty: its frame was acknowledged, or taken back in bus-off.
    pub is_sent: bool,
    /// The fault confinement state of the controller.
    pub state: BusState,
    /// True if there is a frame in the receive mailbox.
    pub has_frame: bool,
}

/// The values that earlier boots stored: entries of a slot and its 32 bytes, in order of slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetainedSlots<'a>(&'a [u8]);

/// Length of an entry, in bytes.
const ENTRY: usize = 33;

impl<'a> RetainedSlots<'a> {
    /// Reads entries of 33 bytes: the number of the slot, and its content.
    ///
    /// # Errors
    /// [`MessageError::Field`] if there is a part of an entry, or there are more than
    /// [`SLOTS_MAX`].
    pub const fn new(entries: &'a [u8]) -> Result<Self, MessageError> {
        match entries.len().is_multiple_of(ENTRY) && entries.len() <= SLOTS_MAX * ENTRY {
            true => Ok(RetainedSlots(entries)),
            false => Err(MessageError::Field("the retained slots")),
        }
    }

    /// Returns the entries.
    pub fn iter(self) -> impl Iterator<Item = (Slot, Retained)> {
        let entries = self.0.as_chunks::<ENTRY>().0.iter();
        entries.map(|entry| {
            let mut value = [0; ENTRY - 1];
            value.copy_from_slice(&entry[1..]);
            (Slot(entry[0]), value)
        })
    }
}

/// An answer to one request.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer<'a> {
    /// To the first request.
    Boot {
        /// The state of the world.
        status: Status,
        /// Picoseconds that an instruction takes, above zero.
        picoseconds: u32,
        /// Random bytes, fresh at each boot.
        seed: [u8; 32],
        /// Content of the slots that earlier boots stored.
        retained: RetainedSlots<'a>,
        /// The bytes of an [`EcuRecord`](crate::EcuRecord), or none.
        record: &'a [u8],
    },
    /// To most requests.
    Status(Status),
    /// The oldest frame of the receive mailbox.
    Received {
        /// The state of the world after it was taken.
        status: Status,
        /// The frame; none if the mailbox was empty.
        frame: Option<Frame>,
    },
    /// The name of an instance.
    Named(MessageHandle),
    /// The next signed item of a V2X receiver.
    Signed(SignedItem<'a>),
    /// The run is over: the image says how much stack it used, and stops.
    Finish,
}

impl<'a> Answer<'a> {
    /// Writes it; returns the number of bytes.
    ///
    /// # Errors
    /// [`MessageError::NoRoom`].
    pub fn encode(&self, into: &mut [u8]) -> Result<usize, MessageError> {
        let mut to = Writer::new(into);
        match self {
            Answer::Boot {
                status,
                picoseconds,
                seed,
                retained,
                record,
            } => {
                to.put(&0u8)?;
                status.write(&mut to)?;
                to.put(picoseconds)?;
                to.put(seed)?;
                to.put(&(retained.0.len() as u16))?;
                to.bytes(retained.0)?;
                to.put(&(record.len() as u16))?;
                to.bytes(record)?;
            }
            Answer::Status(status) => {
                to.put(&1u8)?;
                status.write(&mut to)?;
            }
            Answer::Received { status, frame } => {
                to.put(&2u8)?;
                status.write(&mut to)?;
                to.put(frame)?;
            }
            Answer::Named(message) => {
                to.put(&3u8)?;
                to.put(message)?;
            }
            Answer::Finish => to.put(&4u8)?,
            Answer::Signed(item) => {
                to.put(&40u8)?;
                item.write(&mut to)?;
            }
        }
        Ok(to.length())
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`MessageError`].
    pub fn decode(message: &'a [u8]) -> Result<Self, MessageError> {
        let mut from = Reader::new(message);
        let answer = match from.take::<u8>()? {
            0 => Self::read_boot(&mut from)?,
            1 => Answer::Status(Status::read(&mut from)?),
            2 => Answer::Received {
                status: Status::read(&mut from)?,
                frame: from.take()?,
            },
            3 => Answer::Named(from.take()?),
            4 => Answer::Finish,
            40 => Answer::Signed(SignedItem::read(&mut from)?),
            _ => return Err(MessageError::Field("the kind of an answer")),
        };
        from.end()?;
        Ok(answer)
    }

    fn read_boot(from: &mut Reader<'a>) -> Result<Self, MessageError> {
        let status = Status::read(from)?;
        let picoseconds = from.take()?;
        if picoseconds == 0 {
            return Err(MessageError::Field("the time of an instruction"));
        }
        let seed = from.take()?;
        let length: u16 = from.take()?;
        let retained = RetainedSlots::new(from.bytes(length.into())?)?;
        let length: u16 = from.take()?;
        Ok(Answer::Boot {
            status,
            picoseconds,
            seed,
            retained,
            record: from.bytes(length.into())?,
        })
    }
}

impl Status {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.now)?;
        to.put(&self.is_sent)?;
        to.put(&self.state)?;
        to.put(&self.has_frame)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(Status {
            now: from.take()?,
            is_sent: from.take()?,
            state: from.take()?,
            has_frame: from.take()?,
        })
    }
}
