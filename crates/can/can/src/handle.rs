//! The name of the message that a frame carries, for observers that follow messages through a
//! network.
//!
//! A message is named when its sender's software releases it. The name is part of every frame that
//! carries the message and of every copy of such a frame, so it goes along through queues, gateways
//! and attackers without any of them knowing of it. It is not on the wire, and frames that differ
//! in it alone are equal.
//!
//! Without the feature `identity`, as on a microcontroller, a handle has no bytes and no reader.

/// An opaque name of a message; its words mean what their giver says. 12 bytes with the feature
/// `identity`, none without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MessageHandle {
    #[cfg(feature = "identity")]
    words: [u32; 3],
}

impl MessageHandle {
    /// The handle of a frame that carries no named message.
    #[cfg(feature = "identity")]
    pub const NONE: MessageHandle = MessageHandle { words: [0; 3] };
    /// The handle of a frame that carries no named message.
    #[cfg(not(feature = "identity"))]
    pub const NONE: MessageHandle = MessageHandle {};

    /// Makes a handle of its words; zeros are [`MessageHandle::NONE`]. Without the feature
    /// `identity` the words are dropped.
    #[must_use]
    pub const fn new(words: [u32; 3]) -> Self {
        #[cfg(feature = "identity")]
        return MessageHandle { words };
        #[cfg(not(feature = "identity"))]
        {
            let _ = words;
            MessageHandle {}
        }
    }

    /// Returns the words; zeros without the feature `identity`.
    #[must_use]
    pub const fn words(self) -> [u32; 3] {
        #[cfg(feature = "identity")]
        return self.words;
        #[cfg(not(feature = "identity"))]
        [0; 3]
    }
}
