//! Signed items for a V2X receiver: certificates and messages, and its verdict on each.

use crate::fields::{MessageError, Reader, Writer, put_text, take_text};

/// The content of a signed item, and its circumstances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedKind {
    /// A root certificate that the receiver is to trust.
    TrustAnchor,
    /// A certificate of an authority.
    Certificate,
    /// A message from the radio.
    Message {
        /// Time of reception, in microseconds since 2004 (TAI).
        now: u64,
    },
}

/// A signed item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedItem<'a> {
    /// Its content.
    pub kind: SignedKind,
    /// Its bytes (COER), as they came.
    pub bytes: &'a [u8],
}

/// A receiver's verdict on a signed item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict<'a> {
    /// True if it was taken.
    pub is_accepted: bool,
    /// The reason of a refusal, at most [`TEXT_MAX`](crate::TEXT_MAX) bytes.
    pub reason: &'a str,
}

impl<'a> SignedItem<'a> {
    pub(crate) fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        match self.kind {
            SignedKind::TrustAnchor => to.put(&0u8)?,
            SignedKind::Certificate => to.put(&1u8)?,
            SignedKind::Message { now } => {
                to.put(&2u8)?;
                to.put(&now)?;
            }
        }
        // No buffer has room for more than fits the field.
        to.put(&u16::try_from(self.bytes.len()).map_err(|_| MessageError::NoRoom)?)?;
        to.bytes(self.bytes)
    }

    pub(crate) fn read(from: &mut Reader<'a>) -> Result<Self, MessageError> {
        let kind = match from.take::<u8>()? {
            0 => SignedKind::TrustAnchor,
            1 => SignedKind::Certificate,
            2 => SignedKind::Message { now: from.take()? },
            _ => return Err(MessageError::Field("the kind of a signed item")),
        };
        let length: u16 = from.take()?;
        let bytes = from.bytes(length.into())?;
        Ok(SignedItem { kind, bytes })
    }
}

impl<'a> Verdict<'a> {
    pub(crate) fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.is_accepted)?;
        put_text(self.reason, to)
    }

    pub(crate) fn read(from: &mut Reader<'a>) -> Result<Self, MessageError> {
        Ok(Verdict {
            is_accepted: from.take()?,
            reason: take_text(from)?,
        })
    }
}
