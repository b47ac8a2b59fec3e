//! Leaves: numbers, sizes, strings.

use core::fmt::Write;

use serde_json::{Value, json};
use waywarden_v2x_wire::coer::{LeafValue, Visitor};
use waywarden_v2x_wire::uper::Bits;
use waywarden_v2x_wire::{ParseFault, WireError};

use super::{Decoder, Reader};
use crate::layout::{Alphabet, Range, Size, Text};

/// Sizes from this one on are coded as if they had no bound \[X.691 §11.9.4.1\].
pub(crate) const BOUNDED_SIZES: u64 = 65_536;

/// Name of a value or an alternative of a later version, which has a number only.
pub(crate) fn numbered(at: usize) -> String {
    format!("#{at}")
}

/// Writes octets in hexadecimal digits.
pub(crate) fn hex(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |mut text, octet| {
        // A String takes all that is written.
        let _ = write!(text, "{octet:02X}");
        text
    })
}

/// Writes bits in hexadecimal digits, the last byte filled with zeros.
pub(crate) fn hex_of(bits: &Bits<'_>) -> String {
    hex(&bits.bytes().collect::<Vec<_>>())
}

/// Reads a number \[X.691 §13\].
pub(super) fn integer(reader: &mut Reader<'_>, range: &Range) -> Result<i64, WireError> {
    let offset = reader.offset();
    let fault = |fault| Err(WireError::at(fault, offset));
    let is_beyond = range.is_extensible && reader.bit()?;
    match (range.low, range.high) {
        (Some(low), Some(high)) if !is_beyond => {
            Ok(low.wrapping_add(reader.up_to(low.abs_diff(high))? as i64))
        }
        (Some(low), None) if !is_beyond => {
            let bytes = reader.length()?;
            if !(1..=8).contains(&bytes) {
                return fault(ParseFault::OutOfRange);
            }
            let above = reader.bits(bytes as u32 * 8)?;
            if bytes > 1 && above >> ((bytes - 1) * 8) == 0 {
                return fault(ParseFault::NotCanonical);
            }
            match low.checked_add_unsigned(above) {
                Some(number) => Ok(number),
                None => fault(ParseFault::OutOfRange),
            }
        }
        _ => match reader.integer()? {
            within if is_beyond && range.contains(within) => fault(ParseFault::NotCanonical),
            number => Ok(number),
        },
    }
}

impl Range {
    /// Returns true for a number within the bounds.
    pub(crate) fn contains(&self, number: i64) -> bool {
        self.low.is_none_or(|low| low <= number) && self.high.is_none_or(|high| number <= high)
    }
}

/// Reads the number of elements of a list or string \[X.691 §11.9\].
pub(super) fn count(reader: &mut Reader<'_>, size: &Size) -> Result<usize, WireError> {
    let offset = reader.offset();
    let is_beyond = size.is_extensible && reader.bit()?;
    let bounded = size.high.filter(|high| *high < BOUNDED_SIZES && !is_beyond);
    let count = match bounded {
        Some(high) => size.low + reader.up_to(high - size.low)?,
        None => reader.length()? as u64,
    };
    match is_beyond == size.contains(count) {
        true => Err(WireError::at(ParseFault::OutOfRange, offset)),
        false => Ok(count as usize),
    }
}

impl Size {
    /// Returns true for a number of elements within the bounds.
    pub(crate) fn contains(&self, count: u64) -> bool {
        self.low <= count && self.high.is_none_or(|high| count <= high)
    }

    /// Returns the only number of elements, where no other can be.
    pub(crate) fn fixed(&self) -> Option<u64> {
        (self.high == Some(self.low) && !self.is_extensible).then_some(self.low)
    }
}

pub(super) fn octets(reader: &mut Reader<'_>, size: &Size) -> Result<Vec<u8>, WireError> {
    let count = count(reader, size)?;
    let start = reader.place();
    reader.skip(count.saturating_mul(8))?;
    Ok(reader.since(start).bytes().collect())
}

pub(super) fn text(reader: &mut Reader<'_>, text: &Text) -> Result<String, WireError> {
    let offset = reader.offset();
    let fault = |fault| WireError::at(fault, offset);
    let Alphabet::Of(characters) = &text.alphabet else {
        let octets = octets(reader, &Size::ANY)?;
        return String::from_utf8(octets).map_err(|_| fault(ParseFault::NotUtf8));
    };
    let (width, is_by_place) = Alphabet::width(characters);
    let mut out = String::new();
    for _ in 0..count(reader, &text.size)? {
        let code = reader.bits(width)?;
        let character = match is_by_place {
            true => characters.get(code as usize).copied(),
            false => u8::try_from(code)
                .ok()
                .filter(|byte| characters.contains(byte)),
        };
        out.push(
            character
                .ok_or_else(|| fault(ParseFault::OutOfRange))?
                .into(),
        );
    }
    Ok(out)
}

impl<V: Visitor> Decoder<'_, '_, V> {
    /// Reads bits: hexadecimal digits where their number is fixed, else those and the number.
    pub(super) fn bits(
        &mut self,
        reader: &mut Reader<'_>,
        size: &Size,
        names: &[&'static str],
    ) -> Result<Value, WireError> {
        let count = count(reader, size)?;
        let start = reader.place();
        reader.skip(count)?;
        let octets: Vec<u8> = reader.since(start).bytes().collect();
        self.visitor
            .value(LeafValue::Text(&shown(&octets, count, names)));
        let digits = hex(&octets);
        Ok(match size.fixed() {
            Some(_) => digits.into(),
            None => json!({ "value": digits, "length": count }),
        })
    }
}

/// Shows bits to people: the names of those that are set, or each as a digit.
fn shown(octets: &[u8], count: usize, names: &[&'static str]) -> String {
    let is_set = |bit: usize| {
        octets
            .get(bit / 8)
            .is_some_and(|byte| byte << (bit % 8) & 0x80 != 0)
    };
    if names.is_empty() {
        return (0..count)
            .map(|bit| if is_set(bit) { '1' } else { '0' })
            .collect();
    }
    let named = |bit: usize| match names.get(bit) {
        Some(&name) if !name.is_empty() => name.to_owned(),
        _ => format!("bit {bit}"),
    };
    let set: Vec<String> = (0..count).filter(|bit| is_set(*bit)).map(named).collect();
    match set.as_slice() {
        [] => "none".to_owned(),
        set => set.join(", "),
    }
}
