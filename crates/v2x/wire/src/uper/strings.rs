//! Strings of bits and of octets.

use super::{Bits, UperDecode, UperEncode, UperReader, UperSink, width};
use crate::coer::{LeafValue, Visitor};
use crate::error::{EmitError, WireError};

/// A BIT STRING of `N` bits, at most 64, each with a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags<const N: u32>(u64);

impl<const N: u32> Flags<N> {
    /// Takes the bits, the last one lowest; `None` if there are more than `N`.
    #[must_use]
    pub const fn new(bits: u64) -> Option<Self> {
        if width(bits) > N {
            return None;
        }
        Some(Self(bits))
    }

    /// Returns the bits, the last one lowest.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns true if a bit is set; the standard counts bits from 0 at the top.
    #[must_use]
    pub const fn is_set(self, bit: u32) -> bool {
        bit < N && self.0 >> (N - 1 - bit) & 1 != 0
    }
}

impl<'a, const N: u32> UperDecode<'a> for Flags<N> {
    const NAME: &'static str = "BIT STRING";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        let bits = reader.bits(N)?;
        reader.value(LeafValue::Unsigned(bits));
        Ok(Self(bits))
    }
}

impl<const N: u32> UperEncode for Flags<N> {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(self.0, N)
    }
}

/// An OCTET STRING of `MIN` to `MAX` octets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UperOctets<'a, const MIN: usize, const MAX: usize>(Bits<'a>);

impl<'a, const MIN: usize, const MAX: usize> UperOctets<'a, MIN, MAX> {
    /// Takes octets; `None` if there are too few or too many.
    #[must_use]
    pub fn new(octets: &'a [u8]) -> Option<Self> {
        (MIN..=MAX)
            .contains(&octets.len())
            .then(|| Self(Bits::of(octets)))
    }

    /// Returns the octets.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + use<'a, MIN, MAX> {
        self.0.bytes()
    }
}

impl<'a, const MIN: usize, const MAX: usize> UperDecode<'a> for UperOctets<'a, MIN, MAX> {
    const NAME: &'static str = "OCTET STRING";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        let length = MIN + reader.up_to((MAX - MIN) as u64)? as usize;
        let start = reader.place();
        reader.skip(length * 8)?;
        Ok(Self(reader.since(start)))
    }
}

impl<const MIN: usize, const MAX: usize> UperEncode for UperOctets<'_, MIN, MAX> {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let length = self.0.len() / 8;
        sink.put((length - MIN) as u64, width((MAX - MIN) as u64))?;
        self.0.encode(sink)
    }
}
