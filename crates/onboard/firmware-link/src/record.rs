//! Records: the configuration of an ECU as bytes.

use crate::fields::{Field, MessageError, Reader, Writer};

/// The configuration of an ECU, for images of one kind. Its bytes begin with the kind, so that an
/// image refuses a record of another kind by name.
pub trait Record: Field {
    /// The number of the kind, one of [`KINDS`](crate::KINDS).
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
