//! Canonical OER (ITU-T X.696), as far as the standards of V2X use it: types are declared once, as
//! in their ASN.1, and read, written, walked and measured by that declaration.
//!
//! Reading is one checked pass that yields views into the input: nothing is copied but numbers
//! and short octet strings, nothing is allocated, and what a length or a count says is held
//! against what is left before it is believed. Lists stay encoded; their iterators read elements
//! again. Only the canonical form is taken: one value has one encoding, so bytes that were hashed
//! can be told from bytes that were not.

mod extension;
mod integer;
mod macros;
mod octets;
mod raw;
mod reader;
mod sequence;
mod sink;
mod visitor;

pub use extension::{Additions, Unknown, UnknownAdditions};
pub use integer::{read_integer, read_unsigned, write_integer, write_unsigned};
pub use octets::{CoerOctets, Null, Text};
pub use raw::{NestedEncoding, Raw};
pub use reader::{CoerReader, Preamble};
pub use sequence::{Elements, SequenceOf};
pub use sink::{
    AsRead, Canonical, CoerLength, CoerSink, CoerSlice, EncodingForm, Rebuilt, put_addition,
    put_length, put_open,
};
pub use visitor::{LeafValue, Silent, Visitor};

pub(crate) use macros::{choice, enumerated, number, octets, sequence, version};

use crate::error::{EmitError, ParseFault, WireError};

/// A type that is read.
pub trait CoerDecode<'a>: Sized {
    /// Its name in the standard.
    const NAME: &'static str;

    /// Reads one value.
    ///
    /// # Errors
    /// The first fault.
    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError>;

    /// Reads one value that is shown to no visitor.
    ///
    /// A declared type does it in code that is compiled once, in this crate: generic code would be
    /// compiled again in each crate that reads one.
    ///
    /// # Errors
    /// As in [`CoerDecode::decode`].
    #[inline]
    fn decode_silently(reader: &mut CoerReader<'a, Silent>) -> Result<Self, WireError> {
        Self::decode(reader)
    }
}

/// A type that is written.
pub trait CoerEncode {
    /// Writes the value.
    ///
    /// # Errors
    /// [`EmitError::OutOfRange`] for a value that the type does not have, and what the sink says.
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError>;

    /// Adds to a length what the value has, compiled once as in [`CoerDecode::decode_silently`].
    ///
    /// # Errors
    /// As in [`CoerEncode::encode`].
    #[inline]
    fn measure(&self, length: &mut CoerLength) -> Result<(), EmitError> {
        self.encode(length)
    }

    /// Writes the value into a slice, compiled once as in [`CoerDecode::decode_silently`].
    ///
    /// # Errors
    /// As in [`CoerEncode::encode`].
    #[inline]
    fn fill(&self, slice: &mut CoerSlice<'_>) -> Result<(), EmitError> {
        self.encode(slice)
    }
}

/// Reads a value that fills all of `input`.
///
/// # Errors
/// The first fault; bytes that are left over are one.
pub fn parse<'a, T: CoerDecode<'a>>(input: &'a [u8]) -> Result<T, WireError> {
    let mut reader = CoerReader::new(input, Silent);
    let value = T::decode_silently(&mut reader)?;
    finished(&reader, value)
}

/// Reads a value that fills all of `input` and shows it to a visitor on the way.
///
/// # Errors
/// The first fault. The visitor has seen what stands before it.
pub fn parse_with<'a, T: CoerDecode<'a>, V: Visitor>(
    input: &'a [u8],
    visitor: V,
) -> Result<T, WireError> {
    let mut reader = CoerReader::new(input, visitor);
    let value = reader.item("", T::decode)?;
    finished(&reader, value)
}

/// Passes a value on if nothing is left behind it.
fn finished<T, V: Visitor>(reader: &CoerReader<'_, V>, value: T) -> Result<T, WireError> {
    match reader.remaining() {
        0 => Ok(value),
        left => Err(reader.fault(ParseFault::TrailingBytes(left))),
    }
}

/// Reads a value at the beginning of `input`; returns how long it is, too.
///
/// # Errors
/// The first fault.
pub fn parse_prefix<'a, T: CoerDecode<'a>>(input: &'a [u8]) -> Result<(T, usize), WireError> {
    let mut reader = CoerReader::new(input, Silent);
    let value = T::decode_silently(&mut reader)?;
    Ok((value, reader.offset()))
}

/// Returns how long a value is when written, in bytes.
///
/// # Errors
/// As in [`CoerEncode::encode`].
pub fn length<T: CoerEncode + ?Sized>(value: &T) -> Result<usize, EmitError> {
    let mut length = CoerLength::default();
    value.measure(&mut length)?;
    Ok(length.bytes())
}

/// Writes a value to the beginning of `buffer`; returns what was written.
///
/// # Errors
/// As in [`CoerEncode::encode`]; [`EmitError::NoRoom`] for a short buffer, which is then unchanged.
pub fn emit<'b, T: CoerEncode + ?Sized>(
    value: &T,
    buffer: &'b mut [u8],
) -> Result<&'b [u8], EmitError> {
    let length = length(value)?;
    let room = buffer.get_mut(..length).ok_or(EmitError::NoRoom)?;
    value.fill(&mut CoerSlice::new(room))?;
    Ok(room)
}
