//! Reasons why a packet capture cannot be read.

use waywarden_can::{FrameError, IdError};

/// Reason why a packet capture cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureCause {
    /// Neither a capture nor its beginning.
    #[error("a capture starts with the mark of pcap or pcapng; a sound copy is needed")]
    Magic,
    /// The file ends within a header, block or packet.
    #[error("the file ends {missing} bytes before the end of this {what}; a whole copy is needed")]
    Truncated {
        /// Name of the part.
        what: &'static str,
        /// Number of missing bytes.
        missing: u64,
    },
    /// A block or packet of an impossible length.
    #[error("a {what} of {length} bytes; right would be {right}")]
    Length {
        /// Name of the part.
        what: &'static str,
        /// Stated length.
        length: u32,
        /// Lengths that are possible.
        right: &'static str,
    },
    /// A packet of an interface that is not described.
    #[error("a packet of interface {0}, which no block before it describes; copy the whole file")]
    Interface(u32),
    /// A time that has no place in 64 bits of nanoseconds since 1970.
    #[error(
        "a time of {0} s before or after 1970; right would be 0 to 18446744073: correct the clock \
         or its offset (if_tsoffset)"
    )]
    Time(i128),
    /// A unit of time that is too small.
    #[error("a resolution of times (if_tsresol) of {0}; right would be a power of ten up to 38")]
    Resolution(u8),
    /// Interfaces without names that cannot be told apart.
    #[error("interfaces whose names others have; give each interface a name of its own")]
    Names,
    /// More interfaces than a log has channels.
    #[error("more than 256 interfaces or channels; split the capture")]
    Channels,
    /// A captured packet that is shorter than its frame.
    #[error(
        "a packet of {found} bytes for a frame of {needed}; capture whole packets (snap length 128)"
    )]
    Short {
        /// Captured bytes.
        found: usize,
        /// Bytes of the frame.
        needed: usize,
    },
    /// A frame with more bytes than its format carries.
    #[error("a frame of {0} bytes; right would be 0 to 8, in CAN FD 0 to 64")]
    DataLength(u8),
    /// A CAN XL frame, which nothing here models.
    #[error("this is a CAN XL frame; classic CAN and CAN FD are read: filter it out")]
    CanXl,
    /// An identifier out of range.
    #[error(transparent)]
    IdRange(#[from] IdError),
    /// A length its frame format cannot have.
    #[error(transparent)]
    Frame(#[from] FrameError),
}
