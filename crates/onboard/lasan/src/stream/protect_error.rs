//! Errors of sending a frame under the key of its stream.

/// Reason that a frame cannot be sent protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamProtectError {
    /// There is no key of this stream, or its time is over.
    NoKey,
    /// Another ECU sends this stream.
    NotSender,
    /// No frame of its format has room for the protection.
    TooLong,
    /// An earlier frame of the stream still waits for the processor.
    Busy,
}

impl core::fmt::Display for StreamProtectError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::NoKey => "there is no key of this stream",
            Self::NotSender => "another ECU sends this stream",
            Self::TooLong => "the frame has no room for the protection",
            Self::Busy => "the frame before is still being protected",
        })
    }
}

impl core::error::Error for StreamProtectError {}
