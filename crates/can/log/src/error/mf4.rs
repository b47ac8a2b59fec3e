//! Reasons why an MF4 file or a record of it cannot be read.

use waywarden_can::{FrameError, IdError};

use super::Quote;

/// Reason why an MF4 file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mf4Cause {
    /// The identification block is cut short or of another version.
    #[error("MDF version {0}; 4.00 to 4.20 are read; convert the file with a tool of its maker")]
    Version(Quote),
    /// A link that leads out of the file.
    #[error(
        "a link leads to byte {link}, behind the end of the file at {length}; a sound copy is \
             needed"
    )]
    Link {
        /// The link.
        link: u64,
        /// Length of the file.
        length: u64,
    },
    /// A block of another kind than its place asks for.
    #[error("a block {expected} belongs here; {found} stands here; a sound copy is needed")]
    Block {
        /// The kind that belongs there.
        expected: &'static str,
        /// The bytes that are there.
        found: Quote,
    },
    /// A block whose stated sizes contradict each other.
    #[error(
        "block {kind} states {length} bytes and {links} links, which do not fit each other; a \
         sound copy is needed"
    )]
    BlockSize {
        /// Kind of the block.
        kind: Quote,
        /// Stated length.
        length: u64,
        /// Stated number of links.
        links: u64,
    },
    /// More blocks than the file can have: the links form a circle.
    #[error("more than {0} blocks of description; do its links form a circle? write it again")]
    Blocks(u64),
    /// No channel group of bus logging.
    #[error(
        "no channel group has CAN_DataFrame, CAN_RemoteFrame or CAN_ErrorFrame: the file has \
         measured signals only, no CAN frames"
    )]
    NoFrames,
    /// A channel that a frame needs is missing.
    #[error(
        "{group} has no channel {channel}, without which its frames mean nothing; write the file \
         again with it"
    )]
    Missing {
        /// The composed channel.
        group: &'static str,
        /// The missing part.
        channel: &'static str,
    },
    /// A channel stored in a way that is not read.
    #[error("channel {channel} is stored as {form}, which is not read; {remedy}")]
    Unsupported {
        /// The channel.
        channel: &'static str,
        /// The way in which it is stored.
        form: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// A record size out of bounds.
    #[error("records of {size} bytes; at most {max} are read: write frames in groups of their own")]
    RecordSize {
        /// Stated size.
        size: u64,
        /// The bound.
        max: u64,
    },
    /// More data groups with frames than are merged.
    #[error("{0} data groups have frames; at most {1} are merged by time: split the file")]
    DataGroups(usize, usize),
    /// An identifier of a record that no channel group has.
    #[error(
        "record identifier {0} belongs to no channel group; nothing behind it can be read: a sound \
         copy is needed"
    )]
    RecordId(u64),
    /// The data ends within a record or before the stated number of records.
    #[error("the data ends here within a record; a complete copy is needed")]
    Truncated,
    /// Fewer records than stated.
    #[error("{missing} of {stated} records are missing; a complete copy is needed")]
    Records {
        /// Number of records that are missing.
        missing: u64,
        /// Stated number.
        stated: u64,
    },
    /// A packed block of an unknown kind.
    #[error("compression method {0}; right would be 0 (deflate) or 1 (transposed)")]
    Compression(u8),
    /// A packed block that states more than is read.
    #[error("the packed block states {stated} bytes; {max} at most are read: write smaller ones")]
    PackedSize {
        /// Stated size.
        stated: u64,
        /// The bound.
        max: u64,
    },
    /// A packed block that unpacks to another size than it states.
    #[error(
        "the packed block states {stated} bytes; {found} came out before unpacking ended; a sound \
         copy is needed"
    )]
    PackedLength {
        /// Stated size.
        stated: u64,
        /// Unpacked size; no more than one byte above the stated size is unpacked.
        found: u64,
    },
    /// A packed block whose data is broken.
    #[error("the packed data is corrupt or cut short; a sound copy is needed")]
    PackedData,
    /// Data blocks that refer to each other in a circle, or to one part of the file again.
    #[error("data blocks refer to one part of the file more than once; a sound copy is needed")]
    Circle,
    /// Data bytes of a frame that are not there.
    #[error(
        "the data bytes of this frame (at {0} of the signal data) are not in the file; a complete \
         copy is needed"
    )]
    Values(u64),
    /// Data bytes that are read too far out of order.
    #[error("the signal data is referred to out of order more than {0} times; sort the file first")]
    Order(u32),
    /// A time that is none.
    #[error(
        "time stamp {0} s lies before 1970 or after 2554, or is no number; correct it or the start \
         of the file"
    )]
    TimeStamp(String),
    /// A channel number out of bounds.
    #[error("bus channel {0}; right would be a number from 0 to 255")]
    Channel(u64),
    /// The stated length and the data disagree.
    #[error("{stated} data bytes are announced and {found} stand there; write the frame again")]
    ByteCount {
        /// The stated length.
        stated: usize,
        /// Number of bytes that the record has.
        found: usize,
    },
    /// More data bytes than a frame has.
    #[error("{0} data bytes; a CAN FD frame has 64 at most")]
    DataLength(u64),
    /// An identifier out of range.
    #[error(transparent)]
    IdRange(#[from] IdError),
    /// A length that its frame format cannot have.
    #[error(transparent)]
    Frame(#[from] FrameError),
}
