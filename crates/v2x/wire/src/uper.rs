//! UNALIGNED PER \[X.691\], as far as messages of V2X use it: types are declared once, as in their
//! ASN.1, and read, written, walked and measured by that declaration.
//!
//! It is [`coer`](crate::coer) in bits: nothing is copied but numbers, nothing is allocated, lists
//! stay encoded. Extension additions are skipped by their lengths, and kept. What no type here
//! needs is not there: real numbers, sets, fragments of 16,384 and more.

mod bits;
mod list;
mod macros;
mod number;
mod reader;
mod sink;
mod strings;

pub use bits::Bits;
pub use list::{Items, ListOf};
pub use number::{Bounded, ExtensibleInteger, put_integer};
pub use reader::UperReader;
pub use sink::{UperLength, UperSink, UperSlice};
pub use strings::{Flags, UperOctets};

pub(crate) use macros::{choice, enumerated, sequence};
pub use reader::width;

use crate::coer::{Silent, Visitor};
use crate::error::{EmitError, ParseFault, WireError};

/// A type that is read.
pub trait UperDecode<'a>: Sized {
    /// Its name in the standard.
    const NAME: &'static str;

    /// Reads one value.
    ///
    /// # Errors
    /// The first fault; places are in bytes.
    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError>;

    /// Reads one value that is shown to no visitor.
    ///
    /// A declared type does it in code that is compiled once, in this crate: generic code would be
    /// compiled again in each crate that reads one.
    ///
    /// # Errors
    /// As in [`UperDecode::decode`].
    #[inline]
    fn decode_silently(reader: &mut UperReader<'a, Silent>) -> Result<Self, WireError> {
        Self::decode(reader)
    }
}

/// A type that is written.
pub trait UperEncode {
    /// Writes the value.
    ///
    /// # Errors
    /// [`EmitError::OutOfRange`] for a value that the type does not have, and what the sink says.
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError>;

    /// Adds to a length what the value has, compiled once as in [`UperDecode::decode_silently`].
    ///
    /// # Errors
    /// As in [`UperEncode::encode`].
    #[inline]
    fn measure(&self, length: &mut UperLength) -> Result<(), EmitError> {
        self.encode(length)
    }

    /// Writes the value into a slice, compiled once as in [`UperDecode::decode_silently`].
    ///
    /// # Errors
    /// As in [`UperEncode::encode`].
    #[inline]
    fn fill(&self, slice: &mut UperSlice<'_>) -> Result<(), EmitError> {
        self.encode(slice)
    }
}

/// Reads a value that fills all of `input`, but for the bits that fill its last byte.
///
/// # Errors
/// The first fault; bytes that are left over are one, and so are bits that should be zeros.
pub fn parse<'a, T: UperDecode<'a>>(input: &'a [u8]) -> Result<T, WireError> {
    let mut reader = UperReader::new(input, Silent);
    let value = T::decode_silently(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// Reads a value that fills all of `input` and shows it to a visitor on the way.
///
/// # Errors
/// As in [`parse`]. The visitor has seen what stands before the fault.
pub fn parse_with<'a, T: UperDecode<'a>, V: Visitor>(
    input: &'a [u8],
    visitor: V,
) -> Result<T, WireError> {
    let mut reader = UperReader::new(input, visitor);
    let value = reader.field("")?;
    reader.finish()?;
    Ok(value)
}

/// Writes a value to the beginning of `buffer`, its last byte filled with zeros; returns what was
/// written.
///
/// # Errors
/// As in [`UperEncode::encode`]; [`EmitError::NoRoom`] for a short buffer, which is then unchanged.
pub fn emit<'b, T: UperEncode + ?Sized>(
    value: &T,
    buffer: &'b mut [u8],
) -> Result<&'b [u8], EmitError> {
    let room = buffer.get_mut(..length(value)?).ok_or(EmitError::NoRoom)?;
    value.fill(&mut UperSlice::new(room))?;
    Ok(room)
}

/// Returns how long a value is when written, in bytes; at least one, as the standard has it.
///
/// # Errors
/// As in [`UperEncode::encode`].
pub fn length<T: UperEncode + ?Sized>(value: &T) -> Result<usize, EmitError> {
    let mut length = UperLength::default();
    value.measure(&mut length)?;
    Ok(length.bits().div_ceil(8).max(1))
}

impl<'a> UperDecode<'a> for bool {
    const NAME: &'static str = "BOOLEAN";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        let bit = reader.bit()?;
        reader.value(crate::coer::LeafValue::Unsigned(u64::from(bit)));
        Ok(bit)
    }
}

impl UperEncode for bool {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(u64::from(*self), 1)
    }
}

/// The largest length of an open type that is not cut into fragments, in bytes.
const OPEN_MAX: usize = 0x3FFF;

impl<'a, V: Visitor> UperReader<'a, V> {
    /// Reads an open type \[X.691 §11.2\]: its length in bytes, then bits that `read` need not all
    /// take; what it leaves has to be zero and less than a byte.
    ///
    /// # Errors
    /// What `read` says, [`ParseFault::TrailingBytes`], [`ParseFault::PaddingNotZero`], and
    /// [`ParseFault::OutOfRange`] for no byte at all.
    pub fn open<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        let offset = self.offset();
        let bytes = self.length()?;
        if bytes == 0 {
            return Err(WireError::at(ParseFault::OutOfRange, offset));
        }
        self.within(bytes * 8, |reader| {
            let value = read(reader)?;
            reader.finish()?;
            Ok(value)
        })
    }

    /// Reads the length of an open type or a string without bounds, in bytes \[X.691 §11.9.4.2\].
    ///
    /// # Errors
    /// [`ParseFault::LengthTooLarge`] where it comes in fragments, [`ParseFault::NotCanonical`]
    /// where it could be shorter.
    pub fn length(&mut self) -> Result<usize, WireError> {
        let offset = self.offset();
        let fault = |fault| Err(WireError::at(fault, offset));
        match self.bits(8)? {
            short @ 0..0x80 => Ok(short as usize),
            long @ 0x80..0xC0 => match (long & 0x3F) << 8 | self.bits(8)? {
                0..0x80 => fault(ParseFault::NotCanonical),
                length => Ok(length as usize),
            },
            _ => fault(ParseFault::LengthTooLarge),
        }
    }

    /// Skips the extension additions of a SEQUENCE, if `is_extended`; returns their bits
    /// \[X.691 §19.7\].
    ///
    /// # Errors
    /// [`ParseFault::Truncated`], [`ParseFault::OutOfRange`] for more than 64 of them.
    pub fn additions(&mut self, is_extended: bool) -> Result<Bits<'a>, WireError> {
        if !is_extended {
            return Ok(Bits::default());
        }
        let start = self.place();
        let count = self.small()? as u32 + 1;
        let present = self.bits(count)?;
        for _ in 0..present.count_ones() {
            let bytes = self.length()?;
            self.skip(bytes * 8)?;
        }
        Ok(self.since(start))
    }
}

/// Writes the length of an open type, in bytes.
///
/// # Errors
/// [`EmitError::OutOfRange`] beyond 16,383.
pub fn put_length<S: UperSink>(bytes: usize, sink: &mut S) -> Result<(), EmitError> {
    match bytes {
        0..0x80 => sink.put(bytes as u64, 8),
        0x80..=OPEN_MAX => sink.put(bytes as u64 | 0x8000, 16),
        _ => Err(EmitError::OutOfRange("length")),
    }
}

/// Writes an open type: its length, the value, and zeros up to a whole byte.
///
/// # Errors
/// As in [`UperEncode::encode`], and beyond 16,383 bytes.
pub fn put_open<T: UperEncode, S: UperSink>(value: &T, sink: &mut S) -> Result<(), EmitError> {
    let mut length = UperLength::default();
    value.encode(&mut length)?;
    let bytes = length.bits().div_ceil(8).max(1);
    put_length(bytes, sink)?;
    value.encode(sink)?;
    sink.put(0, (bytes * 8 - length.bits()) as u32)
}
