//! Position in the input, in bits, and all operations that move it.

use super::UperDecode;
use super::bits::{Bits, number_at};
use crate::coer::{LeafValue, Visitor};
use crate::error::{ParseFault, WireError};

/// Returns how many bits tell the numbers from 0 to `most`.
#[must_use]
pub const fn width(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// Reads values one after the other.
#[derive(Debug)]
pub struct UperReader<'a, V> {
    input: &'a [u8],
    /// First bit that may be read.
    start: usize,
    /// Position in bits.
    at: usize,
    /// End of the bits that may be read.
    end: usize,
    visitor: V,
}

impl<'a, V: Visitor> UperReader<'a, V> {
    /// Begins at the beginning of `input`.
    #[must_use]
    pub fn new(input: &'a [u8], visitor: V) -> Self {
        let bits = Bits::of(input);
        Self::over(&bits, visitor)
    }

    /// Begins at the beginning of `bits`.
    #[must_use]
    pub fn over(bits: &Bits<'a>, visitor: V) -> Self {
        let (input, at, length) = bits.parts();
        Self {
            input,
            start: at,
            at,
            end: at + length,
            visitor,
        }
    }

    /// Returns the place in the input, in whole bytes.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at / 8
    }

    /// Returns the place in the input, in bits.
    #[must_use]
    pub fn place(&self) -> usize {
        self.at
    }

    /// Returns the number of bits that are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.end - self.at
    }

    /// Returns the bits that were read since a place before.
    #[must_use]
    pub fn since(&self, place: usize) -> Bits<'a> {
        Bits::new(self.input, place, self.at - place)
    }

    /// Shows a leaf.
    #[inline]
    pub fn value(&mut self, value: LeafValue<'_>) {
        self.visitor.value(value);
    }

    fn check(&self, bits: usize) -> Result<(), WireError> {
        match bits.checked_sub(self.remaining()) {
            None | Some(0) => Ok(()),
            Some(missing) => {
                let fault = ParseFault::Truncated(missing.div_ceil(8));
                Err(WireError::at(fault, self.offset()))
            }
        }
    }

    /// Takes the next bits as a number; `count` is at most 64.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`].
    #[inline]
    pub fn bits(&mut self, count: u32) -> Result<u64, WireError> {
        self.check(count as usize)?;
        let number = number_at(self.input, self.at, count);
        self.at += count as usize;
        Ok(number)
    }

    /// Takes the next bit.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`].
    #[inline]
    pub fn bit(&mut self) -> Result<bool, WireError> {
        self.bits(1).map(|bit| bit != 0)
    }

    /// Takes a number from 0 to `most` \[X.691 §11.5\].
    ///
    /// # Errors
    /// [`ParseFault::OutOfRange`] for a greater one.
    #[inline]
    pub fn up_to(&mut self, most: u64) -> Result<u64, WireError> {
        let offset = self.offset();
        match self.bits(width(most))? {
            number if number <= most => Ok(number),
            _ => Err(WireError::at(ParseFault::OutOfRange, offset)),
        }
    }

    /// Takes a number that is small as a rule \[X.691 §11.6\].
    ///
    /// # Errors
    /// [`ParseFault::OutOfRange`] for 64 and more, which no type here reaches.
    pub fn small(&mut self) -> Result<u8, WireError> {
        let offset = self.offset();
        match self.bit()? {
            false => self.bits(6).map(|number| number as u8),
            true => Err(WireError::at(ParseFault::OutOfRange, offset)),
        }
    }

    /// Passes over bits.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`].
    pub fn skip(&mut self, bits: usize) -> Result<(), WireError> {
        self.check(bits)?;
        self.at += bits;
        Ok(())
    }

    /// Takes all bits that are left.
    #[must_use]
    pub fn rest(&mut self) -> Bits<'a> {
        let start = self.at;
        self.at = self.end;
        self.since(start)
    }

    /// Checks that only the zeros that pad the last byte are left.
    ///
    /// # Errors
    /// [`ParseFault::TrailingBytes`], [`ParseFault::PaddingNotZero`].
    pub fn finish(&mut self) -> Result<(), WireError> {
        let (offset, left) = (self.offset(), self.remaining());
        // A value of no bits has a byte all the same.
        if left >= 8 && !(left == 8 && self.at == self.start) {
            return Err(WireError::at(ParseFault::TrailingBytes(left / 8), offset));
        }
        match self.bits(left as u32)? {
            0 => Ok(()),
            _ => Err(WireError::at(ParseFault::PaddingNotZero, offset)),
        }
    }

    /// Reads from the next bits, as many as `length` says, as if there were no others.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`], and what `read` says.
    pub(super) fn within<T>(
        &mut self,
        length: usize,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        self.check(length)?;
        let outer = (self.start, self.end);
        (self.start, self.end) = (self.at, self.at + length);
        let value = read(self)?;
        (self.start, self.end) = outer;
        Ok(value)
    }

    /// Reads a part under a field's name; its place and name stand in any error.
    ///
    /// # Errors
    /// What its type says.
    #[inline]
    pub fn field<T: UperDecode<'a>>(&mut self, field: &'static str) -> Result<T, WireError> {
        self.item(field, T::decode)
    }

    /// Reads a part that is not there where it has its default value.
    ///
    /// # Errors
    /// [`ParseFault::NotCanonical`] where it is there and has it, and what its type says.
    pub fn not_default<T: UperDecode<'a> + PartialEq>(
        &mut self,
        field: &'static str,
        default: &T,
    ) -> Result<T, WireError> {
        let offset = self.offset();
        self.item(field, |reader| match T::decode(reader)? {
            value if value == *default => Err(WireError::at(ParseFault::NotCanonical, offset)),
            value => Ok(value),
        })
    }

    /// Reads a part by `read` under a field's name.
    ///
    /// # Errors
    /// What `read` says.
    #[inline]
    pub fn item<T: UperDecode<'a>>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        self.visitor.enter(field, T::NAME, self.offset());
        match read(self) {
            Ok(value) => {
                self.visitor.leave(self.at.div_ceil(8));
                Ok(value)
            }
            Err(mut error) => {
                // The innermost field is named.
                if error.field.is_empty() {
                    error.field = field;
                }
                Err(error)
            }
        }
    }
}
