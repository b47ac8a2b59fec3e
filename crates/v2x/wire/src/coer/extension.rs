//! Extension additions of later versions of a standard: known ones are read, unknown ones are
//! skipped and kept.

use super::reader::CoerReader;
use super::{CoerDecode, CoerEncode, CoerSink, LeafValue, Visitor, put_length};
use crate::error::{EmitError, ParseFault, WireError};

/// Maximum number of extension additions of a SEQUENCE; the standards stay below ten.
const ADDITIONS_MAX: usize = 64;

impl<'a, V: Visitor> CoerReader<'a, V> {
    /// Reads the presence bits of the extension additions \[X.696 §16.4\]; there are none unless
    /// `is_extended`.
    ///
    /// # Errors
    /// [`ParseFault::OutOfRange`] for none or more than 64 of them, [`ParseFault::PaddingNotZero`].
    pub fn additions(&mut self, is_extended: bool) -> Result<Additions, WireError> {
        if !is_extended {
            return Ok(Additions::default());
        }
        let offset = self.offset();
        let fault = |fault| Err(WireError::at(fault, offset));
        let length = self.length()?;
        let bytes = self.take(length)?;
        let Some((&unused, map)) = bytes.split_first() else {
            return fault(ParseFault::OutOfRange);
        };
        if unused > 7 || map.is_empty() || map.len() > ADDITIONS_MAX / 8 {
            return fault(ParseFault::OutOfRange);
        }
        let word = map
            .iter()
            .fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        let count = map.len() * 8 - usize::from(unused);
        let present = word << (ADDITIONS_MAX - map.len() * 8);
        match present.checked_shl(count as u32).unwrap_or(0) {
            _ if present == 0 => fault(ParseFault::OutOfRange),
            0 => Ok(Additions {
                present,
                count: count as u8,
            }),
            _ => fault(ParseFault::PaddingNotZero),
        }
    }

    /// Reads the next extension addition, if it is there.
    ///
    /// # Errors
    /// What its type says.
    #[inline]
    pub fn addition<T: CoerDecode<'a>>(
        &mut self,
        additions: &mut Additions,
        field: &'static str,
    ) -> Result<Option<T>, WireError> {
        match additions.next() {
            true => self.item(field, |reader| reader.open(T::decode)).map(Some),
            false => Ok(None),
        }
    }

    /// Skips the extension additions that this version does not know, and keeps their bytes.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`].
    pub fn unknown(&mut self, mut additions: Additions) -> Result<UnknownAdditions<'a>, WireError> {
        let kept = additions;
        let start = self.offset();
        while additions.present != 0 {
            if additions.next() {
                self.item("", Unknown::decode)?;
            }
        }
        Ok(UnknownAdditions {
            present: kept.present,
            count: kept.count,
            bytes: self.since(start),
        })
    }
}

/// Presence bits of extension additions; the bit of the next addition is on top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Additions {
    present: u64,
    count: u8,
}

impl Additions {
    /// Takes the presence bit of the next addition.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "bits do not end")]
    pub fn next(&mut self) -> bool {
        let bit = self.present >> 63 != 0;
        self.present <<= 1;
        bit
    }
}

/// Extension additions that this version does not know: skipped in parsing, and kept so that the
/// value is written unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnknownAdditions<'a> {
    /// Presence bits, the first addition on top.
    present: u64,
    /// Number of additions, known and unknown, that the writer knew; 0 for a value that was not
    /// read.
    count: u8,
    bytes: &'a [u8],
}

impl UnknownAdditions<'_> {
    /// Returns true if there are unknown additions.
    #[must_use]
    pub fn any(&self) -> bool {
        self.present != 0
    }

    /// Writes the presence bits; `known` has those of this version's additions.
    ///
    /// # Errors
    /// What the sink says.
    pub fn encode_map<S: CoerSink>(&self, known: &[bool], sink: &mut S) -> Result<(), EmitError> {
        let bits = known.iter().rev();
        let present = bits.fold(self.present, |word, &bit| word >> 1 | u64::from(bit) << 63);
        let last = (64 - present.trailing_zeros()) as usize;
        // As long as it was read, else as long as this version of the standard has it.
        let count = match self.count {
            0 => known.len(),
            count => usize::from(count),
        };
        let bytes = count.max(last).div_ceil(8);
        sink.put(&[bytes as u8 + 1, (bytes * 8 - count.max(last)) as u8])?;
        sink.put(present.to_be_bytes().get(..bytes).unwrap_or(&[]))
    }

    /// Writes the unknown additions themselves.
    ///
    /// # Errors
    /// What the sink says.
    pub fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(self.bytes)
    }
}

/// The bytes of something that this version does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown<'a>(pub &'a [u8]);

impl<'a> CoerDecode<'a> for Unknown<'a> {
    const NAME: &'static str = "unknown";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let length = reader.length()?;
        let bytes = reader.take(length)?;
        reader.value(LeafValue::Octets(bytes));
        Ok(Self(bytes))
    }
}

impl CoerEncode for Unknown<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        put_length(self.0.len(), sink)?;
        sink.put(self.0)
    }
}
