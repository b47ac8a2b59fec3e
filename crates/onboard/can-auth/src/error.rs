//! Errors of protecting a message: one type for all protocols.

use crate::key_store::KeyStoreError;

/// Reason that a message was not protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtectError {
    /// The stream has no payloads of this length.
    Length(usize),
    /// No announcement was heard since the start, or what it takes is not yet retained.
    Unsynchronised,
    /// The counter goes on once what it takes is retained.
    Unretained,
    /// The counter is used up: it goes on with the next announcement, a new epoch, or another key.
    Exhausted,
    /// The key store refused.
    KeyStore(KeyStoreError),
}

impl From<KeyStoreError> for ProtectError {
    fn from(error: KeyStoreError) -> Self {
        ProtectError::KeyStore(error)
    }
}

impl core::fmt::Display for ProtectError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            ProtectError::Length(length) => {
                write!(f, "the stream has no payloads of {length} bytes")
            }
            ProtectError::Unsynchronised => f.write_str("no announcement was heard yet"),
            ProtectError::Unretained => f.write_str("the counter is not retained yet"),
            ProtectError::Exhausted => f.write_str("the counter is used up"),
            ProtectError::KeyStore(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ProtectError {}
