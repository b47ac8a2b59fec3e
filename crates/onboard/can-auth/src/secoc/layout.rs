//! The places of payload, freshness and code in the frames of a stream.

use core::ops::{Range, RangeInclusive};

use super::carrier::SecocCarrier;

/// The place and lengths of the payload, and its authenticated part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(super) carrier: SecocCarrier,
    pub(super) shortest: u8,
    pub(super) longest: u8,
    pub(super) secured: Option<(u8, u8)>,
    pub(super) padding: u8,
}

impl Layout {
    /// Payloads of `length` bytes, all of it authenticated; an FD frame is filled up with zeros
    /// behind the code.
    #[must_use]
    pub const fn fixed(carrier: SecocCarrier, length: u8) -> Self {
        Self::variable(carrier, length..=length)
    }

    /// Payloads whose number of bytes is in `lengths`. The frame's length tells that of the
    /// payload: in FD frames only those lengths can be sent that fill a frame.
    #[must_use]
    pub const fn variable(carrier: SecocCarrier, lengths: RangeInclusive<u8>) -> Self {
        Layout {
            carrier,
            shortest: *lengths.start(),
            longest: *lengths.end(),
            secured: None,
            padding: 0,
        }
    }

    /// Returns the frames that carry it, and the length of the longest payload.
    #[must_use]
    pub const fn carried(self) -> (SecocCarrier, u8) {
        (self.carrier, self.longest)
    }

    /// Returns the numbers of bytes that a payload may have.
    #[must_use]
    pub const fn lengths(self) -> RangeInclusive<u8> {
        self.shortest..=self.longest
    }

    /// Returns the authenticated bytes of the payload; none if all are.
    #[must_use]
    pub fn secured_area(self) -> Option<Range<u8>> {
        let (offset, length) = self.secured?;
        Some(offset..offset.saturating_add(length))
    }

    /// Returns the byte that FD frames are filled up with.
    #[must_use]
    pub const fn padding(self) -> u8 {
        self.padding
    }

    /// The same with only these bytes of the payload authenticated. **Any node on the bus may
    /// change the rest of the payload.**
    #[must_use]
    pub const fn secured(self, area: Range<u8>) -> Self {
        Layout {
            secured: Some((area.start, area.end.saturating_sub(area.start))),
            ..self
        }
    }

    /// The same with FD frames filled up with this byte. A receiver refuses any other.
    #[must_use]
    pub const fn padded_with(self, padding: u8) -> Self {
        Layout { padding, ..self }
    }
}
