//! Errors of protecting and checking a log.
//!
//! Messages name the stream or table and the remedy. The caller, who read the record, knows its
//! file and line.

use waywarden_can_auth::error::ProtectError;
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::secoc::TripsExhaustedError;

use crate::plan::UnknownBusError;
use crate::stream_state::StreamSetupError;

/// Limit on the streams of a log, over all channels: each takes some kilobytes.
pub const LOG_STREAMS_MAX: usize = 8_192;

const FOREIGN_CHANNEL: &str =
    "the channels have no such channel; hand in those of the reader that read the record";

/// Reason why a record cannot be protected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtectLogError {
    /// The record is not of the log whose channels came with it.
    #[error("{FOREIGN_CHANNEL}")]
    ForeignChannel,
    /// The channel is no bus of the vehicle.
    #[error(transparent)]
    UnknownBus(#[from] UnknownBusError),
    /// The next announcement cannot be made.
    #[error(transparent)]
    Announcement(#[from] AnnouncementError),
    /// The log has an identifier that inserted frames would have.
    #[error(
        "{id} is the identifier of {frames} that would be put in; protect other messages, or take \
         another scheme or `announce_id`"
    )]
    IdentifierInUse {
        /// The identifier, as 0x and 3 or 8 digits.
        id: String,
        /// The frames that would have it.
        frames: InsertedFrames,
    },
    /// A message of a stream cannot be protected.
    #[error("{stream}: {cause}")]
    Stream {
        /// The stream: its name, its identifier or both.
        stream: String,
        /// The cause.
        cause: ProtectStreamError,
    },
}

/// Frames that a protected log has besides those of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertedFrames {
    /// Those of the freshness master.
    Announcements,
    /// All under 29-bit identifiers that LeiA may use.
    Leia,
    /// Those with the tag of a message.
    Tags,
}

/// Reason why a message of a stream cannot be protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtectStreamError {
    /// It would be one stream more than [`LOG_STREAMS_MAX`].
    #[error("more than {LOG_STREAMS_MAX} streams; protect fewer")]
    TooManyStreams,
    /// A frame of one form under an identifier whose stream has the other: it would come back in
    /// that form.
    #[error(
        "{}; leave its identifier out with `except`",
        match is_fd {
            true => "CAN FD, where messages of this stream are classic",
            false => "a classic frame, where messages of this stream are CAN FD",
        }
    )]
    MixedFormats {
        /// True if this frame is CAN FD.
        is_fd: bool,
    },
    /// vatiCAN and LeiA have no CAN FD frames.
    #[error(
        "CAN FD, and vatiCAN and LeiA have classic frames; write `scheme = \"secoc\"`, or leave it \
         out with `except`"
    )]
    FdUnsupported,
    /// A short CAN FD frame in a table that makes CAN FD frames of classic ones.
    #[error(
        "CAN FD already, and would come back as a classic frame; protect it in a table without `fd`"
    )]
    FdAlready,
    /// A classic frame whose length code is above 8, which the protected frame cannot have.
    #[error("has the length code {0}, which would be lost; leave it out with `except`")]
    LengthCode(u8),
    /// Freshness and authenticator do not fit the classic frame beside the payload.
    #[error(
        "{length} bytes, and freshness and code take {trailer} of the 8 that its frame has; make \
         CAN FD frames with `fd = true`, or leave it out with `except`"
    )]
    NoRoom {
        /// The payload, in bytes.
        length: usize,
        /// Freshness and authenticator, in bytes.
        trailer: usize,
    },
    /// A payload of another length than the first one, where a secured CAN FD frame has padding.
    #[error(
        "{length} bytes, unlike the first message of this stream, and a secured CAN FD frame would \
         not tell; leave it out with `except`"
    )]
    OtherLength {
        /// The payload, in bytes.
        length: usize,
    },
    /// The protocol has no such stream.
    #[error(transparent)]
    Setup(#[from] StreamSetupError),
    /// The announcement that the message needs cannot be made.
    #[error(transparent)]
    Announcement(#[from] AnnouncementError),
    /// The sender refuses.
    #[error(transparent)]
    Protect(#[from] ProtectError),
}

/// Reason why the freshness master makes no announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnnouncementError {
    /// The trip counter has no value for the epoch of the plan.
    #[error("epoch {epoch}: {error}; take another key")]
    Epoch {
        /// The epoch of the plan.
        epoch: u32,
        /// The cause.
        error: TripsExhaustedError,
    },
    /// The log needs more trips than the counter has.
    #[error("the trip counter is at its end; take another key")]
    TripsExhausted,
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyStoreError),
}

/// Reason why a record cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckLogError {
    /// The record is not of the log whose channels came with it.
    #[error("{FOREIGN_CHANNEL}")]
    ForeignChannel,
    /// The channel is no bus of the vehicle.
    #[error(transparent)]
    UnknownBus(#[from] UnknownBusError),
    /// The log has more streams than [`LOG_STREAMS_MAX`].
    #[error("more than {LOG_STREAMS_MAX} streams; name those to be checked")]
    TooManyStreams,
    /// The protocol has no such stream.
    #[error(transparent)]
    Setup(#[from] StreamSetupError),
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyStoreError),
}

impl std::fmt::Display for InsertedFrames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            InsertedFrames::Announcements => "announcements",
            InsertedFrames::Leia => "LeiA's frames",
            InsertedFrames::Tags => "tags",
        })
    }
}
