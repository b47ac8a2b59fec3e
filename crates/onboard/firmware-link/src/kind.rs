//! The kinds of records, one for each kind of image.

use crate::fields::{Field, MessageError, Reader, Writer};

/// The configuration of an ECU, for images of one kind. Its bytes begin with the kind, so that an
/// image refuses a record of another kind by name.
pub trait Record: Field {
    /// The number of the kind, one of [`KINDS`].
    const KIND: u8;

    /// Writes it with its kind; returns the number of bytes.
    ///
    /// # Errors
    /// [`MessageError::NoRoom`].
    fn encode(&self, into: &mut [u8]) -> Result<usize, MessageError> {
        let mut to = Writer::new(into);
        to.put(&Self::KIND)?;
        to.put(self)?;
        Ok(to.length())
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`MessageError`]; [`MessageError::Kind`] for a record of another kind.
    fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        let mut from = Reader::new(bytes);
        let kind = from.take()?;
        if kind != Self::KIND {
            return Err(MessageError::Kind(kind));
        }
        // The result is not taken apart: a record is large, and each move takes its size of stack.
        let record = Self::read(&mut from);
        if record.is_ok() {
            from.end()?;
        }
        record
    }
}

/// A kind of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordKind {
    /// The first byte of its records.
    pub number: u8,
    /// The kind of ECU that they are for.
    pub purpose: &'static str,
    /// The image that takes them.
    pub image: &'static str,
}

/// The number of [`EcuRecord`](crate::EcuRecord)s.
pub const SECOC: u8 = 1;

/// All kinds.
pub const KINDS: &[RecordKind] = &[RecordKind {
    number: SECOC,
    purpose: "SecOC with keys in place",
    image: "secoc.elf",
}];

/// Finds a kind by its number.
pub(crate) fn kind(number: u8) -> Option<&'static RecordKind> {
    KINDS.iter().find(|kind| kind.number == number)
}
