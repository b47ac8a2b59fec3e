//! Offsets of streams: stated, or unknown as in a message matrix that states none.

use waywarden_work::Duration;

use super::{Stream, VehicleFile};

/// Time from the sender's start to the first instance of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// As the file states it, 0 where it states nothing.
    Stated(Duration),
    /// `"unknown"`: any time below the period.
    Unknown,
}

impl Offset {
    /// Returns the stated offset, and 0 for an unknown one.
    ///
    /// With all unknown offsets at 0 the sender releases these streams together: the critical
    /// instant of its processor and queue.
    #[must_use]
    pub const fn or_zero(self) -> Duration {
        match self {
            Offset::Stated(offset) => offset,
            Offset::Unknown => Duration::ZERO,
        }
    }

    /// Returns true for an offset that the file states to be unknown.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        matches!(self, Offset::Unknown)
    }
}

impl Stream {
    /// Latest time from the sender's start to the first instance, as far as the file states one.
    #[must_use]
    pub const fn latest_offset(&self) -> Duration {
        match self.offset {
            Offset::Stated(offset) => offset,
            Offset::Unknown => self.period,
        }
    }
}

impl VehicleFile {
    /// Returns the number of streams with an unknown offset.
    #[must_use]
    pub fn unknown_offsets(&self) -> usize {
        let streams = self.streams.iter();
        streams.filter(|stream| stream.offset.is_unknown()).count()
    }
}
