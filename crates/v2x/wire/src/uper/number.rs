//! Numbers with bounds, with an extension marker and without.

use super::{UperDecode, UperEncode, UperReader, UperSink, width};
use crate::coer::{LeafValue, Visitor};
use crate::error::{EmitError, ParseFault, WireError};

/// An INTEGER from `MIN` to `MAX` \[X.691 §13.2\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounded<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Bounded<MIN, MAX> {
    /// The least one.
    pub const MIN: Self = Self(MIN);
    /// The greatest one.
    pub const MAX: Self = Self(MAX);

    /// Takes a number; `None` if it is out of bounds.
    #[must_use]
    pub const fn new(number: i64) -> Option<Self> {
        if number < MIN || number > MAX {
            return None;
        }
        Some(Self(number))
    }

    /// Returns the number.
    #[must_use]
    pub const fn value(self) -> i64 {
        self.0
    }
}

impl<'a, const MIN: i64, const MAX: i64> UperDecode<'a> for Bounded<MIN, MAX> {
    const NAME: &'static str = "INTEGER";

    #[inline]
    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        let number = MIN.wrapping_add(reader.up_to(MIN.abs_diff(MAX))? as i64);
        reader.value(LeafValue::Signed(number));
        Ok(Self(number))
    }
}

impl<const MIN: i64, const MAX: i64> UperEncode for Bounded<MIN, MAX> {
    #[inline]
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(self.0.abs_diff(MIN), width(MIN.abs_diff(MAX)))
    }
}

/// An INTEGER from `MIN` to `MAX` that later versions may stretch: any number \[X.691 §13.1\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtensibleInteger<const MIN: i64, const MAX: i64>(
    /// The number.
    pub i64,
);

impl<'a, const MIN: i64, const MAX: i64> UperDecode<'a> for ExtensibleInteger<MIN, MAX> {
    const NAME: &'static str = "INTEGER";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        if !reader.bit()? {
            return Bounded::<MIN, MAX>::decode(reader).map(|number| Self(number.value()));
        }
        let offset = reader.offset();
        let number = reader.integer()?;
        reader.value(LeafValue::Signed(number));
        match Bounded::<MIN, MAX>::new(number) {
            None => Ok(Self(number)),
            Some(_) => Err(WireError::at(ParseFault::NotCanonical, offset)),
        }
    }
}

impl<V: Visitor> UperReader<'_, V> {
    /// Reads a number without bounds \[X.691 §13.2.4\].
    ///
    /// # Errors
    /// [`ParseFault::OutOfRange`] for one of no byte or of more than eight,
    /// [`ParseFault::NotCanonical`] where fewer bytes would do.
    pub fn integer(&mut self) -> Result<i64, WireError> {
        let offset = self.offset();
        let fault = |fault| Err(WireError::at(fault, offset));
        let bytes = self.length()?;
        if !(1..=8).contains(&bytes) {
            return fault(ParseFault::OutOfRange);
        }
        let unused = 64 - bytes as u32 * 8;
        // Moves the sign to the top, and back.
        let number = (self.bits(bytes as u32 * 8)? << unused) as i64 >> unused;
        match signed_bytes(number) == bytes {
            true => Ok(number),
            false => fault(ParseFault::NotCanonical),
        }
    }
}

/// Writes a number without bounds \[X.691 §13.2.4\].
///
/// # Errors
/// What the sink says.
pub fn put_integer<S: UperSink>(number: i64, sink: &mut S) -> Result<(), EmitError> {
    let bytes = signed_bytes(number);
    sink.put(bytes as u64, 8)?;
    sink.put(number as u64, bytes as u32 * 8)
}

impl<const MIN: i64, const MAX: i64> UperEncode for ExtensibleInteger<MIN, MAX> {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        if let Some(number) = Bounded::<MIN, MAX>::new(self.0) {
            sink.put(0, 1)?;
            return number.encode(sink);
        }
        sink.put(1, 1)?;
        put_integer(self.0, sink)
    }
}

/// Returns the number of bytes that encode a signed number.
fn signed_bytes(number: i64) -> usize {
    let sign = match number < 0 {
        true => number.leading_ones(),
        false => number.leading_zeros(),
    };
    (64 - sign as usize) / 8 + 1
}
