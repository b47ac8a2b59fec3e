//! Sinks for encoded bytes: a count, a slice, or any consumer of bytes, such as a hash.

use super::CoerEncode;
use crate::error::EmitError;

/// Form in which values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingForm {
    /// Values that were read are written unchanged.
    AsRead,
    /// All values are written from their parts; the bytes are the same.
    Rebuilt,
    /// The form that is hashed and signed \[1609.2 §6.4.3\]: written from parts, keys compressed,
    /// the `r` of a signature as its x-coordinate only.
    Canonical,
}

/// Consumer of encoded bytes.
pub trait CoerSink {
    /// Form in which values are written to this sink.
    const FORM: EncodingForm = EncodingForm::AsRead;

    /// Takes these bytes.
    ///
    /// # Errors
    /// [`EmitError::NoRoom`].
    fn put(&mut self, bytes: &[u8]) -> Result<(), EmitError>;
}

/// Counts the bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoerLength {
    bytes: usize,
}

impl CoerLength {
    /// Returns the number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl CoerSink for CoerLength {
    fn put(&mut self, bytes: &[u8]) -> Result<(), EmitError> {
        self.bytes += bytes.len();
        Ok(())
    }
}

/// Fills a slice from its beginning.
#[derive(Debug)]
pub struct CoerSlice<'b> {
    room: &'b mut [u8],
    used: usize,
}

impl<'b> CoerSlice<'b> {
    /// Begins to fill `room`.
    #[must_use]
    pub fn new(room: &'b mut [u8]) -> Self {
        Self { room, used: 0 }
    }

    /// Returns the number of filled bytes.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used
    }
}

impl CoerSink for CoerSlice<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), EmitError> {
        let end = self.used + bytes.len();
        let room = self.room.get_mut(self.used..end);
        room.ok_or(EmitError::NoRoom)?.copy_from_slice(bytes);
        self.used = end;
        Ok(())
    }
}

macro_rules! adapters {
    ($($(#[$meta:meta])* $name:ident = $form:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name<'s, S>(
            /// Sink that receives the bytes.
            pub &'s mut S,
        );

        impl<S: CoerSink> CoerSink for $name<'_, S> {
            const FORM: EncodingForm = EncodingForm::$form;

            fn put(&mut self, bytes: &[u8]) -> Result<(), EmitError> {
                self.0.put(bytes)
            }
        }
    )*};
}

adapters! {
    /// Writes values to a sink unchanged, as they were read.
    AsRead = AsRead;
    /// Writes values to a sink from their parts.
    Rebuilt = Rebuilt;
    /// Writes values to a sink in canonical form.
    Canonical = Canonical;
}

/// Writes a length in its shortest form \[X.696 §8.6\].
///
/// # Errors
/// What the sink says.
pub fn put_length<S: CoerSink>(length: usize, sink: &mut S) -> Result<(), EmitError> {
    if length < 0x80 {
        return sink.put(&[length as u8]);
    }
    let bytes = length.to_be_bytes();
    let bytes = bytes
        .get(length.leading_zeros() as usize / 8..)
        .unwrap_or(&[]);
    sink.put(&[0x80 | bytes.len() as u8])?;
    sink.put(bytes)
}

/// Writes an open type \[X.696 §30\]: the length of the value, then the value.
///
/// # Errors
/// As in [`CoerEncode::encode`].
pub fn put_open<T: CoerEncode, S: CoerSink>(value: &T, sink: &mut S) -> Result<(), EmitError> {
    let mut length = CoerLength::default();
    match S::FORM {
        EncodingForm::AsRead => value.encode(&mut length)?,
        EncodingForm::Rebuilt => value.encode(&mut Rebuilt(&mut length))?,
        EncodingForm::Canonical => value.encode(&mut Canonical(&mut length))?,
    }
    put_length(length.bytes(), sink)?;
    value.encode(sink)
}

/// Writes an extension addition: what stands after an extension marker is hashed as it is
/// \[1609.2 §6.3.9\].
///
/// # Errors
/// As in [`CoerEncode::encode`].
pub fn put_addition<T: CoerEncode, S: CoerSink>(value: &T, sink: &mut S) -> Result<(), EmitError> {
    match S::FORM {
        EncodingForm::Rebuilt => put_open(value, sink),
        EncodingForm::AsRead | EncodingForm::Canonical => put_open(value, &mut AsRead(sink)),
    }
}
