//! Octets, texts and nothing.

use super::{CoerDecode, CoerEncode, CoerReader, CoerSink, LeafValue, Visitor, put_length};
use crate::error::{EmitError, ParseFault, WireError};

/// NULL: that it is there says all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Null;

impl<'a> CoerDecode<'a> for Null {
    const NAME: &'static str = "NULL";

    #[inline]
    fn decode<V: Visitor>(_: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        Ok(Self)
    }
}

impl CoerEncode for Null {
    #[inline]
    fn encode<S: CoerSink>(&self, _: &mut S) -> Result<(), EmitError> {
        Ok(())
    }
}

/// An OCTET STRING of a fixed length.
impl<'a, const N: usize> CoerDecode<'a> for &'a [u8; N] {
    const NAME: &'static str = "OCTET STRING";

    #[inline]
    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let octets = reader.array()?;
        reader.value(LeafValue::Octets(octets));
        Ok(octets)
    }
}

impl<const N: usize> CoerEncode for &[u8; N] {
    #[inline]
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(*self)
    }
}

/// An OCTET STRING of any length (`Opaque`).
impl<'a> CoerDecode<'a> for &'a [u8] {
    const NAME: &'static str = "Opaque";

    #[inline]
    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let length = reader.length()?;
        let octets = reader.take(length)?;
        reader.value(LeafValue::Octets(octets));
        Ok(octets)
    }
}

impl CoerEncode for &[u8] {
    #[inline]
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        put_length(self.len(), sink)?;
        sink.put(self)
    }
}

/// An OCTET STRING of `MIN` to `MAX` octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoerOctets<'a, const MIN: usize, const MAX: usize>(&'a [u8]);

impl<'a, const MIN: usize, const MAX: usize> CoerOctets<'a, MIN, MAX> {
    /// Takes octets; `None` if there are too few or too many.
    #[must_use]
    pub fn new(octets: &'a [u8]) -> Option<Self> {
        (MIN..=MAX).contains(&octets.len()).then_some(Self(octets))
    }

    /// Returns the octets.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

impl<'a, const MIN: usize, const MAX: usize> CoerDecode<'a> for CoerOctets<'a, MIN, MAX> {
    const NAME: &'static str = "OCTET STRING";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let octets = <&[u8]>::decode(reader)?;
        Self::new(octets).ok_or(WireError::at(ParseFault::OutOfRange, offset))
    }
}

impl<const MIN: usize, const MAX: usize> CoerEncode for CoerOctets<'_, MIN, MAX> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.encode(sink)
    }
}

/// A UTF8String of at most `MAX` characters: its size counts these, not bytes \[X.680 §51.5\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a, const MAX: usize>(&'a str);

impl<'a, const MAX: usize> Text<'a, MAX> {
    /// Takes a text; `None` if it is too long.
    #[must_use]
    pub fn new(text: &'a str) -> Option<Self> {
        (text.chars().count() <= MAX).then_some(Self(text))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        self.0
    }
}

impl<'a, const MAX: usize> CoerDecode<'a> for Text<'a, MAX> {
    const NAME: &'static str = "UTF8String";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let length = reader.length()?;
        let bytes = reader.take(length)?;
        let Ok(text) = core::str::from_utf8(bytes) else {
            return Err(WireError::at(ParseFault::NotUtf8, offset));
        };
        reader.value(LeafValue::Text(text));
        Self::new(text).ok_or(WireError::at(ParseFault::OutOfRange, offset))
    }
}

impl<const MAX: usize> CoerEncode for Text<'_, MAX> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.as_bytes().encode(sink)
    }
}
