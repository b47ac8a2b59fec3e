//! Values that remember their bytes, and values that stay bytes until a caller asks.

use core::fmt;
use core::ops::Deref;

use super::{CoerDecode, CoerEncode, CoerReader, CoerSink, EncodingForm, Visitor, parse};
use crate::error::{EmitError, WireError};

/// A value with the bytes that it was read from, which are what is hashed and signed.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a, T> {
    value: T,
    bytes: Option<&'a [u8]>,
}

impl<'a, T> Raw<'a, T> {
    /// Wraps a value that was not read.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self { value, bytes: None }
    }

    /// Returns the bytes that it was read from, if it was read.
    #[must_use]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        self.bytes
    }
}

impl<T> Deref for Raw<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Raw<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<'a, T: CoerDecode<'a>> CoerDecode<'a> for Raw<'a, T> {
    const NAME: &'static str = T::NAME;

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let start = reader.offset();
        let value = T::decode(reader)?;
        let bytes = Some(reader.since(start));
        Ok(Self { value, bytes })
    }
}

impl<T: CoerEncode> CoerEncode for Raw<'_, T> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        match self.bytes {
            Some(bytes) if S::FORM == EncodingForm::AsRead => sink.put(bytes),
            _ => self.value.encode(sink),
        }
    }
}

/// A value that lies in one of its own kind, or is large: it was checked, and is read again by who
/// needs it.
#[derive(Clone, Copy)]
pub enum NestedEncoding<'a, T> {
    /// As it was read.
    Encoded(&'a [u8]),
    /// Made of a value.
    Value(&'a T),
}

impl<'a, T: CoerDecode<'a> + Clone> NestedEncoding<'a, T> {
    /// Returns the value.
    ///
    /// # Errors
    /// None for a value that was read: it was checked then.
    pub fn view(&self) -> Result<T, WireError> {
        match self {
            Self::Encoded(bytes) => parse(bytes),
            Self::Value(value) => Ok((*value).clone()),
        }
    }
}

impl<'a, T: CoerDecode<'a>> CoerDecode<'a> for NestedEncoding<'a, T> {
    const NAME: &'static str = T::NAME;

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let start = reader.offset();
        reader.nested(T::decode)?;
        Ok(Self::Encoded(reader.since(start)))
    }
}

/// Any sink, as one type: values of one kind may lie in each other without end, types may not.
struct Erased<'s>(&'s mut dyn FnMut(&[u8]) -> Result<(), EmitError>);

impl CoerSink for Erased<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), EmitError> {
        (self.0)(bytes)
    }
}

/// Hashes a nested structure unchanged: canonical form applies to the signed structure itself
/// \[1609.2 §6.3.6\]. Otherwise an outsider could change the forms of signatures and points in it.
impl<'a, T: CoerDecode<'a> + CoerEncode + Clone> CoerEncode for NestedEncoding<'a, T> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        match (self, S::FORM) {
            (Self::Encoded(bytes), EncodingForm::AsRead | EncodingForm::Canonical) => {
                sink.put(bytes)
            }
            (Self::Value(value), EncodingForm::Canonical) => {
                value.encode(&mut Erased(&mut |bytes| sink.put(bytes)))
            }
            _ => {
                let value = self.view().map_err(|_| EmitError::OutOfRange(T::NAME))?;
                value.encode(sink)
            }
        }
    }
}

impl<'a, T: CoerDecode<'a> + Clone + PartialEq> PartialEq for NestedEncoding<'a, T> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Encoded(bytes), Self::Encoded(others)) => bytes == others,
            _ => matches!((self.view(), other.view()), (Ok(one), Ok(two)) if one == two),
        }
    }
}

impl<'a, T: CoerDecode<'a> + Clone + fmt::Debug> fmt::Debug for NestedEncoding<'a, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view() {
            Ok(value) => value.fmt(formatter),
            Err(error) => error.fmt(formatter),
        }
    }
}
