//! Numbers: of a fixed width where their range says so \[X.696 §10\], else with their length.

use super::{CoerDecode, CoerEncode, CoerReader, CoerSink, LeafValue, Visitor};
use crate::error::{EmitError, ParseFault, WireError};

macro_rules! fixed {
    ($($number:ty, $name:literal, $value:ident, $wide:ty;)*) => {$(
        impl<'a> CoerDecode<'a> for $number {
            const NAME: &'static str = $name;

            #[inline]
            fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
                let number = <$number>::from_be_bytes(*reader.array()?);
                reader.value(LeafValue::$value(<$wide>::from(number)));
                Ok(number)
            }
        }

        impl CoerEncode for $number {
            #[inline]
            fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
                sink.put(&self.to_be_bytes())
            }
        }
    )*};
}

fixed! {
    u8, "Uint8", Unsigned, u64;
    u16, "Uint16", Unsigned, u64;
    u32, "Uint32", Unsigned, u64;
    u64, "Uint64", Unsigned, u64;
    i32, "Int32", Signed, i64;
}

/// An INTEGER without bounds, of at most eight bytes.
impl<'a> CoerDecode<'a> for i64 {
    const NAME: &'static str = "INTEGER";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let number = read_integer(reader)?;
        reader.value(LeafValue::Signed(number));
        Ok(number)
    }
}

impl CoerEncode for i64 {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        write_integer(*self, sink)
    }
}

/// Reads a number of 0 or more with its length, of at most eight bytes.
///
/// # Errors
/// [`ParseFault::NotCanonical`] where a leading byte is not needed, [`ParseFault::OutOfRange`]
/// beyond 64 bits.
pub fn read_unsigned<V: Visitor>(reader: &mut CoerReader<'_, V>) -> Result<u64, WireError> {
    let length = reader.length()?;
    let offset = reader.offset();
    let bytes = reader.take(length)?;
    match bytes {
        [] | [0, _, ..] => Err(WireError::at(ParseFault::NotCanonical, offset)),
        _ if length > size_of::<u64>() => Err(WireError::at(ParseFault::OutOfRange, offset)),
        _ => Ok(bytes
            .iter()
            .fold(0, |number, &byte| number << 8 | u64::from(byte))),
    }
}

/// Reads a number with a sign and its length, of at most eight bytes.
///
/// # Errors
/// [`ParseFault::NotCanonical`] where a leading byte is not needed, [`ParseFault::OutOfRange`]
/// beyond 64 bits.
pub fn read_integer<V: Visitor>(reader: &mut CoerReader<'_, V>) -> Result<i64, WireError> {
    let length = reader.length()?;
    let offset = reader.offset();
    let bytes = reader.take(length)?;
    match bytes {
        [] => Err(WireError::at(ParseFault::NotCanonical, offset)),
        [0, next, ..] if *next < 0x80 => Err(WireError::at(ParseFault::NotCanonical, offset)),
        [0xFF, next, ..] if *next >= 0x80 => Err(WireError::at(ParseFault::NotCanonical, offset)),
        _ if length > size_of::<i64>() => Err(WireError::at(ParseFault::OutOfRange, offset)),
        [first, ..] => {
            let sign = if *first < 0x80 { 0 } else { -1 };
            Ok(bytes
                .iter()
                .fold(sign, |number, &byte| number << 8 | i64::from(byte)))
        }
    }
}

/// Writes a number of 0 or more with its length.
///
/// # Errors
/// What the sink says.
pub fn write_unsigned<S: CoerSink>(number: u64, sink: &mut S) -> Result<(), EmitError> {
    let bytes = number.to_be_bytes();
    let spare = (number.leading_zeros() as usize / 8).min(bytes.len() - 1);
    let bytes = bytes.get(spare..).unwrap_or(&[]);
    sink.put(&[bytes.len() as u8])?;
    sink.put(bytes)
}

/// Writes a number with a sign and its length.
///
/// # Errors
/// What the sink says.
pub fn write_integer<S: CoerSink>(number: i64, sink: &mut S) -> Result<(), EmitError> {
    let bytes = number.to_be_bytes();
    // All bits that repeat the sign but one are spare.
    let sign = match number < 0 {
        true => number.leading_ones(),
        false => number.leading_zeros(),
    };
    let spare = ((sign as usize - 1) / 8).min(bytes.len() - 1);
    let bytes = bytes.get(spare..).unwrap_or(&[]);
    sink.put(&[bytes.len() as u8])?;
    sink.put(bytes)
}
