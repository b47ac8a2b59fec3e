//! Counts of the things that a written log does not carry.

/// Counts of the things that a writer left out because its format has no place for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Frames whose known direction is lost.
    pub directions: u64,
    /// Error frames whose class or details are lost.
    pub error_details: u64,
    /// CAN FD frames whose format, BRS or ESI is lost.
    pub fd_flags: u64,
    /// Records whose channel is lost.
    pub channels: u64,
    /// Records that are earlier than the one before, in a format that sorts by time.
    pub order: u64,
    /// Times that are rounded to microseconds.
    pub time_digits: u64,
}

impl Losses {
    /// Returns each kind of loss by name with its count; those that did not occur, too.
    #[must_use]
    pub const fn by_name(&self) -> [(&'static str, u64); 6] {
        [
            ("direction", self.directions),
            ("error details", self.error_details),
            ("CAN FD format or flags", self.fd_flags),
            ("channel", self.channels),
            ("order of writing", self.order),
            ("time below a microsecond", self.time_digits),
        ]
    }
}
