//! How parties of a network are addressed, and what carries what they say.

use waywarden_can::segment::raw::Cut;

/// A one-byte address of a physical or logical ECU; 0 stands for no ECU [GKE §III-B].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u8);

impl Address {
    /// No ECU.
    pub const NONE: Address = Address(0);
}

/// What carries the payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Classic CAN: 8 bytes a frame, an exchange of group keys takes 32 frames.
    Classic,
    /// CAN FD with the bit rate switched: 64 bytes a frame, an exchange of group keys takes 5
    /// frames.
    Fd,
}

impl Transport {
    /// How messages are cut into frames.
    #[must_use]
    pub const fn cut(self) -> Cut {
        match self {
            Transport::Classic => Cut::CLASSIC,
            Transport::Fd => Cut::FD,
        }
    }
}
