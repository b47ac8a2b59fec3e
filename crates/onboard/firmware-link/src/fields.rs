//! Fields of messages as bytes: their writer, their reader, and numbers.

use waywarden_work::{Duration, Instant};

use crate::List;
use crate::kind::kind;

/// Maximum length of the text of a failure or of a verdict, in bytes; longer ones are cut.
pub const TEXT_MAX: usize = 120;

/// Error of a message that does not have the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// It ends within a field.
    Short,
    /// There are bytes behind its last field.
    Long,
    /// A field has a value that it cannot have.
    Field(&'static str),
    /// It does not fit the buffer.
    NoRoom,
    /// It is a record of this kind, and not of the kind that is read.
    Kind(u8),
}

impl core::fmt::Display for MessageError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            MessageError::Short => f.write_str("it ends within a field"),
            MessageError::Long => f.write_str("there are bytes behind its last field"),
            MessageError::Field(field) => write!(f, "{field} has no such value"),
            MessageError::NoRoom => f.write_str("it is longer than the buffer"),
            MessageError::Kind(number) => match kind(*number) {
                Some(kind) => write!(f, "it is for {}: use {}", kind.purpose, kind.image),
                None => f.write_str("the kind of the record is unknown"),
            },
        }
    }
}

impl core::error::Error for MessageError {}

/// Writes fields into a buffer.
#[derive(Debug)]
pub struct Writer<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

/// Reads fields of a message.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

/// A value with one form in messages.
pub trait Field: Sized {
    /// Writes it.
    ///
    /// # Errors
    /// [`MessageError::NoRoom`].
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError>;

    /// Reads it.
    ///
    /// # Errors
    /// [`MessageError`].
    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError>;
}

impl<'a> Writer<'a> {
    /// Writes from the beginning of a buffer.
    pub const fn new(bytes: &'a mut [u8]) -> Self {
        Writer { bytes, at: 0 }
    }

    /// Returns the number of bytes that were written.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.at
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// [`MessageError::NoRoom`].
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), MessageError> {
        let end = self.at + bytes.len();
        let room = self.bytes.get_mut(self.at..end);
        room.ok_or(MessageError::NoRoom)?.copy_from_slice(bytes);
        self.at = end;
        Ok(())
    }

    /// Writes a field.
    ///
    /// # Errors
    /// [`MessageError::NoRoom`].
    pub fn put(&mut self, field: &impl Field) -> Result<(), MessageError> {
        field.write(self)
    }
}

impl<'a> Reader<'a> {
    /// Reads a message from its beginning.
    #[must_use]
    pub const fn new(message: &'a [u8]) -> Self {
        Reader { rest: message }
    }

    /// Takes bytes as they are.
    ///
    /// # Errors
    /// [`MessageError::Short`].
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], MessageError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(MessageError::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Takes bytes into an array.
    ///
    /// # Errors
    /// [`MessageError::Short`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], MessageError> {
        let (taken, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(MessageError::Short)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// Takes a field.
    ///
    /// # Errors
    /// [`MessageError`].
    pub fn take<F: Field>(&mut self) -> Result<F, MessageError> {
        F::read(self)
    }

    /// Ends the message.
    ///
    /// # Errors
    /// [`MessageError::Long`] if there is more.
    pub const fn end(self) -> Result<(), MessageError> {
        match self.rest.is_empty() {
            true => Ok(()),
            false => Err(MessageError::Long),
        }
    }
}

/// Writes a list: its length in one byte, and its entries.
pub(crate) fn put_all<F: Field, const N: usize>(
    all: &List<F, N>,
    to: &mut Writer<'_>,
) -> Result<(), MessageError> {
    to.put(&(all.len() as u8))?;
    all.iter().try_for_each(|one| to.put(one))
}

/// Reads a list of at most `N` entries.
pub(crate) fn take_all<F: Field, const N: usize>(
    from: &mut Reader<'_>,
    count: &'static str,
) -> Result<List<F, N>, MessageError> {
    let mut all = List::new();
    for _ in 0..from.take::<u8>()? {
        let one = from.take()?;
        all.push(one).map_err(|_| MessageError::Field(count))?;
    }
    Ok(all)
}

/// Gives a value of a list a number, and finds it again.
macro_rules! numbered {
    ($kind:ty, $field:literal, [$($number:literal: $value:pat => $made:expr),* $(,)?]) => {
        impl Field for $kind {
            fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
                let number: u8 = match self {
                    $($value => $number,)*
                    #[allow(unreachable_patterns)]
                    _ => return Err(MessageError::Field($field)),
                };
                to.put(&number)
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
                match from.take::<u8>()? {
                    $($number => Ok($made),)*
                    _ => Err(MessageError::Field($field)),
                }
            }
        }
    };
}
pub(crate) use numbered;

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Field for $number {
            fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
                to.bytes(&self.to_le_bytes())
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
                Ok(<$number>::from_le_bytes(from.array()?))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64);

impl Field for bool {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&u8::from(*self))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        match from.take::<u8>()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(MessageError::Field("a yes or no")),
        }
    }
}

impl<F: Field> Field for Option<F> {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.is_some())?;
        self.as_ref().map_or(Ok(()), |field| to.put(field))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        from.take::<bool>()?.then(|| from.take()).transpose()
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.0)?;
        to.put(&self.1)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok((from.take()?, from.take()?))
    }
}

impl<const N: usize> Field for [u8; N] {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.bytes(self)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        from.array()
    }
}

impl Field for Instant {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.as_nanos())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        from.take().map(Instant::from_nanos)
    }
}

impl Field for Duration {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.as_nanos())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        from.take().map(Duration::from_nanos)
    }
}

/// Writes a text, cut to [`TEXT_MAX`] bytes.
pub(crate) fn put_text(text: &str, to: &mut Writer<'_>) -> Result<(), MessageError> {
    let mut end = text.len().min(TEXT_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    to.put(&(end as u8))?;
    to.bytes(&text.as_bytes()[..end])
}

/// Reads a text.
pub(crate) fn take_text<'a>(from: &mut Reader<'a>) -> Result<&'a str, MessageError> {
    let length: u8 = from.take()?;
    let text = core::str::from_utf8(from.bytes(length.into())?);
    text.map_err(|_| MessageError::Field("a text"))
}
