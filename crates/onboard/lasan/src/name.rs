//! Names of parties in certificates, and the time.

use core::fmt;

/// The length of a name \[LASAN, testbed\].
pub const NAME_LENGTH: usize = 6;

/// The name of an ECU, the security module or an authority: six bytes, of which nothing is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub [u8; NAME_LENGTH]);

/// A time in milliseconds since whenever a network counts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetworkTime(pub u64);

impl NetworkTime {
    /// No time is later: for what holds for ever.
    pub const MAX: NetworkTime = NetworkTime(u64::MAX);
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}
