//! Reasons why a BLF file cannot be read.

use waywarden_can::{FrameError, IdError};

use super::Quote;

/// Reason why a BLF file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlfCause {
    /// The file header is cut short.
    #[error("the file header ends after {found} bytes; {needed} are needed: copy the whole file")]
    HeaderTruncated {
        /// Number of bytes there.
        found: u64,
        /// Bytes that the header states or must have.
        needed: u64,
    },
    /// The file does not start with the mark.
    #[error("a BLF file starts with LOGG; a sound copy is needed")]
    FileMark,
    /// A header size out of bounds.
    #[error("a file header of {0} bytes; right would be 144 (72 to 65536 are read)")]
    HeaderSize(u32),
    /// No object where one should start.
    #[error("an object starts with LOBJ; here stands {0}; a sound copy is needed")]
    ObjectMark(Quote),
    /// An object smaller than its header or larger than any object may be.
    #[error("object type {kind} states a size of {size} bytes; {min} to {max} are possible")]
    ObjectSize {
        /// Object type.
        kind: u32,
        /// Stated size.
        size: u32,
        /// The least possible.
        min: u32,
        /// The largest read.
        max: u32,
    },
    /// A frame beside the containers, where another object has begun and not ended.
    #[error("a frame (object type {kind}) within another object; it is left out")]
    WithinObject {
        /// Object type.
        kind: u32,
    },
    /// The file ends inside an object.
    #[error("the file ends {missing} bytes before the end of this object; copy the whole file")]
    Truncated {
        /// Number of missing bytes.
        missing: u64,
    },
    /// A container packed in an unknown way.
    #[error("compression method {0}; right would be 0 (none) or 2 (zlib)")]
    Compression(u16),
    /// A container that states more than is read.
    #[error("the container states {stated} unpacked bytes; {max} at most are read: save it again")]
    ContainerSize {
        /// The stated unpacked size.
        stated: u32,
        /// The bound.
        max: u32,
    },
    /// A container that unpacks to another size than it states.
    #[error(
        "the container states {stated} unpacked bytes; {found} came out before unpacking ended; a \
         sound copy is needed"
    )]
    ContainerLength {
        /// The stated unpacked size.
        stated: u32,
        /// The unpacked size; no more than one byte above the stated size is unpacked.
        found: u32,
    },
    /// A container whose zlib data is broken.
    #[error("the container's zlib data is corrupt or cut short; a sound copy is needed")]
    ContainerData,
    /// An object header of unknown version.
    #[error("object header version {0}; right would be 1 or 2")]
    HeaderVersion(u16),
    /// A time beyond 64 bits of nanoseconds.
    #[error("a time of {0} x 10 us is above 2^64 nanoseconds; correct it or leave the object out")]
    TimeStampRange(u64),
    /// A frame of an unknown direction.
    #[error("direction {0}; right would be 0 (received), 1 (sent) or 2 (asked to be sent)")]
    Direction(u8),
    /// A channel out of bounds.
    #[error("channel {0}; right would be a number from 1 to 256")]
    Channel(u16),
    /// An identifier out of range.
    #[error(transparent)]
    IdRange(#[from] IdError),
    /// A length its frame format cannot have.
    #[error(transparent)]
    Frame(#[from] FrameError),
}
