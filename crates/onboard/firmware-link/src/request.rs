//! The requests of an image.

use waywarden_can::node::{Retained, Slot};
use waywarden_can::{Frame, MessageHandle};
use waywarden_ecu::{CheckReport, KeptBack};
use waywarden_group_keys::GroupRoleEvent;
use waywarden_work::Instant;

use crate::fields::{MessageError, Reader, Writer, put_text, take_text};
use crate::signed::Verdict;

/// A request, and its moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedRequest<'a> {
    /// The number of instructions that the image has executed since its start, those for reports
    /// left out. It never goes back.
    pub instructions: u64,
    /// The request.
    pub request: Request<'a>,
}

/// The single thing that an image asks for or says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Request<'a> {
    /// It has started. Answered by [`Answer::Boot`](crate::Answer::Boot).
    Boot {
        /// The version of the messages that it speaks, [`VERSION`](crate::VERSION).
        version: u16,
    },
    /// It has nothing to do until something happens on its bus, or until this instant of its
    /// clock. Answered by [`Answer::Status`](crate::Answer::Status) then.
    Wait {
        /// The instant at which it wants to go on; none if only the bus can wake it.
        until: Option<Instant>,
    },
    /// It takes the oldest frame out of the receive mailbox. Answered by
    /// [`Answer::Received`](crate::Answer::Received).
    Receive,
    /// It puts a frame into the transmit mailbox, which is empty. Answered by
    /// [`Answer::Status`](crate::Answer::Status).
    Send(Frame),
    /// It writes 32 bytes to memory that survives a reset. Answered by
    /// [`Answer::Status`](crate::Answer::Status) when they do.
    Store {
        /// The place.
        slot: Slot,
        /// The bytes.
        value: Retained,
    },
    /// It releases an instance of a stream, by its place in the record. Answered by
    /// [`Answer::Named`](crate::Answer::Named).
    Released {
        /// The place of the stream.
        stream: u8,
    },
    /// It reads the payload of a released instance. Answered by
    /// [`Answer::Status`](crate::Answer::Status), as all that follow.
    Sampled(MessageHandle),
    /// A released instance does not leave.
    KeptBack {
        /// The instance.
        message: MessageHandle,
        /// The reason.
        why: KeptBack,
    },
    /// It has checked a frame.
    Checked(CheckReport),
    /// It could not check the frame that it received last.
    NotChecked {
        /// True if there was no room for it; false if the role is out of service.
        is_full: bool,
    },
    /// It takes the next signed item, and gives its verdict on the last one; none before the first.
    /// Answered by [`Answer::Signed`](crate::Answer::Signed).
    TakeSigned(Option<Verdict<'a>>),
    /// Its role in a group has begun an agreement of all members.
    GroupBegun,
    /// Its role in a group has confirmed a key, which is in use.
    GroupKey {
        /// The epoch of the key.
        epoch: u64,
        /// The first 8 bytes of the key, so that a run can compare the keys of its ECUs.
        key: u64,
    },
    /// Its role in a group reports something else.
    GroupEvent(GroupRoleEvent),
    /// Something has happened to its part under a security module: the bytes of a
    /// [`LasanReport`](crate::LasanReport). So an image without such a part has none of its code.
    Authorized(&'a [u8]),
    /// It has used this much of its stack so far, in bytes. The answer to
    /// [`Answer::Finish`](crate::Answer::Finish).
    Stack(u32),
    /// It stops: the message of a panic, at most [`TEXT_MAX`](crate::TEXT_MAX) bytes.
    Failed(&'a str),
}

impl<'a> TimedRequest<'a> {
    /// Writes it; returns the number of bytes.
    ///
    /// # Errors
    /// [`MessageError::NoRoom`].
    pub fn encode(&self, into: &mut [u8]) -> Result<usize, MessageError> {
        let mut to = Writer::new(into);
        to.put(&self.instructions)?;
        self.request.write(&mut to)?;
        Ok(to.length())
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`MessageError`].
    pub fn decode(message: &'a [u8]) -> Result<Self, MessageError> {
        let mut from = Reader::new(message);
        let instructions = from.take()?;
        let request = Request::read(&mut from)?;
        from.end()?;
        Ok(TimedRequest {
            instructions,
            request,
        })
    }
}

impl<'a> Request<'a> {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        match self {
            Request::Boot { version } => {
                to.put(&0u8)?;
                to.put(version)
            }
            Request::Wait { until } => {
                to.put(&1u8)?;
                to.put(until)
            }
            Request::Receive => to.put(&2u8),
            Request::Send(frame) => {
                to.put(&3u8)?;
                to.put(frame)
            }
            Request::Store { slot, value } => {
                to.put(&4u8)?;
                to.put(slot)?;
                to.put(value)
            }
            Request::Released { stream } => {
                to.put(&5u8)?;
                to.put(stream)
            }
            Request::Sampled(message) => {
                to.put(&6u8)?;
                to.put(message)
            }
            Request::KeptBack { message, why } => {
                to.put(&7u8)?;
                to.put(message)?;
                to.put(why)
            }
            Request::Checked(report) => {
                to.put(&8u8)?;
                to.put(report)
            }
            Request::NotChecked { is_full } => {
                to.put(&9u8)?;
                to.put(is_full)
            }
            Request::Stack(bytes) => {
                to.put(&10u8)?;
                to.put(bytes)
            }
            Request::Authorized(report) => {
                to.put(&32u8)?;
                to.put(&(report.len() as u8))?;
                to.bytes(report)
            }
            Request::Failed(text) => {
                to.put(&11u8)?;
                put_text(text, to)
            }
            Request::TakeSigned(verdict) => {
                to.put(&40u8)?;
                to.put(&verdict.is_some())?;
                verdict.map_or(Ok(()), |verdict| verdict.write(to))
            }
            Request::GroupBegun => to.put(&12u8),
            Request::GroupKey { epoch, key } => {
                to.put(&13u8)?;
                to.put(epoch)?;
                to.put(key)
            }
            Request::GroupEvent(event) => {
                to.put(&14u8)?;
                to.put(event)
            }
        }
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, MessageError> {
        Ok(match from.take::<u8>()? {
            0 => Request::Boot {
                version: from.take()?,
            },
            1 => Request::Wait {
                until: from.take()?,
            },
            2 => Request::Receive,
            3 => Request::Send(from.take()?),
            4 => Request::Store {
                slot: from.take()?,
                value: from.take()?,
            },
            5 => Request::Released {
                stream: from.take()?,
            },
            6 => Request::Sampled(from.take()?),
            7 => Request::KeptBack {
                message: from.take()?,
                why: from.take()?,
            },
            8 => Request::Checked(from.take()?),
            9 => Request::NotChecked {
                is_full: from.take()?,
            },
            10 => Request::Stack(from.take()?),
            11 => Request::Failed(take_text(from)?),
            32 => {
                let length: u8 = from.take()?;
                Request::Authorized(from.bytes(length.into())?)
            }
            40 => {
                let has_verdict = from.take::<bool>()?;
                let verdict = has_verdict.then(|| Verdict::read(from));
                Request::TakeSigned(verdict.transpose()?)
            }
            12 => Request::GroupBegun,
            13 => Request::GroupKey {
                epoch: from.take()?,
                key: from.take()?,
            },
            14 => Request::GroupEvent(from.take()?),
            _ => return Err(MessageError::Field("the kind of a request")),
        })
    }
}
