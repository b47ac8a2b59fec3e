//! Addresses of the parties of a network, and the frames that carry their messages.

use waywarden_can::segment::raw::Segmentation;

/// A one-byte address of a physical or logical ECU; 0 stands for no ECU [GKE §III-B].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u8);

impl Address {
    /// The address of no ECU.
    pub const NONE: Address = Address(0);
}

/// The kind of frames that carry the payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Classic CAN: 8 bytes a frame, an exchange of group keys takes 32 frames.
    Classic,
    /// CAN FD with the bit rate switched: 64 bytes a frame, an exchange of group keys takes 5
    /// frames.
    Fd,
}

impl Transport {
    /// Returns the segmentation of messages into frames.
    #[must_use]
    pub const fn cut(self) -> Segmentation {
        match self {
            Transport::Classic => Segmentation::CLASSIC,
            Transport::Fd => Segmentation::FD,
        }
    }
}
