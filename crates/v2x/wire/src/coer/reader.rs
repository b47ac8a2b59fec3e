//! Position in the input, and all operations that move it.

use super::{CoerDecode, CoerSink, LeafValue, Visitor};
use crate::error::{EmitError, ParseFault, WireError};

/// Maximum nesting of structures of unlimited depth: enough for signed data in encrypted data in
/// signed data and a certificate in it, twice over.
const DEPTH_MAX: u8 = 16;

/// Reads values one after the other.
#[derive(Debug)]
pub struct CoerReader<'a, V> {
    input: &'a [u8],
    at: usize,
    /// End of the bytes that may be read.
    end: usize,
    depth: u8,
    visitor: V,
}

impl WireError {
    /// Tells a fault and its place, without a field.
    #[must_use]
    pub const fn at(fault: ParseFault, offset: usize) -> Self {
        Self {
            fault,
            offset,
            field: "",
        }
    }

    /// Names the innermost field.
    fn within(mut self, field: &'static str) -> Self {
        if self.field.is_empty() {
            self.field = field;
        }
        self
    }
}

impl<'a, V: Visitor> CoerReader<'a, V> {
    /// Begins at the beginning of `input`.
    #[must_use]
    pub fn new(input: &'a [u8], visitor: V) -> Self {
        Self {
            input,
            at: 0,
            end: input.len(),
            depth: 0,
            visitor,
        }
    }

    /// Returns the place in the input, in bytes.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Returns how many bytes are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.end - self.at
    }

    /// Returns what was read since a place before.
    #[must_use]
    pub fn since(&self, offset: usize) -> &'a [u8] {
        self.input.get(offset..self.at).unwrap_or(&[])
    }

    /// Returns an error at this place.
    #[cold]
    pub fn fault(&self, fault: ParseFault) -> WireError {
        WireError::at(fault, self.at)
    }

    /// Shows a leaf.
    #[inline]
    pub fn value(&mut self, value: LeafValue<'_>) {
        self.visitor.value(value);
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`].
    #[inline]
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let left = self.remaining();
        if length > left {
            return Err(self.fault(ParseFault::Truncated(length - left)));
        }
        let start = self.at;
        self.at += length;
        Ok(self.since(start))
    }

    /// Takes the next `N` bytes.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`].
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], WireError> {
        let left = self.input.get(self.at..self.end).unwrap_or(&[]);
        match left.first_chunk() {
            Some(chunk) => {
                self.at += N;
                Ok(chunk)
            }
            None => Err(self.fault(ParseFault::Truncated(N - left.len()))),
        }
    }

    /// Takes the next byte.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`].
    #[inline]
    pub fn byte(&mut self) -> Result<u8, WireError> {
        self.array::<1>().map(|&[byte]| byte)
    }

    /// Takes a length \[X.696 §8.6\].
    ///
    /// # Errors
    /// [`ParseFault::NotCanonical`] where it could be shorter, [`ParseFault::LengthTooLarge`].
    #[inline]
    pub fn length(&mut self) -> Result<usize, WireError> {
        match self.byte()? {
            short @ 0..0x80 => Ok(usize::from(short)),
            long => self.long_length(usize::from(long & 0x7F)),
        }
    }

    fn long_length(&mut self, bytes: usize) -> Result<usize, WireError> {
        let offset = self.at;
        let fault = |fault| Err(WireError::at(fault, offset));
        if bytes > size_of::<usize>() {
            return fault(ParseFault::LengthTooLarge);
        }
        let digits = self.take(bytes)?;
        let length = digits
            .iter()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        match digits {
            [] | [0, ..] => fault(ParseFault::NotCanonical),
            _ if length < 0x80 => fault(ParseFault::NotCanonical),
            _ => Ok(length),
        }
    }

    /// Reads a part under a field's name; its place and name stand in any error.
    ///
    /// # Errors
    /// What `read` says.
    #[inline]
    pub fn item<T: CoerDecode<'a>>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        self.visitor.enter(field, T::NAME, self.at);
        match read(self) {
            Ok(value) => {
                self.visitor.leave(self.at);
                Ok(value)
            }
            Err(error) => Err(error.within(field)),
        }
    }

    /// Reads a field.
    ///
    /// # Errors
    /// What its type says.
    #[inline]
    pub fn field<T: CoerDecode<'a>>(&mut self, field: &'static str) -> Result<T, WireError> {
        self.item(field, T::decode)
    }

    /// Reads a field that is absent where it has its default value.
    ///
    /// # Errors
    /// [`ParseFault::NotCanonical`] where it is there and has it, and what its type says.
    pub fn not_default<T: CoerDecode<'a> + PartialEq>(
        &mut self,
        field: &'static str,
        default: &T,
    ) -> Result<T, WireError> {
        let offset = self.at;
        let value = self.field(field)?;
        match value == *default {
            true => Err(WireError::at(ParseFault::NotCanonical, offset).within(field)),
            false => Ok(value),
        }
    }

    /// Reads something that may have more of itself inside.
    ///
    /// # Errors
    /// [`ParseFault::TooDeep`], and what `read` says.
    pub fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        if self.depth == DEPTH_MAX {
            return Err(self.fault(ParseFault::TooDeep));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// Reads an open type \[X.696 §30\]: `read` has to take all of it.
    ///
    /// # Errors
    /// [`ParseFault::TrailingBytes`] where it does not, and what `read` says.
    pub fn open<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        let length = self.length()?;
        let left = self.remaining();
        if length > left {
            return Err(self.fault(ParseFault::Truncated(length - left)));
        }
        let outer = self.end;
        self.end = self.at + length;
        let value = read(self)?;
        match self.remaining() {
            0 => {}
            left => return Err(self.fault(ParseFault::TrailingBytes(left))),
        }
        self.end = outer;
        Ok(value)
    }

    /// Reads the tag of a CHOICE \[X.696 §8.7\]: of context class, which AUTOMATIC TAGS gives.
    ///
    /// # Errors
    /// [`ParseFault::UnknownTag`] for another class, or beyond 63, which no type here reaches.
    #[inline]
    pub fn tag(&mut self) -> Result<u8, WireError> {
        let offset = self.at;
        match self.byte()? {
            tag @ 0x80..0xBF => Ok(tag & 0x3F),
            other => Err(WireError::at(
                ParseFault::UnknownTag(u64::from(other)),
                offset,
            )),
        }
    }

    /// Reads an enumeration's value \[X.696 §11\].
    ///
    /// # Errors
    /// [`ParseFault::UnknownTag`] beyond 127, which no type here reaches.
    #[inline]
    pub fn enumerated(&mut self) -> Result<u8, WireError> {
        let offset = self.at;
        match self.byte()? {
            value @ 0..0x80 => Ok(value),
            other => Err(WireError::at(
                ParseFault::UnknownTag(u64::from(other)),
                offset,
            )),
        }
    }

    /// Reads the preamble of a SEQUENCE \[X.696 §16.2\]: the extension bit where there is one, then
    /// a bit for each field that may be absent. `bits` is at most 16.
    ///
    /// # Errors
    /// [`ParseFault::PaddingNotZero`].
    #[inline]
    pub fn preamble(&mut self, bits: u32) -> Result<Preamble, WireError> {
        let offset = self.at;
        let word = match bits {
            0 => 0,
            1..=8 => u16::from(self.byte()?) << 8,
            _ => u16::from_be_bytes(*self.array()?),
        };
        match word.checked_shl(bits).unwrap_or(0) {
            0 => Ok(Preamble(word)),
            _ => Err(WireError::at(ParseFault::PaddingNotZero, offset)),
        }
    }
}

/// The bits before a SEQUENCE's fields, the next one on top.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preamble(u16);

impl Preamble {
    /// Takes the next bit.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "bits do not end")]
    pub fn next(&mut self) -> bool {
        let bit = self.0 >> 15 != 0;
        self.0 <<= 1;
        bit
    }

    /// Adds a bit behind the `count` that are there.
    pub fn push(&mut self, count: &mut u32, bit: bool) {
        self.0 |= u16::from(bit) << (15 - *count);
        *count += 1;
    }

    /// Writes the first `count` bits.
    ///
    /// # Errors
    /// What the sink says.
    pub fn encode<S: CoerSink>(self, count: u32, sink: &mut S) -> Result<(), EmitError> {
        let bytes = self.0.to_be_bytes();
        sink.put(bytes.get(..count.div_ceil(8) as usize).unwrap_or(&bytes))
    }
}
