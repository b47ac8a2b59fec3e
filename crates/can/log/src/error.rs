//! Errors of reading a log, each with its place, cause and remedy.

use std::fmt;
use std::io;

use waywarden_can::{FrameError, IdError};

use crate::record::ChannelError;

mod blf;
mod capture;
mod mf4;
mod row;
mod sqlite;

pub use self::blf::BlfCause;
pub use self::capture::CaptureCause;
pub use self::mf4::Mf4Cause;
pub use self::row::RowCause;
pub use self::sqlite::SqliteCause;

/// The longest piece of a broken file an error quotes, in bytes.
const QUOTE_MAX: usize = 40;

/// A fault in a log: its place and its cause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {cause}")]
pub struct LogError {
    /// Place in the file.
    pub place: LogLocation,
    /// The cause and its remedy.
    pub cause: LogCause,
}

/// A place in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLocation {
    /// A line of a text log, counted from 1.
    Line(u64),
    /// A byte of the file, counted from 0. Of a compressed file: of the file as it lies there.
    Offset(u64),
    /// An object of a BLF file: the byte of the container that holds its first byte, and the
    /// object's byte in the joined, unpacked content of all containers.
    Unpacked {
        /// Byte of the file at which the container starts.
        container: u64,
        /// Byte in the unpacked content.
        offset: u64,
    },
}

/// Reason why a log or a part of it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogCause {
    /// The bytes do not arrive.
    #[error(transparent)]
    Input(#[from] InputCause),
    /// A line of a text log is broken.
    #[error(transparent)]
    Line(#[from] LineCause),
    /// A row of TRC, BUSMASTER, CRTD or CSV is broken.
    #[error(transparent)]
    Row(#[from] RowCause),
    /// A BLF file is broken.
    #[error(transparent)]
    Blf(#[from] BlfCause),
    /// A packet capture is broken.
    #[error(transparent)]
    Capture(#[from] CaptureCause),
    /// An MF4 file is broken.
    #[error(transparent)]
    Mf4(#[from] Mf4Cause),
    /// A SQLite database is broken.
    #[error(transparent)]
    Sqlite(#[from] SqliteCause),
}

/// Reason why the bytes of a log do not arrive as they should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputCause {
    /// The caller's reader failed.
    #[error("reading failed: {0}; check the file, the disk or the pipe")]
    Read(io::ErrorKind),
    /// A gzip file ends before its end mark.
    #[error("the gzip file ends here in the middle of its data; a complete copy is needed")]
    GzipTruncated,
    /// A gzip file whose data or check sum is wrong.
    #[error("the gzip data is corrupt by here; a sound copy is needed")]
    GzipCorrupt,
    /// The format can be read from a file only, whose bytes can be read at any place.
    #[error(
        "{0} logs are read from a file at any place in it, not from a pipe and not as gzip; give \
         the unpacked file"
    )]
    NotSeekable(&'static str),
    /// The first bytes fit no known format.
    #[error(
        "no known log format; candump (log or screen form), ASC, BLF, TRC, BUSMASTER, CRTD, the \
         CSV of GVRET and python-can, and pcap and pcapng of SocketCAN are read, plain or gzip; \
         MF4 and the SQLite of python-can are read, not packed"
    )]
    UnknownFormat,
    /// The file is empty.
    #[error("the file is empty; a log has at least one line")]
    Empty,
}

/// Reason why a line of a text log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineCause {
    /// A line longer than any format writes.
    #[error("the line is longer than {max} bytes; is this a text log?")]
    TooLong {
        /// The bound, in bytes.
        max: usize,
    },
    /// The line ends too soon.
    #[error("{0} is missing; the line ends too soon: complete it or take it out")]
    Missing(MissingPart),
    /// A time stamp that is no number of seconds.
    #[error("time stamp {0}; right would be seconds and a fraction, such as 1620692699.796900")]
    TimeStamp(Quote),
    /// A time stamp that does not fit 64 bits of nanoseconds.
    #[error("time stamp {0} is above 18446744073 seconds, the year 2554; correct it")]
    TimeStampRange(Quote),
    /// A channel that cannot be one.
    #[error("channel {quote}: {cause}")]
    Channel {
        /// The channel in the file.
        quote: Quote,
        /// Reason why it is refused.
        cause: ChannelError,
    },
    /// A candump identifier of the wrong form.
    #[error(
        "identifier {0}; right would be 3 hexadecimal digits (11 bits) or 8 (29 bits, error frames)"
    )]
    CandumpId(Quote),
    /// An ASC channel that cannot be one.
    #[error("channel {0}; right would be a number from 1 to 256")]
    AscChannel(Quote),
    /// A line of an ASC file that starts with neither a time nor a known word.
    #[error(
        "{0}; right would be an event (its time in seconds first), a comment or a trigger block"
    )]
    AscLine(Quote),
    /// An ASC identifier of the wrong form.
    #[error(
        "identifier {0}; right would be a number in the file's base, with x behind it for 29 bits"
    )]
    AscId(Quote),
    /// An identifier out of range.
    #[error(transparent)]
    IdRange(#[from] IdError),
    /// A data byte of the wrong form.
    #[error(
        "data {0}; right would be two hexadecimal digits a byte (three decimal in ASC base dec)"
    )]
    Data(Quote),
    /// A count of data bytes that its format cannot carry.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A length or length code of the wrong form.
    #[error(
        "length {0}; right would be 0 to 64 in brackets (candump) or a length code 0 to f (ASC)"
    )]
    Length(Quote),
    /// The stated length and the data disagree.
    #[error(
        "{stated} data bytes are announced and {found} stand there; correct the length or the bytes"
    )]
    ByteCount {
        /// Number of bytes in the length field.
        stated: usize,
        /// Number of bytes that follow.
        found: usize,
    },
    /// CAN FD flags of the wrong form.
    #[error(
        "CAN FD flags {0}; right would be a digit 0 to 7 (1 BRS, 2 ESI, 4 FDF), in ASC 0 or 1 each"
    )]
    FdFlags(Quote),
    /// A length code behind the data that does not belong there.
    #[error("raw length code {0}; right would be _9 to _F, behind 8 data bytes or R8")]
    RawLengthCode(Quote),
    /// Neither Rx nor Tx.
    #[error("direction {0}; right would be Rx or Tx in ASC, R or T in candump")]
    Direction(Quote),
    /// A frame kind other than data and remote.
    #[error("frame kind {0}; right would be d (data) or r (remote)")]
    Kind(Quote),
    /// A CAN XL frame, which nothing here models.
    #[error("this is a CAN XL frame; classic CAN and CAN FD are read: leave it out of the log")]
    CanXl,
    /// Text behind a complete record.
    #[error("{0} stands behind a complete record; take it away")]
    Trailing(Quote),
    /// A candump line without frame.
    #[error("{0} is no frame; right would be ID#DATA, or ID [LENGTH] BYTES as on candump's screen")]
    NoFrame(Quote),
    /// An ASC `base` line of the wrong form.
    #[error("{0}; right would be `base hex  timestamps absolute` (or dec, relative)")]
    AscBase(Quote),
    /// An ASC `base` line that does not say how times are meant.
    #[error(
        "{0}; right would be `timestamps absolute` (or relative) behind the base: times are taken \
         as absolute"
    )]
    AscTimestamps(Quote),
}

impl LogError {
    /// Returns true if a reader that goes on behind this fault gives the rest of the log its
    /// meaning.
    ///
    /// False behind a `base` line of an ASC file that names no base of numbers, and where the bytes
    /// do not arrive at all.
    #[must_use]
    pub const fn is_skippable(&self) -> bool {
        !matches!(
            self.cause,
            LogCause::Line(LineCause::AscBase(_)) | LogCause::Input(InputCause::Read(_))
        )
    }

    /// Returns true if nothing is wrong, but the input has no more bytes yet
    /// ([`WouldBlock`](std::io::ErrorKind::WouldBlock)): candump and ASC as plain text go on where
    /// they were, even within a line.
    #[must_use]
    pub const fn is_silence(&self) -> bool {
        matches!(
            self.cause,
            LogCause::Input(InputCause::Read(io::ErrorKind::WouldBlock))
        )
    }
}

/// The part of a line that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingPart {
    /// The closing bracket of the time stamp.
    TimeStampEnd,
    /// The channel.
    Channel,
    /// The frame behind the channel.
    Frame,
    /// The identifier.
    Id,
    /// The direction.
    Direction,
    /// The data or remote mark.
    Kind,
    /// The length or length code.
    Length,
    /// The CAN FD flags.
    FdFlags,
}

/// A bounded piece of the broken text, unprintable bytes escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote(Box<str>);

impl Quote {
    pub(crate) fn new(text: &[u8]) -> Self {
        let shown = &text[..text.len().min(QUOTE_MAX)];
        let mark = if text.len() > QUOTE_MAX { "..." } else { "" };
        Quote(format!("\"{}{mark}\"", shown.escape_ascii()).into())
    }
}

impl fmt::Display for Quote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for LogLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogLocation::Line(line) => write!(f, "line {line}"),
            LogLocation::Offset(offset) => write!(f, "byte {offset}"),
            LogLocation::Unpacked { container, offset } => {
                write!(
                    f,
                    "byte {offset} of the unpacked data, container at byte {container}"
                )
            }
        }
    }
}

impl fmt::Display for MissingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MissingPart::TimeStampEnd => "the bracket that closes the time stamp",
            MissingPart::Channel => "the channel (such as can0)",
            MissingPart::Frame => "the frame behind the channel (such as 123#1122)",
            MissingPart::Id => "the identifier",
            MissingPart::Direction => "the direction (Rx or Tx)",
            MissingPart::Kind => "the frame kind (d or r)",
            MissingPart::Length => "the length",
            MissingPart::FdFlags => "the pair of CAN FD flags (BRS, ESI)",
        })
    }
}
