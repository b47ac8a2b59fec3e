//! The rule by which vehicles are revoked, in numbers.

use core::fmt;

/// Maximum number of reporters that a rule can demand.
pub const REPORTERS_MAX: u8 = 16;

/// Maximum number of messages that a rule can demand.
pub const MESSAGES_MAX: u8 = 8;

const HOUR: u64 = 3_600_000_000;

/// The rule: how many vehicles have to report, how many messages, and within which time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Number of different vehicles that report; 1 to [`REPORTERS_MAX`].
    pub reporters: u8,
    /// Number of different messages of the accused; 1 to [`MESSAGES_MAX`].
    pub messages: u8,
    /// Time in which these messages were made, in microseconds.
    pub window_us: u64,
    /// Age of a message after which it counts no more, in microseconds; at least the window.
    pub retention_us: u64,
}

/// A rule that decides nothing, or that memory has no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// A number of reporters of 0 or too many.
    Reporters(u8),
    /// A number of messages of 0 or too many.
    Messages(u8),
    /// A window of no time, or longer than messages are kept.
    Window,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            reporters: 3,
            messages: 2,
            window_us: 24 * HOUR,
            retention_us: 30 * 24 * HOUR,
        }
    }
}

impl Policy {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`PolicyError`].
    pub fn check(&self) -> Result<(), PolicyError> {
        if !(1..=REPORTERS_MAX).contains(&self.reporters) {
            return Err(PolicyError::Reporters(self.reporters));
        }
        if !(1..=MESSAGES_MAX).contains(&self.messages) {
            return Err(PolicyError::Messages(self.messages));
        }
        match self.window_us == 0 || self.window_us > self.retention_us {
            true => Err(PolicyError::Window),
            false => Ok(()),
        }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reporters(found) => {
                write!(f, "{found} reporters; give 1 to {REPORTERS_MAX}")
            }
            Self::Messages(found) => write!(f, "{found} messages; give 1 to {MESSAGES_MAX}"),
            Self::Window => f.write_str("the window is empty, or longer than messages are kept"),
        }
    }
}

impl core::error::Error for PolicyError {}
