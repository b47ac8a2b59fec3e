//! Events that authenticators report to the ECU, and the payloads they hand on.

use waywarden_can::frame::DATA_MAX;
use waywarden_can::{Id, MessageHandle, StandardId};

/// Up to 64 bytes, with the handle of the message that they came in, which is not compared.
#[derive(Clone, Copy)]
pub struct CanPayload {
    bytes: [u8; DATA_MAX],
    length: u8,
    message: MessageHandle,
}

/// The outcome of a frame, or of waiting for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameOutcome {
    /// A message that is genuine, unchanged, and newer than any before.
    Authentic {
        /// The stream of the message.
        stream: StandardId,
        /// Its payload.
        payload: CanPayload,
    },
    /// A tag that does not belong to the message it came with.
    WrongTag(StandardId),
    /// A counter that was taken before; nothing was computed.
    Replay(StandardId),
    /// Data whose tag never came, or which was displaced by others before it came.
    Missing(StandardId),
    /// A tag to which there are no data.
    TagWithoutData(StandardId),
    /// The stream's state does not fit its sender's, and its sender is asked.
    OutOfStep(StandardId),
    /// The stream's state is its sender's again.
    Resynced(StandardId),
    /// A frame that belongs to no stream. It must not go anywhere.
    UnknownId(Id),
}

impl CanPayload {
    /// Takes the bytes; none from the 65th on.
    #[must_use]
    pub fn new(data: &[u8]) -> Self {
        let data = &data[..data.len().min(DATA_MAX)];
        let mut bytes = [0; DATA_MAX];
        bytes[..data.len()].copy_from_slice(data);
        CanPayload {
            bytes,
            length: data.len() as u8,
            message: MessageHandle::NONE,
        }
    }

    /// Returns this payload as that of the message of this handle.
    #[must_use]
    pub const fn with_message(self, message: MessageHandle) -> Self {
        CanPayload { message, ..self }
    }

    /// Returns the handle of the message that it came in.
    #[must_use]
    pub const fn message(&self) -> MessageHandle {
        self.message
    }

    /// Returns the bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl PartialEq for CanPayload {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for CanPayload {}

impl core::fmt::Debug for CanPayload {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}
